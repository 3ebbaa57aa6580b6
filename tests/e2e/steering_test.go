package e2e

import (
	"fmt"
	"testing"

	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"berth.dev/berth/tests/e2e/harness"
)

// What berthd sees of nodes is held back while a node gets a taint.
func TestVetoByATaintThatThePlanDidNotKnow(t *testing.T) {
	e, proxy := beginBehindProxy(t)
	nodes := e.AddNodes(3, "4")
	e.AwaitSessions(2)
	frozen := proxy.Hold(harness.NodeWatches.OfOthers(), 0)
	taint := `{"spec":{"taints":[{"key":"e2e","value":"surprise","effect":"NoSchedule"}]}}`
	_, err := e.Client.CoreV1().Nodes().Patch(e.Context, nodes[0], types.StrategicMergePatchType,
		[]byte(taint), meta.PatchOptions{})
	e.Must(err)
	await(t, frozen)
	e.CreateGang("gang", 6, 6, cpu("1"))
	assertPlannedAround(e, nodes[0])
}

// Nodes are new, and kube-scheduler hears of them later than berthd: that it knows no such node is
// no lasting veto.
func TestNodesThatKubeSchedulerDoesNotKnowYet(t *testing.T) {
	e, slow := beginWithSlowKubeScheduler(t)
	e.AddNodes(1, "4")
	e.Create(harness.NewPod(e.Namespace, "first").CPU("4").Build())
	e.AwaitPods(harness.Soon, 1, "are bound", func(pod *core.Pod) bool {
		return pod.Spec.NodeName != ""
	})
	frozen := slow.Hold(harness.NodeWatches.OfKubeScheduler(), 0)
	e.AddNodes(2, "4")
	await(t, frozen)
	e.CreateGang("gang", 6, 6, cpu("1"))
	e.AwaitRefused("gang-0")
	frozen.Release()
	e.AwaitBound("gang", 6, harness.Soon)
	e.AssertNeverInPart("gang", harness.BarrierLimit)
}

// beginWithSlowKubeScheduler also returns the proxy that the requests of kube-scheduler pass.
func beginWithSlowKubeScheduler(t *testing.T) (*harness.Env, *harness.Proxy) {
	t.Helper()
	if cluster.Mode == harness.ThroughView {
		return beginBehindProxy(t)
	}
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	slow, err := cluster.StartProxyAs("system:kube-scheduler")
	e.Must(err)
	t.Cleanup(func() {
		e.Scheduler.Kill()
		slow.Stop()
	})
	e.Must(e.StartSchedulerThrough(e.Context, slow.URL, e.Address))
	return e, slow
}

// assertPlannedAround waits for the gang of 6, of which members were planned on a node that
// kube-scheduler refuses.
func assertPlannedAround(e *harness.Env, node string) {
	e.Helper()
	e.AwaitBound("gang", 6, 2*harness.Soon)
	e.AssertNeverInPart("gang", harness.BarrierLimit)
	planned := false
	for _, moment := range e.Recorder.History(e.Namespace) {
		planned = planned || moment.What == "nominated "+node
		if moment.What == "bound "+node && moment.Key != e.Namespace+"/guard" {
			e.Errorf("bound where it was refused: %v", moment)
		}
	}
	// In mode view a plan is seen by nobody but kube-scheduler, which refuses it.
	e.Await(harness.Soon, func() error {
		refusals, err := e.Refusals()
		if err == nil && !planned && len(refusals) == 0 {
			err = fmt.Errorf("the premise fails: no pod was planned on %q", node)
		}
		return err
	})
}

