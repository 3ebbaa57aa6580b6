package e2e

import (
	"fmt"
	"strings"
	"testing"

	core "k8s.io/api/core/v1"

	"berth.dev/berth/tests/e2e/harness"
)

// createSingles makes single pods of ours of 1 cpu, and waits until they run.
func createSingles(e *harness.Env, word func(harness.PodBuilder) harness.PodBuilder,
	names ...string) {
	e.Helper()
	var pods []*core.Pod
	for _, name := range names {
		pods = append(pods, word(harness.NewPod(e.Namespace, name).Grace(30)).Build())
	}
	e.Create(pods...)
	e.AwaitRunning(pods...)
}

func ofClass(class string) func(harness.PodBuilder) harness.PodBuilder {
	return func(pod harness.PodBuilder) harness.PodBuilder { return pod.Priority(class).Grace(30) }
}

func asItIs(pod harness.PodBuilder) harness.PodBuilder { return pod }

// Two gangs have the cluster, all of it minimums. One of them leaves whole, the other runs on.
func TestALowerGangLeavesWholeForAHigherOne(t *testing.T) {
	e := beginEvicting(t)
	e.AddNodes(2, "4")
	high := e.CreatePriority("high", 1000, core.PreemptLowerPriority)
	for _, name := range []string{"low-a", "low-b"} {
		e.AwaitRunning(e.CreateGang(name, 4, 4, func(pod harness.PodBuilder) harness.PodBuilder {
			return pod.Grace(30)
		})...)
	}
	before := proxy.Writes()
	e.CreateGang("high", 3, 3, ofClass(high))
	e.AwaitBound("high", 3, harness.Soon)
	remains(e, calm/2, func() error {
		a, b := len(e.Bound("low-a")), len(e.Bound("low-b"))
		if a+b != 4 || (a != 0 && b != 0) {
			return fmt.Errorf("%d pods of one gang and %d of the other are left", a, b)
		}
		if found := evictions(before); found != 4 || len(e.Gone()) != 4 {
			return fmt.Errorf("%d pods were to be evicted, not 4; gone are %q", found, e.Gone())
		}
		return nil
	})
	e.AssertNeverInPart("high", promptly)
	for _, name := range []string{"low-a", "low-b"} {
		e.AssertNeverInPart(name, promptly)
	}
}

// A Job of four at a time, eight in all, is one gang. Four pods have succeeded and four run: these
// run together, and are no surplus for a gang of the same priority.
func TestTheSecondWaveOfAGangIsNoSurplus(t *testing.T) {
	cluster.StartControllers(t)
	e := beginEvicting(t)
	e.AddNodes(1, "4")
	e.CreateJob(e.NewJob("job", 4).Gang("all").Completes(8).Build())
	e.AwaitNamed("job-.*", 4)
	e.Finish(func(*core.Pod) bool { return true })
	e.AwaitPods(harness.Soon, 4, "have succeeded", func(pod *core.Pod) bool {
		return pod.Status.Phase == core.PodSucceeded
	})
	e.AwaitNamed("job-.*", 4)
	e.AwaitSessions(2)
	before := proxy.Writes()
	e.CreateGang("pair", 2, 2, asItIs)
	e.AwaitCondition("pair", "Unschedulable", harness.Soon)
	remains(e, calm, func() error {
		if bound := boundNamed(e, "job-"); bound != 4 {
			return fmt.Errorf("%d pods of the Job are bound, not 4", bound)
		}
		return counts(e, before, 0, []string{}, map[string]int{"pair": 0})
	})
	e.Finish(func(pod *core.Pod) bool { return strings.HasPrefix(pod.Name, "job-") })
	e.AwaitBound("pair", 2, harness.Soon)
	if found := evictions(before); found != 0 {
		t.Errorf("%d pods were to be evicted, not one", found)
	}
}

