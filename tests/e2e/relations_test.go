package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	core "k8s.io/api/core/v1"

	"berth.dev/berth/tests/e2e/harness"
)

// Gangs whose members require, or refuse, other pods near them (docs/design/constraints.md).

const zone = core.LabelTopologyZone

// oneANode words members that refuse each other's node.
func oneANode(gang string) func(harness.PodBuilder) harness.PodBuilder {
	return func(pod harness.PodBuilder) harness.PodBuilder {
		return pod.Label("gang", gang).KeepsOff("gang", gang)
	}
}

// overZones words members of which each zone has as many, or one more.
func overZones(gang string) func(harness.PodBuilder) harness.PodBuilder {
	return func(pod harness.PodBuilder) harness.PodBuilder {
		return pod.SpreadsOver(zone, "gang", gang, 1)
	}
}

// inOneZone words members that require each other.
func inOneZone(gang string) func(harness.PodBuilder) harness.PodBuilder {
	return func(pod harness.PodBuilder) harness.PodBuilder {
		return pod.Label("gang", gang).KeepsNear(zone, "gang", gang)
	}
}

// timed logs how long a step takes: `go test -v` shows it.
func timed(e *harness.Env, what string, step func()) {
	e.Helper()
	began := time.Now()
	step()
	e.Logf("took %-40s %6.2f s", what, time.Since(began).Seconds())
}

// failedAttempts counts refused plans from now on.
func failedAttempts(e *harness.Env) func() float64 {
	count := func() float64 {
		value, err := e.Berth.Metric(e.Context, "berth_failed_attempts_total")
		e.Must(err)
		return value
	}
	before := count()
	return func() float64 { return count() - before }
}

// assertAttempts fails the test if more plans were refused.
func assertAttempts(e *harness.Env, failed func() float64, most float64) {
	e.Helper()
	count := failed()
	e.Logf("took %-40s %v", "refused plans", count)
	if count > most {
		e.Errorf("kube-scheduler refused %v plans, expected %v at most", count, most)
	}
}

// perDomain counts the bound pods of a gang by a label of their nodes.
func perDomain(e *harness.Env, gang, label string) map[string]int {
	domains := map[string]string{}
	for _, node := range e.Nodes() {
		domains[node.Name] = node.Labels[label]
	}
	counts := map[string]int{}
	for _, pod := range e.Bound(gang) {
		counts[domains[pod.Spec.NodeName]]++
	}
	return counts
}

// awaitWhole waits until the gang is bound, and shows that it was never bound in part.
func awaitWhole(e *harness.Env, gang string, count int) {
	e.Helper()
	timed(e, gang+" is bound", func() { e.AwaitBound(gang, count, promptly) })
	e.AssertNeverInPart(gang, promptly)
}

// assertSays shows that a gang says within 5 s why it waits.
func assertSays(e *harness.Env, gang, words string) {
	e.Helper()
	timed(e, gang+" says why it waits", func() {
		e.Await(promptly, func() error {
			if message := e.Message(gang, "Unschedulable"); !strings.Contains(message, words) {
				return fmt.Errorf("%s says %q", gang, message)
			}
			return nil
		})
	})
}

// assertWaits shows that a gang waits, says why within 5 s, and keeps nothing from a gang that fills
// so many nodes of 4 cpu, and then ends.
func assertWaits(e *harness.Env, gang, words string, room int) {
	e.Helper()
	assertSays(e, gang, words)
	e.CreateGang("other", room, room, cpu("4"))
	awaitWhole(e, "other", room)
	e.EndGang("other")
	e.AwaitPods(harness.Soon, 0, "are left of the other gang", func(pod *core.Pod) bool {
		return strings.HasPrefix(pod.Name, "other-")
	})
	assertNotBound(e, gang)
}

func TestOneWorkerANode(t *testing.T) {
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	e.AddNodes(4, "4")
	failed := failedAttempts(e)
	e.CreateGang("gang", 4, 4, oneANode("gang"))
	awaitWhole(e, "gang", 4)
	if nodes := perDomain(e, "gang", core.LabelHostname); len(nodes) != 4 {
		t.Errorf("four workers are on %v", nodes)
	}
	assertAttempts(e, failed, 0)
}

