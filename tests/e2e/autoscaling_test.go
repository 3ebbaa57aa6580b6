package e2e

import (
	"fmt"
	"testing"

	core "k8s.io/api/core/v1"

	"berth.dev/berth/tests/e2e/harness"
)

// Conditions that autoscalers read, in mode view (docs/design/autoscaling.md).

// scheduled counts the pods of a gang by their condition PodScheduled: a reason, "True" or "".
func scheduled(e *harness.Env, gang string) map[string]int {
	counts := map[string]int{}
	for _, pod := range e.Pods(func(pod *core.Pod) bool {
		return pod.Annotations[harness.GroupAnnotation] == gang
	}) {
		found := ""
		for _, condition := range pod.Status.Conditions {
			if condition.Type == core.PodScheduled && condition.Status == core.ConditionTrue {
				found = "True"
			} else if condition.Type == core.PodScheduled {
				found = condition.Reason
			}
		}
		counts[found]++
	}
	return counts
}

func awaitScheduled(e *harness.Env, gang, what string, count int) {
	e.Helper()
	e.Await(harness.Soon, func() error {
		if found := scheduled(e, gang); len(found) != 1 || found[what] != count {
			return fmt.Errorf("PodScheduled of %q is %v, expected %d times %q", gang, found, count,
				what)
		}
		return nil
	})
}

func assertConditionsWritten(e *harness.Env, since map[string]int, count int) {
	e.Helper()
	if written := writesSince(since)["PATCH pods/status"]; written != count {
		e.Errorf("%d conditions of pods are written, expected %d", written, count)
	}
}

// AUTOSCALE-1, AUTOSCALE-2: one write for each pod of a gang that is larger than the nodes. A node
// more, as an autoscaler would add, lets it start.
func TestPodsThatWaitForNodesAreUnschedulable(t *testing.T) {
	e, _ := beginBehindProxy(t)
	e.AddNodes(1, "4")
	before := proxy.Writes()
	e.CreateGang("large", 6, 6, cpu("1"))
	awaitScheduled(e, "large", core.PodReasonUnschedulable, 6)
	e.AwaitSessions(10)
	assertConditionsWritten(e, before, 6)
	e.AddNodes(1, "4")
	e.AwaitBound("large", 6, harness.Soon)
	awaitScheduled(e, "large", "True", 6)
	assertConditionsWritten(e, before, 6)
}

// AUTOSCALE-1, AUTOSCALE-2: nodes do not help a job that its queue holds back, from the start or
// since a change.
func TestPodsThatWaitForTheirQueueAreNot(t *testing.T) {
	e, _ := beginBehindProxy(t)
	e.AddNodes(2, "4")
	e.CreateObject(harness.NewQueue("narrow", spec{"capability": spec{"cpu": "2"}}))
	e.CreateObject(harness.NewQueue("wide", spec{}))
	e.CreateGangIn("wide", "busy", 6, false)
	e.AwaitBound("busy", 6, harness.Soon)
	before := proxy.Writes()
	e.CreateGangIn("narrow", "beyond", 4, true)
	e.AwaitWaits("beyond", "its queue can have at most")
	e.CreateGangIn("wide", "next", 6, false)
	awaitScheduled(e, "next", core.PodReasonUnschedulable, 6)
	awaitScheduled(e, "beyond", "", 4) // it has waited for longer
	assertConditionsWritten(e, before, 6)
	e.Must(e.ChangeQueue("wide", spec{"capability": spec{"cpu": "2"}}))
	awaitScheduled(e, "next", "Waiting", 6)
	e.AwaitSessions(10)
	assertConditionsWritten(e, before, 12)
}