// A gang whose class says Never waits. Another of the same priority does not, and the room goes to
// it although the first has waited for longer.
func TestPreemptionPolicyNever(t *testing.T) {
	e := beginEvicting(t)
	e.AddNodes(1, "2")
	never := e.CreatePriority("never", 1000, core.PreemptNever)
	high := e.CreatePriority("high", 1000, core.PreemptLowerPriority)
	createSingles(e, asItIs, "low-a", "low-b")
	before := proxy.Writes()
	e.CreateGang("polite", 1, 1, ofClass(never))
	e.AwaitCondition("polite", "Unschedulable", harness.Soon)
	remains(e, calm/2, func() error {
		return counts(e, before, 0, []string{}, map[string]int{"polite": 0})
	})
	e.CreateGang("rude", 1, 1, ofClass(high))
	e.AwaitBound("rude", 1, harness.Soon)
	remains(e, calm/2, func() error {
		if found := evictions(before); found != 1 || len(e.Gone()) != 1 {
			return fmt.Errorf("%d pods were to be evicted, not 1; gone are %q", found, e.Gone())
		}
		return counts(e, before, 1, e.Gone(), map[string]int{"polite": 0, "rude": 1})
	})
}

// The pod that would leave first may not, by what its user says: another leaves, and then nobody.
func TestPodsThatTheirUserProtectsStay(t *testing.T) {
	for key, value := range map[string]string{
		"volcano.sh/preemptable": "false", "volcano.sh/cooldown-time": "1h",
	} {
		t.Run(key, func(t *testing.T) {
			e := beginEvicting(t)
			e.AddNodes(1, "2")
			low := e.CreatePriority("low", -1000, core.PreemptLowerPriority)
			high := e.CreatePriority("high", 1000, core.PreemptLowerPriority)
			createSingles(e, func(pod harness.PodBuilder) harness.PodBuilder {
				return pod.Priority(low).Annotate(key, value)
			}, "kept")
			createSingles(e, asItIs, "other")
			before := proxy.Writes()
			e.CreateGang("first", 1, 1, ofClass(high))
			e.AwaitBound("first", 1, harness.Soon)
			e.CreateGang("second", 1, 1, ofClass(high))
			e.AwaitCondition("second", "Unschedulable", harness.Soon)
			remains(e, calm/2, func() error {
				return counts(e, before, 1, []string{"other"},
					map[string]int{"first": 1, "second": 0})
			})
		})
	}
}

// Who leaves is told for whom, and who gets the room is told of whom.
func TestEventsOfAnEvictionNameEachOther(t *testing.T) {
	e := beginEvicting(t)
	e.AddNodes(1, "1")
	high := e.CreatePriority("high", 1000, core.PreemptLowerPriority)
	createSingles(e, asItIs, "tenant")
	e.CreateGang("newcomer", 1, 1, ofClass(high))
	e.AwaitBound("newcomer", 1, harness.Soon)
	e.AwaitTold("Pod", "tenant", "newcomer")
	e.AwaitTold("PodGroup", "newcomer", "tenant")
}

// awaitGuardAsked waits until kube-scheduler has asked about victims since then.
func awaitGuardAsked(e *harness.Env, since float64) {
	e.Helper()
	e.Await(harness.Soon, func() error {
		if found := guardAsked(e); found <= since {
			return fmt.Errorf("kube-scheduler has asked %v times about victims", found)
		}
		return nil
	})
}

func guardAsked(e *harness.Env) float64 {
	e.Helper()
	text, err := e.Berth.Metrics(e.Context)
	e.Must(err)
	sum := 0.0
	for line := range strings.Lines(text) {
		var count float64
		labels, value, _ := strings.Cut(line, "} ")
		if strings.HasPrefix(labels, "berth_extender_calls_total{") &&
			strings.Contains(labels, `verb="preempt"`) {
			_, err := fmt.Sscan(value, &count)
			e.Must(err)
			sum += count
		}
	}
	return sum
}

// createGreedy makes a pod of 2 cpu that is not ours, and more important than all others.
func createGreedy(e *harness.Env, class string) *core.Pod {
	e.Helper()
	greedy := foreign(e, "greedy").CPU("2").Priority(class).Build()
	e.Create(greedy)
	return greedy
}