func TestOneWorkerANodeOnTooFewNodes(t *testing.T) {
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	e.AddNodes(3, "4")
	failed := failedAttempts(e)
	e.CreateGang("gang", 4, 4, oneANode("gang"))
	assertWaits(e, "gang", "didn't match pod anti-affinity rules: one for each kubernetes.io/hostname", 3)
	e.AddNodes(1, "4")
	awaitWhole(e, "gang", 4)
	assertAttempts(e, failed, 1) // kube-scheduler may not know the node yet
}

// A pod that is not ours keeps pods with the label off its node.
func TestAGangGoesRoundAPodThatRefusesIt(t *testing.T) {
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	nodes := e.AddNodes(1, "4")
	guard := harness.NewPod(e.Namespace, "guard").CPU("100m").Scheduler(core.DefaultSchedulerName).
		KeepsOff("app", "gang").Build()
	e.Create(guard)
	e.AwaitAllBound(harness.Soon, guard)
	e.AddNodes(2, "4")
	failed := failedAttempts(e)
	e.CreateGang("gang", 6, 6, func(pod harness.PodBuilder) harness.PodBuilder {
		return pod.Label("app", "gang")
	})
	awaitWhole(e, "gang", 6)
	if count := perDomain(e, "gang", core.LabelHostname)[nodes[0]]; count > 0 {
		t.Errorf("%d members are on the guarded node", count)
	}
	assertAttempts(e, failed, 1) // kube-scheduler may not know the nodes yet
}

// Several go to one node, in turns: zone c has one node for a third of them.
func TestAGangIsSpreadOverZones(t *testing.T) {
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	e.AddNodesIn("a", 2, "4")
	e.AddNodesIn("b", 3, "2")
	e.AddNodesIn("c", 1, "8")
	failed := failedAttempts(e)
	e.CreateGang("gang", 12, 12, overZones("gang"))
	awaitWhole(e, "gang", 12)
	if zones := perDomain(e, "gang", zone); zones["a"] != 4 || zones["b"] != 4 || zones["c"] != 4 {
		t.Errorf("twelve members are spread as %v", zones)
	}
	assertAttempts(e, failed, 0)
}

// With skew 1 a pod fits only after those before it, whatever the order in which kube-scheduler takes
// them: the places are handed out in the order of the plan. A write for each pod, and the gang's share.
func TestALargeGangIsSpreadOverZones(t *testing.T) {
	e, proxy := beginBehindProxy(t)
	for _, each := range []string{"a", "b", "c"} {
		e.AddNodesIn(each, 2, "4")
	}
	e.AwaitKubeSchedulerKnowsNodes()
	const size = 99
	failed := failedAttempts(e)
	before := proxy.Writes()
	e.CreateGang("gang", size, size, func(pod harness.PodBuilder) harness.PodBuilder {
		return overZones("gang")(pod).CPU("100m")
	})
	timed(e, "a large gang is bound", func() { e.AwaitBound("gang", size, harness.Soon) })
	e.AssertNeverInPart("gang", promptly)
	if zones := perDomain(e, "gang", zone); zones["a"] != 33 || zones["b"] != 33 || zones["c"] != 33 {
		t.Errorf("99 members are spread as %v", zones)
	}
	assertAttempts(e, failed, 0)
	written := writesSince(before)
	e.Logf("took %-40s %v", "writes", written)
	if patches := written["PATCH pods"] + written["PATCH pods/status"]; patches > size+10 {
		t.Errorf("%d patches for %d pods: %v", patches, size, written)
	}
}

// Pods in no group are jobs of their own, and share a spread all the same.
func TestPodsInNoGroupAreSpreadOverZones(t *testing.T) {
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	for _, each := range []string{"a", "b", "c"} {
		e.AddNodesIn(each, 1, "4")
	}
	e.AwaitKubeSchedulerKnowsNodes()
	const count = 30
	failed := failedAttempts(e)
	var pods []*core.Pod
	for i := range count {
		pods = append(pods, harness.NewPod(e.Namespace, fmt.Sprintf("web-%d", i)).CPU("100m").
			SpreadsOver(zone, "app", "web", 1).Build())
	}
	e.Create(pods...)
	timed(e, "all are bound", func() { e.AwaitAllBound(harness.Soon, pods...) })
	zones := map[string]int{}
	domains := map[string]string{}
	for _, node := range e.Nodes() {
		domains[node.Name] = node.Labels[zone]
	}
	for _, pod := range e.Pods(func(pod *core.Pod) bool { return pod.Spec.NodeName != "" }) {
		zones[domains[pod.Spec.NodeName]]++
	}
	if zones["a"] != 10 || zones["b"] != 10 || zones["c"] != 10 {
		t.Errorf("%d pods are spread as %v", count, zones)
	}
	assertAttempts(e, failed, 0)
}

