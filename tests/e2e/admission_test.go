package e2e

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	core "k8s.io/api/core/v1"
	rbac "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"berth.dev/berth/tests/e2e/harness"
)

// A job that is more important than those that have the cluster is admitted, although the cluster is
// full, and gets their room.

// inSeconds is a deadline for what takes a few seconds on an idle machine.
const inSeconds = 30 * time.Second

// fill makes so many pods of 1 cpu and the lowest priority in the queue, and waits until they run.
func fill(e *harness.Env, queue string, count int) {
	e.Helper()
	var names []string
	for i := range count {
		names = append(names, fmt.Sprintf("low-%d", i))
	}
	createSingles(e, func(pod harness.PodBuilder) harness.PodBuilder {
		return pod.Queue(queue)
	}, names...)
}

// assertLeft waits until exactly so many of these were evicted, and asserts that no more are.
func assertLeft(e *harness.Env, since map[string]int, evicted, left int) {
	e.Helper()
	remains(e, calm/2, func() error {
		low := e.Pods(func(pod *core.Pod) bool { return strings.HasPrefix(pod.Name, "low-") })
		if found := evictions(since); found != evicted || len(low) != left {
			return fmt.Errorf("%d pods were to be evicted, not %d; %d are left, not %d", found,
				evicted, len(low), left)
		}
		return nil
	})
}

func TestAPlainPodPreemptsOnAFullCluster(t *testing.T) {
	e := beginEvicting(t)
	e.AddNodes(2, "2")
	high := e.CreatePriority("high", 1000, core.PreemptLowerPriority)
	fill(e, "default", 4)
	before := proxy.Writes()
	urgent := harness.NewPod(e.Namespace, "urgent").Priority(high).Build()
	e.Create(urgent)
	e.AwaitAllBound(inSeconds, urgent)
	assertLeft(e, before, 1, 3)
}

// Volcano's job controller and Kubeflow's training operator make the pods of a group once it is
// Inqueue. The group says what they will ask for, and its class, which its namespace may name
// (MAY-12).
func TestAJobOfAnOperatorPreemptsOnAFullCluster(t *testing.T) {
	for _, each := range []struct {
		file, queue   string
		evicted, left int
	}{
		{"volcano-job", "vision", 5, 3},       // 5 cpu
		{"kubeflow-pytorch", "default", 6, 2}, // 6 cpu
	} {
		t.Run(each.file, func(t *testing.T) {
			e := beginEvicting(t)
			e.AddNodes(2, "4")
			high := e.CreatePriority("high", 1000, core.PreemptLowerPriority)
			allowRules(e, e.Namespace+"-name", rbac.Subject{APIGroup: rbac.GroupName, Kind: "Group",
				Name: "system:serviceaccounts:" + e.Namespace},
				rbac.PolicyRule{APIGroups: []string{"scheduling.k8s.io"}, Verbs: []string{"name"},
					Resources: []string{"priorityclasses"}, ResourceNames: []string{high}})
			text, err := os.ReadFile("fixtures/" + each.file + ".yaml")
			e.Must(err)
			objects, err := harness.Manifests(text)
			e.Must(err)
			var pods []*core.Pod
			var group *unstructured.Unstructured
			for _, object := range objects {
				switch object.GetKind() {
				case "Pod":
					pod := podOf(e, object)
					pod.Spec.PriorityClassName = high
					pods = append(pods, pod)
				case "PodGroup":
					group = object
				default:
					e.CreateObject(object)
				}
			}
			fill(e, each.queue, 8)
			before := proxy.Writes()
			group.SetNamespace(e.Namespace)
			group.Object["spec"].(map[string]any)["priorityClassName"] = high
			e.Recorder.WatchGang(e.Namespace, group.GetName(), len(pods))
			e.CreateObject(group)
			e.AwaitPhase(group.GetName(), "Inqueue", inSeconds)
			e.Create(pods...)
			e.AwaitAllBound(inSeconds, pods...)
			assertLeft(e, before, each.evicted, each.left)
			e.AssertNeverInPart(group.GetName(), promptly)
		})
	}
}