func assertNeverNominated(e *harness.Env, name string) {
	e.Helper()
	for _, moment := range e.Recorder.History(e.Namespace) {
		if moment.Key == e.Namespace+"/"+name && strings.HasPrefix(moment.What, "nominated ") {
			e.Errorf("%v", moment)
		}
	}
}

// kube-scheduler preempts for pods that are not ours. It would choose the gang, which has the
// lowest priority, and may not. Single pods beside it may leave.
func TestOthersDoNotPreemptMinimumsOfGangs(t *testing.T) {
	e := beginEvicting(t)
	low := e.CreatePriority("low", -1000, core.PreemptLowerPriority)
	high := e.CreatePriority("high", 1000, core.PreemptLowerPriority)
	e.AddNodes(1, "4")
	e.AwaitRunning(e.CreateGang("gang", 4, 4, ofClass(low))...)
	e.AwaitSessions(2)
	before, asked := proxy.Writes(), guardAsked(e)
	createGreedy(e, high)
	e.AwaitRefused("greedy")
	awaitGuardAsked(e, asked)
	remains(e, calm/2, func() error {
		return counts(e, before, 0, []string{}, map[string]int{"gang": 4})
	})
	assertNeverNominated(e, "greedy")
	e.Delete("greedy")

	beside := e.AddNodes(1, "4")[0]
	var singles []*core.Pod
	for i := range 4 {
		singles = append(singles, foreign(e, fmt.Sprintf("single-%d", i)).CPU("1").Build())
	}
	e.Create(singles...)
	e.AwaitRunning(singles...)
	greedy := createGreedy(e, high)
	e.AwaitAllBound(harness.Soon, greedy)
	for _, pod := range e.Pods(func(pod *core.Pod) bool { return pod.Name == "greedy" }) {
		if pod.Spec.NodeName != beside {
			t.Errorf("the pod is on %q, expected %q", pod.Spec.NodeName, beside)
		}
	}
	if bound := e.Bound("gang"); len(bound) != 4 {
		t.Errorf("%d pods of the gang are left", len(bound))
	}
	e.AssertNeverInPart("gang", promptly)
}

// What a gang has beyond its minimum may leave, when berthd has seen its pods run: kube-scheduler
// asks once, and again only when something has changed.
func TestOthersPreemptSurplusOfGangs(t *testing.T) {
	e := beginEvicting(t)
	high := e.CreatePriority("high", 1000, core.PreemptLowerPriority)
	e.AddNodes(1, "4")
	e.AwaitRunning(e.CreateGang("gang", 2, 4, func(pod harness.PodBuilder) harness.PodBuilder {
		return pod.Grace(30)
	})...)
	e.AwaitSessions(2)
	e.AwaitAllBound(harness.Soon, createGreedy(e, high))
	e.AwaitBound("gang", 2, harness.Soon)
	e.AssertNeverInPart("gang", promptly)
}

// Room that is being vacated for a gang is not taken by kube-scheduler's preemption: without
// berthd, the pod that is ending anyhow would be its victim.
func TestOthersDoNotPreemptIntoClaimedRoom(t *testing.T) {
	e := beginEvicting(t)
	middle := e.CreatePriority("middle", 500, core.PreemptLowerPriority)
	high := e.CreatePriority("high", 1000, core.PreemptLowerPriority)
	e.AddNodes(1, "3")
	createSingles(e, func(pod harness.PodBuilder) harness.PodBuilder {
		return pod.CPU("2").Lingers()
	}, "slow")
	small := foreign(e, "small").CPU("1").Priority(middle).Build()
	e.Create(small)
	e.AwaitRunning(small)
	before := proxy.Writes()
	e.CreateGang("claimant", 2, 2, ofClass(middle))
	e.AwaitEnding(1)
	asked := guardAsked(e)
	createGreedy(e, high)
	awaitGuardAsked(e, asked)
	remains(e, calm/2, func() error {
		return counts(e, before, 1, []string{}, map[string]int{"claimant": 0})
	})
	assertNeverNominated(e, "greedy")
	e.Must(dropFinalizers(e))
	e.AwaitBound("claimant", 2, harness.Soon)
	e.AssertNeverInPart("claimant", promptly)
}