func TestASpreadGangWaitsForAZone(t *testing.T) {
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	e.AddNodesIn("a", 2, "4")
	e.AddNodesIn("b", 1, "2")
	failed := failedAttempts(e)
	e.CreateGang("gang", 8, 8, overZones("gang"))
	assertWaits(e, "gang", "didn't match pod topology spread constraints", 2)
	e.AddNodesIn("b", 1, "4")
	awaitWhole(e, "gang", 8)
	if zones := perDomain(e, "gang", zone); zones["a"] != 4 || zones["b"] != 4 {
		t.Errorf("eight members are spread as %v", zones)
	}
	assertAttempts(e, failed, 1)
}

// The zone that is best for the first member is too small for all.
func TestAGangIsInOneZoneByAffinity(t *testing.T) {
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	e.AddNodesIn("a", 1, "4")
	e.AddNodesIn("b", 2, "4")
	e.AddNodesIn("c", 1, "4")
	failed := failedAttempts(e)
	e.CreateGang("gang", 6, 6, inOneZone("gang"))
	awaitWhole(e, "gang", 6)
	if zones := perDomain(e, "gang", zone); zones["b"] != 6 {
		t.Errorf("six members are in zones %v, expected b", zones)
	}
	e.CreateGang("large", 6, 6, inOneZone("large"))
	assertWaits(e, "large", "pod affinity", 2)
	e.AddNodesIn("c", 1, "4")
	awaitWhole(e, "large", 6)
	if zones := perDomain(e, "large", zone); zones["c"] != 6 {
		t.Errorf("six members are in zones %v, expected c", zones)
	}
	assertAttempts(e, failed, 1)
}

// Workers require the last member, so it must be tried before them, whatever its uid.
func TestWorkersFollowTheirLauncher(t *testing.T) {
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	e.AddNodesIn("a", 1, "4")
	e.AddNodesIn("b", 2, "4")
	failed := failedAttempts(e)
	for _, gang := range []string{"first", "second", "third"} {
		e.CreateGang(gang, 6, 6, func(pod harness.PodBuilder) harness.PodBuilder {
			if strings.HasSuffix(pod.Name(), "-5") {
				return pod.Label("launcher", gang).CPU("100m")
			}
			return pod.KeepsNear(zone, "launcher", gang).CPU("100m")
		})
		awaitWhole(e, gang, 6)
		if zones := perDomain(e, gang, zone); len(zones) != 1 {
			t.Errorf("%s is in zones %v", gang, zones)
		}
	}
	assertAttempts(e, failed, 0)
}

// berthd has forgotten the order of its plan when it returns, and who has which place.
func TestBerthKilledAmidASpread(t *testing.T) {
	for _, step := range steps[cluster.Mode] {
		if step.pass == 0 || step.kind == harness.Nominations || step.kind == harness.Events {
			continue
		}
		t.Run(step.name, func(t *testing.T) {
			e, proxy := beginBehindProxy(t)
			for _, each := range []string{"a", "b", "c"} {
				e.AddNodesIn(each, 1, "4")
			}
			hold := proxy.Hold(step.kind, step.pass)
			e.CreateGang("gang", 9, 9, func(pod harness.PodBuilder) harness.PodBuilder {
				return overZones("gang")(pod).CPU("100m")
			})
			killBerthAt(e, hold, "gang", 9)
			if zones := perDomain(e, "gang", zone); zones["a"] != 3 || zones["b"] != 3 || zones["c"] != 3 {
				t.Errorf("nine members are spread as %v", zones)
			}
		})
	}
}

// killBerthAt ends berthd when the request is held, which then gets no answer, and shows that the
// next berthd brings the gang to its end.
func killBerthAt(e *harness.Env, hold *harness.Hold, gang string, count int) {
	e.Helper()
	await(e.TB, hold)
	e.Berth.Kill()
	hold.Abandon()
	e.Must(e.Berth.Start(e.Context))
	timed(e, "the gang is bound", func() { e.AwaitBound(gang, count, harness.Soon) })
	e.AssertNeverInPart(gang, harness.BarrierLimit)
}