// Three of four members are held in the barrier when one of them is deleted.
func TestMemberDeletedWhileHeld(t *testing.T) {
	e, proxy := beginBehindProxy(t)
	e.AddNodes(2, "4")
	hold := proxy.Hold(harness.Commits, 3)
	pods := e.CreateGang("gang", 4, 4, cpu("1"))
	await(t, hold)
	e.AwaitHeld(3)
	committed := e.Pods(func(pod *core.Pod) bool { return len(pod.Spec.SchedulingGates) == 0 })
	e.Delete(committed[0].Name)
	e.AwaitHeld(2)
	hold.Release()
	for _, pod := range pods {
		if pod.Name == committed[0].Name {
			e.Create(pod)
		}
	}
	e.AwaitBound("gang", 4, 2*harness.Soon)
	e.AssertNeverInPart("gang", harness.BarrierLimit)
	e.AssertRoom(4, "1")
}

// The calls to bind a gang and a single pod are on their way while both get another node.
func TestPodsMoveBeforeTheirBindCallsCome(t *testing.T) {
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	calls, err := harness.StartProxyTo(e.Address)
	e.Must(err)
	t.Cleanup(func() {
		e.Scheduler.Kill()
		calls.Stop()
	})
	e.Must(e.StartSchedulerCalling(e.Context, calls.Address()))
	left := e.AddNodes(1, "8")[0]
	hold := calls.Hold(harness.BindCalls, 0)
	t.Cleanup(hold.Abandon)
	gang := e.CreateGang("gang", 4, 4, cpu("1"))
	single := harness.NewPod(e.Namespace, "single").CPU("1").Build()
	e.Create(single)
	all := append(gang, single)
	e.Await(harness.Soon, func() error {
		if asked := calls.Writes()["POST /commit/bind"]; asked < len(all) {
			return fmt.Errorf("%d calls to bind are on their way, expected %d", asked, len(all))
		}
		return nil
	})
	moved := e.Growth(`berth_decisions_total{kind="bind"}`, len(all))
	refused := e.Growth(`berth_extender_calls_total{outcome="refused",verb="bind"}`, len(all))
	e.PatchNode(left, `{"spec":{"unschedulable":true}}`)
	e.AddNodes(1, "8")
	moved()
	hold.Release()
	e.AwaitBound("gang", 4, 2*harness.Soon)
	e.AwaitAllBound(harness.Soon, single)
	e.AssertNeverInPart("gang", harness.BarrierLimit)
	refused()
	for _, pod := range e.Pods(func(*core.Pod) bool { return true }) {
		if pod.Spec.NodeName == left {
			t.Errorf("%q is bound to the node that its plan had left", pod.Name)
		}
	}
}

// awaitNodesSeen returns when berthd and kube-scheduler have seen what became of nodes before: each
// hears of nodes in order, and has used one that is made now. Commits may be held meanwhile.
func awaitNodesSeen(e *harness.Env) {
	e.Helper()
	last := e.AddNodes(1, "64")[0]
	e.CreateGang("marker", 2, 2, cpu("20"))
	e.AwaitPods(harness.Soon, 2, "are nominated on the last node", func(pod *core.Pod) bool {
		return pod.Annotations[harness.GroupAnnotation] == "marker" &&
			pod.Status.NominatedNodeName == last
	})
	probe := harness.NewPod(e.Namespace, "probe").CPU("10").Scheduler(core.DefaultSchedulerName).
		Build()
	e.Create(probe)
	e.AwaitAllBound(harness.Soon, probe)
}

// The planned node goes away after the first commits. Nobody else refuses a Binding to a node that
// has just gone: the API server does not.
func TestNodeDeletedWhileHeld(t *testing.T) {
	e, proxy := beginBehindProxy(t)
	e.AddNodes(3, "4")
	hold := proxy.Hold(harness.Commits, 3)
	e.CreateGang("gang", 6, 6, cpu("1"))
	await(t, hold)
	e.AwaitHeld(3)
	planned := e.Pods(func(pod *core.Pod) bool { return pod.Status.NominatedNodeName != "" })
	lost := planned[0].Status.NominatedNodeName
	e.DeleteNode(lost)
	awaitNodesSeen(e)
	hold.Release()
	e.AwaitBound("gang", 6, 2*harness.Soon)
	e.AssertNeverInPart("gang", harness.BarrierLimit)
	for _, pod := range e.Bound("gang") {
		if pod.Spec.NodeName == lost {
			t.Errorf("%q is bound to a node that is gone", pod.Name)
		}
	}
}

