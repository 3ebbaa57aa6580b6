package recorded

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Every event is about an object that may help each pod that it may help at all: hints that compare
// objects in detail are left out (RECORD-3).

func podNamed(name string, uid int, priority int32, gated bool) *v1.Pod {
	pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name,
		UID: types.UID(fmt.Sprintf("uid-%d", uid))}}
	pod.Spec.SchedulerName, pod.Spec.Priority = v1.DefaultSchedulerName, &priority
	pod.Spec.Containers = []v1.Container{{Name: "c"}}
	setCPU(pod, 5000)
	if gated {
		pod.Spec.SchedulingGates = []v1.PodSchedulingGate{{Name: "example.com/gate"}}
	}
	return pod
}

func setCPU(pod *v1.Pod, milli int64) {
	pod.Spec.Containers[0].Resources.Requests = v1.ResourceList{
		v1.ResourceCPU: *resource.NewMilliQuantity(milli, resource.DecimalSI)}
}

func boundPod() *v1.Pod {
	pod := podNamed("bound", 0, 0, false)
	pod.Spec.NodeName = "n1"
	return pod
}

func nodeWith(cpu int64, taints ...v1.Taint) *v1.Node {
	node := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1"}}
	node.Spec.Taints = taints
	node.Status.Allocatable = v1.ResourceList{v1.ResourcePods: resource.MustParse("110"),
		v1.ResourceCPU: *resource.NewQuantity(cpu, resource.DecimalSI)}
	return node
}
