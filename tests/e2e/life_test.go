package e2e

import (
	"testing"
	"time"

	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

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

// API-25: running pods get an annotation that cannot be read, and end. Their room is free again.
func TestUnreadablePodsEnd(t *testing.T) {
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	e.AddNodes(1, "4")
	pods := e.CreateGang("first", 3, 3, func(b harness.PodBuilder) harness.PodBuilder {
		return b.CPU("1").Runs(3 * time.Second)
	})
	e.AwaitBound("first", 3, harness.Soon)
	for _, pod := range pods {
		_, err := e.Client.CoreV1().Pods(e.Namespace).Patch(e.Context, pod.Name, types.MergePatchType,
			[]byte(`{"metadata":{"annotations":{"berth.dev/run-time":"an hour"}}}`), meta.PatchOptions{})
		e.Must(err)
	}
	e.AwaitPods(harness.Soon, 3, "have run", func(pod *core.Pod) bool {
		return pod.Status.Phase == core.PodSucceeded
	})
	e.CreateGang("second", 4, 4, cpu("1"))
	e.AwaitBound("second", 4, harness.Soon)
}

// API-25: pods that the API server accepts, and their groups say why they wait. A hint that cannot be
// read does not matter.
func TestOddPodsAreExplained(t *testing.T) {
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	e.AddNodes(1, "4")
	hint := func(b harness.PodBuilder) harness.PodBuilder {
		return b.Annotate("berth.dev/run-time", "for ever")
	}
	e.CreateGang("hint", 1, 1, hint)
	e.AwaitBound("hint", 1, harness.Soon)
	odd := map[string]func(*core.PodSpec){
		"large": func(spec *core.PodSpec) {
			spec.Containers[0].Resources.Requests[core.ResourceMemory] = resource.MustParse("8Ei")
		},
		"compares": func(spec *core.PodSpec) {
			spec.Affinity = &core.Affinity{NodeAffinity: &core.NodeAffinity{
				RequiredDuringSchedulingIgnoredDuringExecution: &core.NodeSelector{
					NodeSelectorTerms: []core.NodeSelectorTerm{{
						MatchExpressions: []core.NodeSelectorRequirement{{
							Key: "gen", Operator: core.NodeSelectorOpGt, Values: []string{"abc"},
						}},
					}},
				},
			}}
		},
	}
	for name, change := range odd {
		e.CreateGroup(name, 1)
		pod := harness.NewPod(e.Namespace, name+"-0").Group(name).CPU("100m").Build()
		change(&pod.Spec)
		e.Create(pod)
	}
	e.AwaitWaits("large", "memory, and no node can give it more than")
	e.AwaitWaits("compares", "node affinity does not match")
}
