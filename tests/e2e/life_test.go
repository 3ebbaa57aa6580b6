package e2e

import (
	"testing"

	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"berth.dev/berth/tests/e2e/harness"
)

// Issue 9: what controllers do to gangs while they live.

// A StatefulSet that is updated pod by pod, scaled below the gang's minimum, up again, to nothing and
// up again: pods come back under the names of before.
func TestAStatefulSetIsUpdatedAndScaled(t *testing.T) {
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	e.AddNodes(2, "4")
	pods := e.CreateGang("set", 3, 4, cpu("1"))
	e.AwaitBound("set", 4, harness.Soon)
	remove := func(removed ...*core.Pod) {
		for _, pod := range removed {
			e.Delete(pod.Name)
		}
	}
	for _, pod := range pods {
		e.Delete(pod.Name)
		e.Create(pod)
		e.AwaitBound("set", 4, harness.Soon)
	}
	e.AwaitPhase("set", "Running", harness.Soon)
	remove(pods[2:]...)
	e.AwaitBound("set", 2, harness.Soon)
	e.AwaitSessions(2)
	e.Create(pods[2:]...)
	e.AwaitBound("set", 4, harness.Soon)
	e.AwaitPhase("set", "Running", harness.Soon)
	remove(pods...)
	e.AwaitBound("set", 0, harness.Soon)
	e.Create(pods[:2]...)
	e.AwaitSessions(2)
	assertNotBound(e, "set")
	e.Create(pods[2:]...)
	e.AwaitBound("set", 4, harness.Soon)
	remove(pods...)
	e.AssertRoom(8, "1")
}

// Volcano's job controller makes pods when the group is in.
func TestAGroupIsInBeforeItHasPods(t *testing.T) {
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	e.AddNodes(2, "4")
	group := harness.NewPodGroup(e.Namespace, "job", 2)
	e.Must(unstructured.SetNestedField(group.Object, "2", "spec", "minResources", "cpu"))
	e.CreateObject(group)
	e.AwaitPhase("job", "Inqueue", promptly)
	e.Create(harness.Members(e.Namespace, "job", 2, cpu("1"))...)
	e.AwaitBound("job", 2, harness.Soon)
}

// An MPI operator that makes the launcher when the workers run.
func TestALauncherComesAfterItsWorkers(t *testing.T) {
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	e.AddNodes(2, "4")
	e.CreateGang("mpi", 2, 2, cpu("3"))
	e.AwaitBound("mpi", 2, harness.Soon)
	launcher := harness.NewPod(e.Namespace, "mpi-launcher").Group("mpi").CPU("1").Build()
	e.Create(launcher)
	e.AwaitAllBound(harness.Soon, launcher)
}
