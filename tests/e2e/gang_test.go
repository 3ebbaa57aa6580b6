package e2e

import (
	"fmt"
	"testing"
	"time"

	core "k8s.io/api/core/v1"

	"berth.dev/berth/tests/e2e/harness"
)

// promptly is how long the Bindings of a gang may take, once they are posted, on busy machines.
const promptly = 5 * time.Second

func cpu(amount string) func(harness.PodBuilder) harness.PodBuilder {
	return func(pod harness.PodBuilder) harness.PodBuilder { return pod.CPU(amount) }
}

func TestSinglePodsAreBound(t *testing.T) {
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	e.AddNodes(3, "8")
	var pods []*core.Pod
	for i := range 24 {
		pods = append(pods, harness.NewPod(e.Namespace, fmt.Sprintf("p%d", i)).Build())
	}
	e.Create(pods...)
	e.AwaitAllBound(harness.Soon, pods...)
}

func TestGangWaitsThenStartsWhole(t *testing.T) {
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	e.AddNodes(2, "4")
	e.CreateGang("gang", 8, 8, cpu("2"))
	condition := e.AwaitCondition("gang", "Unschedulable", harness.Soon)
	if condition["message"] == "" || condition["reason"] == "" {
		t.Errorf("the condition does not say why the gang waits: %v", condition)
	}
	e.AwaitEvent("PodGroup", "gang", condition["message"].(string))
	for _, moment := range e.Recorder.History(e.Namespace) {
		if moment.What != "created" {
			t.Errorf("before there was room: %v", moment)
		}
	}
	e.AddNodes(2, "4")
	e.AwaitBound("gang", 8, harness.Soon)
	e.AssertNeverInPart("gang", promptly)
	e.AwaitCondition("gang", "Scheduled", harness.Soon)
	e.AwaitPhase("gang", "Running", harness.Soon)
}

func TestGangOf200Over50Nodes(t *testing.T) {
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	e.AddNodes(50, "4")
	e.CreateGang("gang", 200, 200, cpu("1"))
	e.AwaitBound("gang", 200, 2*harness.Soon)
	e.AssertNeverInPart("gang", 2*promptly)
}

// Room for one of ten: they take turns, and none holds what another needs.
func TestCompetingGangsTakeTurns(t *testing.T) {
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	e.AddNodes(2, "4")
	const gangs, size = 10, 6
	for i := range gangs {
		e.CreateGang(fmt.Sprintf("gang-%d", i), size, size,
			func(pod harness.PodBuilder) harness.PodBuilder { return pod.Runs(100 * time.Millisecond) })
	}
	e.AwaitPods(2*harness.Soon, gangs*size, "have run and ended", func(pod *core.Pod) bool {
		return pod.Status.Phase == core.PodSucceeded
	})
	for i := range gangs {
		e.AssertNeverInPart(fmt.Sprintf("gang-%d", i), promptly)
	}
}

func TestTwoGangsOfHalfTheClusterAndMore(t *testing.T) {
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	e.AddNodes(4, "4")
	first := e.CreateGang("first", 10, 10, cpu("1"))
	second := e.CreateGang("second", 10, 10, cpu("1"))
	e.Await(harness.Soon, func() error {
		a, b := len(e.Bound("first")), len(e.Bound("second"))
		if a+b != 10 || (a != 0 && b != 0) {
			return fmt.Errorf("%d of the first gang and %d of the second are bound", a, b)
		}
		return nil
	})
	started, waiting := first, "second"
	if len(e.Bound("first")) == 0 {
		started, waiting = second, "first"
	}
	e.AwaitCondition(waiting, "Unschedulable", harness.Soon)
	for _, pod := range started {
		e.Delete(pod.Name)
	}
	e.AwaitBound(waiting, 10, harness.Soon)
	e.AssertNeverInPart(waiting, promptly)
}

func TestUnmanagedPodsBesideAGang(t *testing.T) {
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	e.AddNodes(10, "4")
	var others []*core.Pod
	for i := range 40 {
		others = append(others, harness.NewPod(e.Namespace, fmt.Sprintf("other-%d", i)).
			Scheduler("default-scheduler").Runs(time.Second).Build())
	}
	gang := harness.Members(e.Namespace, "gang", 10, cpu("3"))
	e.CreateGroup("gang", 10)
	var mixed []*core.Pod
	for i, other := range others {
		mixed = append(mixed, other)
		if i%4 == 0 {
			mixed = append(mixed, gang[i/4])
		}
	}
	e.Create(mixed...)
	e.AwaitAllBound(2*harness.Soon, mixed...)
	e.AssertNeverInPart("gang", promptly)
}

func TestMembersBeyondTheMinimumFollow(t *testing.T) {
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	e.AddNodes(1, "4")
	e.CreateGang("gang", 3, 6, cpu("1"))
	e.AwaitBound("gang", 4, harness.Soon)
	e.AddNodes(1, "4")
	e.AwaitBound("gang", 6, harness.Soon)
	e.AssertNeverInPart("gang", promptly)
}

func TestPodUngatedByHandWaitsForItsGang(t *testing.T) {
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	e.AddNodes(1, "3")
	e.CreateGang("gang", 4, 4, cpu("1"))
	e.AwaitCondition("gang", "Unschedulable", harness.Soon)
	e.Ungate("gang-0")
	e.AwaitPods(harness.Soon, 1, "were tried without a gate", func(pod *core.Pod) bool {
		reason := harness.Reason(pod)
		return reason == core.PodReasonUnschedulable || reason == core.PodReasonSchedulerError
	})
	if bound := e.Bound("gang"); len(bound) > 0 {
		t.Errorf("%q is bound alone", bound[0].Name)
	}
	e.AddNodes(1, "3")
	e.AwaitBound("gang", 4, harness.Soon)
	e.AssertNeverInPart("gang", promptly)
}

// A write for the nomination, one for the commit, and the gang's share; then nobody writes.
func TestWritesArePerChange(t *testing.T) {
	e, proxy := beginBehindProxy(t)
	e.AddNodes(10, "10")
	const size = 100
	e.AwaitKubeSchedulerKnowsNodes()
	before := proxy.Writes()
	e.CreateGang("gang", size, size, cpu("1"))
	e.AwaitBound("gang", size, harness.Soon)
	e.AwaitCondition("gang", "Scheduled", harness.Soon)
	e.AwaitPhase("gang", "Running", harness.Soon)
	written := proxy.Writes()
	for what, count := range before {
		written[what] -= count
	}
	// The Bindings themselves are not counted.
	if perPod := float64(total(written)-size) / size; perPod > 2.1 {
		t.Errorf("%.2f writes for each pod: %v", perPod, written)
	}
	quiet := proxy.Writes()
	e.AwaitSessions(10)
	if now := proxy.Writes(); total(now) > total(quiet) {
		t.Errorf("written although nothing changed: %v, then %v", quiet, now)
	}
}

func total(writes map[string]int) int {
	sum := 0
	for _, count := range writes {
		sum += count
	}
	return sum
}
