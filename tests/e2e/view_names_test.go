package e2e

import (
	"fmt"
	"testing"

	core "k8s.io/api/core/v1"

	"berth.dev/berth/tests/e2e/harness"
)

// bound makes pods and binds them by hand: on nodes[i%len] the i-th.
func bound(e *harness.Env, nodes []string, pods ...*core.Pod) {
	e.Helper()
	e.Create(pods...)
	for i, pod := range pods {
		e.BindByHand(pod.Name, nodes[i%len(nodes)])
	}
	e.AwaitAllBound(harness.Soon, pods...)
}

// beginNames has kube-scheduler know bound pods of ours and of another scheduler.
func beginNames(t *testing.T) (*harness.Env, []string) {
	t.Helper()
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	nodes := e.AddNodes(3, "8")
	e.CreateGang("gang", 4, 4, cpu("1"))
	e.AwaitBound("gang", 4, harness.Soon)
	bound(e, nodes[:1], others(e, "moves", 3)...)
	bound(e, nodes[:1], others(e, "waits", 3)...)
	e.AwaitKubeSchedulerKnowsNodes() // and so what was bound before
	return e, nodes
}

func others(e *harness.Env, name string, count int) []*core.Pod {
	var pods []*core.Pod
	for i := range count {
		pods = append(pods, harness.NewPod(e.Namespace, fmt.Sprintf("%s-%d", name, i)).CPU("100m").
			Scheduler("nobody").Build())
	}
	return pods
}

// useNamesAgain makes other pods under the names, on other nodes or on none.
func useNamesAgain(e *harness.Env, nodes []string) {
	e.Helper()
	was := map[string]string{}
	for _, pod := range e.Bound("gang") {
		was[pod.Name] = pod.Spec.NodeName
	}
	gang := harness.Members(e.Namespace, "gang", 4, cpu("1"))
	for _, pod := range append(append(others(e, "moves", 3), others(e, "waits", 3)...), gang...) {
		e.Delete(pod.Name)
	}
	e.AwaitPods(harness.Soon, 0, "are left", func(*core.Pod) bool { return true })
	bound(e, nodes[1:], others(e, "moves", 3)...)
	e.Create(others(e, "waits", 3)...)
	e.Create(gang[:2]...) // of ours: two wait, and two are bound elsewhere, as by another leader
	for _, pod := range gang[2:] {
		for _, node := range nodes {
			if node != was[pod.Name] {
				bound(e, []string{node}, pod)
				break
			}
		}
	}
}

// VIEW-14: kube-scheduler's store is by name, and it ends itself if a list has another pod under a
// name that it knows, on another node.
func TestNamesAreUsedAgainBehindKubeSchedulersBack(t *testing.T) {
	for _, forgets := range []bool{false, true} {
		name := map[bool]string{false: "while berthd is away",
			true: "while berthd is away and the API server forgets"}[forgets]
		t.Run(name, func(t *testing.T) {
			e, nodes := beginNames(t)
			before := e.Scheduler.PID()
			e.Berth.Kill()
			useNamesAgain(e, nodes)
			if forgets {
				e.Must(e.RestartAPIServer(e.Context, func() error { return e.CompactEtcd(e.Context) }))
			}
			e.Must(e.Berth.Start(e.Context))
			e.AwaitBound("gang", 4, 2*harness.Soon)
			e.CreateGang("after", 6, 6, cpu("1"))
			e.AwaitBound("after", 6, 2*harness.Soon)
			e.AssertNeverInPart("after", promptly)
			e.AssertRoom(12, "1")
			if e.Scheduler.HasCrashed() || e.Scheduler.PID() != before {
				t.Errorf("kube-scheduler has ended:\n%s", e.Scheduler.Tail(0, 5))
			}
		})
	}
}