// The launcher, which the workers require, is the last by name.
func TestBerthKilledAmidWaves(t *testing.T) {
	e, proxy := beginBehindProxy(t)
	e.AddNodesIn("a", 1, "4")
	e.AddNodesIn("b", 2, "4")
	kind := harness.Bindings
	if cluster.Mode == harness.InPlace {
		kind = harness.Commits
	}
	hold := proxy.Hold(kind, 3)
	e.CreateGang("gang", 6, 6, func(pod harness.PodBuilder) harness.PodBuilder {
		if strings.HasSuffix(pod.Name(), "-5") {
			return pod.Label("launcher", "gang").CPU("100m")
		}
		return pod.KeepsNear(zone, "launcher", "gang").CPU("100m")
	})
	killBerthAt(e, hold, "gang", 6)
	if zones := perDomain(e, "gang", zone); len(zones) != 1 {
		t.Errorf("the gang is in zones %v", zones)
	}
}

// kube-scheduler refuses one of the second wave, for want of a device, of which plans know nothing.
func TestARefusalAmidWavesEndsInAPause(t *testing.T) {
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	nodes := e.AddNodesIn("a", 1, "4")
	nodes = append(nodes, e.AddNodesIn("b", 1, "4")...)
	for i := range 4 {
		e.CreateDeviceClaim(fmt.Sprintf("gang-%d", i))
	}
	e.AddDevices(nodes[0], 2)
	e.AddDevices(nodes[1], 1)
	failed := failedAttempts(e)
	e.CreateGang("gang", 4, 4, func(pod harness.PodBuilder) harness.PodBuilder {
		return overZones("gang")(pod).Device()
	})
	assertWaits(e, "gang", "cannot allocate all claims", 2)
	e.AssertStays(2*promptly, func() error {
		if bound := len(e.Bound("gang")); bound > 0 {
			return fmt.Errorf("%d of a gang that cannot be are bound", bound)
		}
		return nil
	})
	assertAttempts(e, failed, 5)
}

// Room for four of twenty at a time: they take turns, and each is bound whole or waits whole.
func TestTwentyGangsWithOneWorkerANodeTakeTurns(t *testing.T) {
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	e.AddNodes(4, "4")
	const gangs, size, turn = 20, 4, 4
	failed := failedAttempts(e)
	for i := range gangs {
		gang := fmt.Sprintf("gang-%d", i)
		e.CreateGang(gang, size, size, oneANode(gang))
	}
	ended := map[string]bool{}
	whole := func() (names []string) {
		for i := range gangs {
			gang := fmt.Sprintf("gang-%d", i)
			if bound := len(e.Bound(gang)); bound == size && !ended[gang] {
				names = append(names, gang)
			}
		}
		return names
	}
	for len(ended) < gangs {
		timed(e, fmt.Sprintf("%d more are bound", turn), func() {
			e.Await(promptly, func() error {
				if names := whole(); len(names) != turn {
					return fmt.Errorf("%v are bound whole, not %d", names, turn)
				}
				return nil
			})
		})
		e.AssertStays(time.Second, func() error {
			bound := e.Pods(func(pod *core.Pod) bool { return pod.Spec.NodeName != "" })
			if len(bound) != turn*size {
				return fmt.Errorf("%d pods are bound, not %d", len(bound), turn*size)
			}
			return nil
		})
		for _, gang := range whole() {
			ended[gang] = true
			e.AssertNeverInPart(gang, promptly)
			e.EndGang(gang)
		}
	}
	assertAttempts(e, failed, 5) // kube-scheduler may learn late of pods that have ended
}

// The same with all kinds of relations at once, on nodes of three zones.
func TestTwentyGangsWithRelationsTakeTurns(t *testing.T) {
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	for _, each := range []string{"a", "b", "c"} {
		e.AddNodesIn(each, 2, "3")
	}
	const gangs, size = 20, 6
	failed := failedAttempts(e)
	timed(e, "all have run", func() {
		for i := range gangs {
			gang := fmt.Sprintf("gang-%d", i)
			kinds := []func(harness.PodBuilder) harness.PodBuilder{oneANode(gang), overZones(gang),
				inOneZone(gang), cpu("1")}
			e.CreateGang(gang, size, size, func(pod harness.PodBuilder) harness.PodBuilder {
				return kinds[i%len(kinds)](pod).Runs(100 * time.Millisecond)
			})
		}
		e.AwaitPods(harness.Soon, gangs*size, "have run and ended", func(pod *core.Pod) bool {
			return pod.Status.Phase == core.PodSucceeded
		})
	})
	for i := range gangs {
		e.AssertNeverInPart(fmt.Sprintf("gang-%d", i), promptly)
	}
	assertAttempts(e, failed, 10)
}
