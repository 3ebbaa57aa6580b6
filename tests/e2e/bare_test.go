package e2e

import (
	"fmt"
	"testing"

	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/e2e/harness"
)

// What is not ours goes on while no berthd answers: the plan entry is passed over.
func TestUnmanagedPodsAreBoundWithoutBerth(t *testing.T) {
	e := cluster.Begin(t)
	e.Must(e.StopBerth())
	e.AddNodes(3, "8")
	var pods []*core.Pod
	for i := range 12 {
		pods = append(pods, harness.NewPod(e.Namespace, fmt.Sprintf("p%d", i)).CPU("2").
			Scheduler("default-scheduler").Runs(0).Build())
	}
	e.Create(pods...)
	e.AwaitAllBound(harness.Soon, pods...)
	e.AwaitPods(harness.Soon, len(pods), "have run and ended", func(pod *core.Pod) bool {
		return pod.Status.Phase == core.PodSucceeded
	})
}

func TestManagedPodsAreGatedAndMarked(t *testing.T) {
	e := cluster.Begin(t)
	e.Must(e.StopBerth())
	e.AddNodes(1, "8")
	e.Create(harness.NewPod(e.Namespace, "ours").Build(),
		harness.NewPod(e.Namespace, "other").Scheduler("default-scheduler").Build())
	pods := e.Client.CoreV1().Pods(e.Namespace)
	ours, err := pods.Get(e.Context, "ours", meta.GetOptions{})
	e.Must(err)
	if len(ours.Spec.SchedulingGates) != 1 || ours.Spec.SchedulingGates[0].Name != harness.Gate {
		t.Errorf("gates of a managed pod: %v", ours.Spec.SchedulingGates)
	}
	resources := ours.Spec.Containers[0].Resources
	for what, list := range map[string]core.ResourceList{
		"requests": resources.Requests, "limits": resources.Limits,
	} {
		if marker, is := list[harness.Marker]; !is || !marker.IsZero() {
			t.Errorf("%s of a managed pod: %v", what, list)
		}
	}
	other, err := pods.Get(e.Context, "other", meta.GetOptions{})
	e.Must(err)
	if len(other.Spec.SchedulingGates) != 0 {
		t.Errorf("gates of a pod that is not ours: %v", other.Spec.SchedulingGates)
	}
	if _, marked := other.Spec.Containers[0].Resources.Requests[harness.Marker]; marked {
		t.Error("a pod that is not ours is marked")
	}
}

// Managed pods wait for berthd, gated or not: /commit is not ignorable.
func TestManagedPodsWaitForBerth(t *testing.T) {
	e := cluster.Begin(t)
	e.Must(e.StopBerth())
	e.AddNodes(1, "8")
	e.Create(harness.NewPod(e.Namespace, "gated").Build(),
		harness.NewPod(e.Namespace, "ungated").Build())
	e.Ungate("ungated")
	e.AwaitPods(harness.Soon, 1, "were tried without a gate", func(pod *core.Pod) bool {
		return pod.Name == "ungated" && harness.Reason(pod) == core.PodReasonSchedulerError
	})
	if bound := e.Pods(func(pod *core.Pod) bool { return pod.Spec.NodeName != "" }); len(bound) > 0 {
		t.Errorf("%q is bound without berthd", bound[0].Name)
	}
}
