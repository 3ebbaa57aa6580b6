package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"

	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"berth.dev/berth/tests/e2e/harness"
)

// Issue 9, row 1. Volcano's job controller makes the group, whose minResources
// have keys of quotas in them, then the pods, once the group is Inqueue.
func TestAJobOfVolcanosControllerIsLetInAndBoundWhole(t *testing.T) {
	e := cluster.BeginWithBerth(t, sharing)
	e.AddNodes(2, "16")
	text, err := os.ReadFile("fixtures/volcano-job.yaml")
	e.Must(err)
	objects, err := harness.Manifests(text)
	e.Must(err)
	var pods []*core.Pod
	group := ""
	for _, object := range objects {
		switch object.GetKind() {
		case "Pod":
			pods = append(pods, podOf(e, object))
			continue
		case "PodGroup":
			group = object.GetName()
			object.SetNamespace(e.Namespace)
			e.Recorder.WatchGang(e.Namespace, group, 3)
		}
		e.CreateObject(object)
	}
	e.AwaitPhase(group, "Inqueue", harness.Soon)
	e.Create(pods...)
	e.AwaitAllBound(harness.Soon, pods...)
	e.AssertNeverInPart(group, promptly)
	e.AwaitPhase(group, "Running", harness.Soon)
	e.AwaitQueue("vision", "running", 1)
}

const otherScheduler = "other"

// otherGroup makes a PodGroup as another scheduler has it, with the phase that this one wrote.
func otherGroup(e *harness.Env, name, phase string, members int) *unstructured.Unstructured {
	e.Helper()
	group := harness.NewPodGroup(e.Namespace, name, 2)
	group.Object["spec"].(map[string]any)["queue"] = "shared"
	group.Object["spec"].(map[string]any)["minResources"] = map[string]any{"cpu": "8"}
	e.CreateObject(group)
	e.Create(harness.Members(e.Namespace, name, members,
		func(pod harness.PodBuilder) harness.PodBuilder {
			return pod.CPU("4").Scheduler(otherScheduler)
		})...)
	patch, err := json.Marshal(map[string]any{"status": map[string]any{"phase": phase}})
	e.Must(err)
	written, err := e.Dynamic.Resource(harness.PodGroups).Namespace(e.Namespace).Patch(e.Context,
		name, types.MergePatchType, patch, meta.PatchOptions{}, "status")
	e.Must(err)
	return written
}

// Issue 9, row 2. Another scheduler runs on beside us: its groups, and those that nobody claims, are
// never written, counted or elected, and no node is kept for them; what its pods take is taken.
func TestGroupsOfAnotherSchedulerAreLeftAlone(t *testing.T) {
	e := cluster.BeginWithBerth(t, reserving(nil,
		map[string]any{"schedulerNames": []string{harness.SchedulerName}}))
	nodes := e.AddNodes(4, "4")
	e.CreateObject(harness.NewQueue("shared", spec{}))
	groups := []*unstructured.Unstructured{
		otherGroup(e, "running", "Running", 2),
		otherGroup(e, "waiting", "Inqueue", 2),
		otherGroup(e, "unclaimed", "Pending", 0),
	}
	for i := range 2 {
		pod := fmt.Sprintf("running-%d", i)
		e.Must(e.Client.CoreV1().Pods(e.Namespace).Bind(e.Context, &core.Binding{
			ObjectMeta: meta.ObjectMeta{Namespace: e.Namespace, Name: pod},
			Target:     core.ObjectReference{Kind: "Node", Name: nodes[i]},
		}, meta.CreateOptions{}))
	}
	e.AwaitBound("running", 2, harness.Soon)

	e.CreateGangIn("shared", "ours", 2, true)
	e.AwaitBound("ours", 2, harness.Soon)
	for _, pod := range e.Bound("ours") {
		if pod.Spec.NodeName == nodes[0] || pod.Spec.NodeName == nodes[1] {
			t.Errorf("%q is bound to %q, which is full", pod.Name, pod.Spec.NodeName)
		}
	}
	// Amid ours that wait, so that sessions have something to elect.
	e.CreateGang("big", 2, 2, cpu("4"))
	e.AwaitTargeted("big", "True", "Locked")
	e.AwaitSessions(5)
	e.AwaitQueue("shared", "running", 1)
	e.AwaitQueue("shared", "inqueue", 0)
	e.AwaitQueue("shared", "pending", 0)
	holder := "job." + string(e.GroupUID("big"))
	for _, node := range e.Nodes() {
		if found, is := node.Labels[harness.LockedFor]; is && found != holder {
			t.Errorf("%q is locked for %q", node.Name, found)
		}
	}
	for _, before := range groups {
		now, err := e.Dynamic.Resource(harness.PodGroups).Namespace(e.Namespace).Get(e.Context,
			before.GetName(), meta.GetOptions{})
		e.Must(err)
		if now.GetResourceVersion() != before.GetResourceVersion() {
			t.Errorf("%q was written: %v", now.GetName(), now.Object)
		}
	}
	events, err := e.Client.CoreV1().Events(e.Namespace).List(e.Context, meta.ListOptions{})
	e.Must(err)
	for _, event := range events.Items {
		about := event.InvolvedObject
		if about.Kind == "PodGroup" && about.Name != "ours" && about.Name != "big" {
			t.Errorf("an event about %q: %s", about.Name, event.Message)
		}
	}
}