// A pod that is not ours asks, while a gang is nominated, for room that the gang is planned into;
// also of a kube-scheduler that has not seen the nominations.
func TestPlannedRoomIsKept(t *testing.T) {
	for _, restarts := range []bool{false, true} {
		name := map[bool]string{false: "same scheduler", true: "scheduler restarted"}[restarts]
		t.Run(name, func(t *testing.T) {
			e, proxy := beginBehindProxy(t)
			e.AddNodes(4, "4")
			hold := proxy.Hold(harness.Commits, 0)
			e.CreateGang("gang", 4, 4, cpu("3"))
			await(t, hold)
			if restarts {
				e.Scheduler.Kill()
				e.Must(e.RestartScheduler(e.Context))
			}
			var thieves []*core.Pod
			for i := range 4 {
				thieves = append(thieves, harness.NewPod(e.Namespace, fmt.Sprintf("thief-%d", i)).
					CPU("2").Scheduler("default-scheduler").Build())
			}
			e.Create(thieves...)
			e.AwaitPods(harness.Soon, len(thieves), "were told that there is no room",
				func(pod *core.Pod) bool {
					return harness.Reason(pod) == core.PodReasonUnschedulable
				})
			hold.Release()
			e.AwaitBound("gang", 4, harness.Soon)
			e.AssertNeverInPart("gang", promptly)
		})
	}
}

// One node has far more room than the others, and pods are spread evenly all the same.
func TestPodsAreSpreadOverNodes(t *testing.T) {
	for _, domains := range []int32{0, 3} {
		t.Run(fmt.Sprintf("%d domains at least", domains), func(t *testing.T) {
			e := cluster.BeginWithBerth(t, harness.BerthOptions{})
			e.AddNodes(1, "32")
			e.AddNodes(2, "4")
			spread := func(pod harness.PodBuilder) harness.PodBuilder {
				return pod.Spreads("app", "spread", 1, domains)
			}
			e.CreateGang("gang", 6, 6, spread)
			e.AwaitBound("gang", 6, 2*harness.Soon)
			e.AssertNeverInPart("gang", harness.BarrierLimit)
			single := spread(harness.NewPod(e.Namespace, "single")).Build()
			e.Create(single)
			e.AwaitAllBound(2*harness.Soon, single)
			onNode := map[string]int{}
			for _, pod := range e.Pods(func(*core.Pod) bool { return true }) {
				onNode[pod.Spec.NodeName]++
			}
			for node, count := range onNode {
				if count > 3 {
					t.Errorf("%d of 7 pods are on %q: %v", count, node, onNode)
				}
			}
			if len(onNode) != 3 {
				t.Errorf("7 pods are on %v, expected 3 nodes", onNode)
			}
		})
	}
}

func TestCordonedAndTaintedNodesAreLeftOut(t *testing.T) {
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	nodes := e.AddNodes(3, "4")
	e.PatchNode(nodes[0], `{"spec":{"unschedulable":true}}`)
	e.PatchNode(nodes[1], `{"spec":{"taints":[{"key":"e2e","effect":"NoSchedule"}]}}`)
	e.CreateGang("gang", 6, 6, cpu("1"))
	e.AwaitCondition("gang", "Unschedulable", harness.Soon)
	assertNotBound(e, "gang")
	e.PatchNode(nodes[0], `{"spec":{"unschedulable":false}}`)
	e.AwaitBound("gang", 6, harness.Soon)
	e.AssertNeverInPart("gang", promptly)
	for _, pod := range e.Bound("gang") {
		if pod.Spec.NodeName == nodes[1] {
			t.Errorf("%q is bound to the tainted node", pod.Name)
		}
	}
}
