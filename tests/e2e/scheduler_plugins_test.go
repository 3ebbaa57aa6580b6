package e2e

import (
	"fmt"
	"os"
	"strings"
	"testing"

	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"berth.dev/berth/tests/e2e/harness"
)

var (
	otherVersion = schema.GroupVersion{Group: "scheduling.x-k8s.io", Version: "v1alpha1"}
	otherGroups  = otherVersion.WithResource("podgroups")
	definitions  = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1",
		Resource: "customresourcedefinitions"}
)

// defineOtherGroups installs the PodGroup of scheduler-plugins for the time of the test.
func defineOtherGroups(t *testing.T) {
	t.Helper()
	define(t, "podgroups.scheduling.x-k8s.io.yaml", otherGroups)
}

// define installs definitions of others, and waits until these kinds of them are served.
func define(t *testing.T, file string, kinds ...schema.GroupVersionResource) {
	t.Helper()
	text, err := os.ReadFile("fixtures/definitions/" + file)
	if err != nil {
		t.Fatal(err)
	}
	objects, err := harness.Manifests(text)
	if err != nil {
		t.Fatal(err)
	}
	if err := cluster.Apply(t.Context(), objects); err != nil {
		t.Fatal(err)
	}
	for _, kind := range kinds {
		if err := cluster.Recorder.Await(t.Context(), harness.Soon, func() error {
			_, err := cluster.Dynamic.Resource(kind).List(t.Context(), meta.ListOptions{})
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
}

// createOtherGang makes a group of scheduling.x-k8s.io, and members that have its label.
func createOtherGang(e *harness.Env, name string, count int) []*core.Pod {
	e.Helper()
	e.Recorder.WatchGang(e.Namespace, name, count)
	group := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": otherVersion.String(), "kind": "PodGroup",
		"metadata": map[string]any{"namespace": e.Namespace, "name": name},
		"spec":     map[string]any{"minMember": int64(count), "scheduleTimeoutSeconds": int64(10)},
	}}
	_, err := e.Dynamic.Resource(otherGroups).Namespace(e.Namespace).Create(e.Context, group,
		meta.CreateOptions{})
	e.Must(err)
	var pods []*core.Pod
	for i := range count {
		pods = append(pods, harness.NewPod(e.Namespace, fmt.Sprintf("%s-%d", name, i)).CPU("1").
			Label("scheduling.x-k8s.io/pod-group", name).Build())
	}
	e.Create(pods...)
	return pods
}

// awaitOtherRunning waits until the group's status says that it runs with so many members.
func awaitOtherRunning(e *harness.Env, name string, count int64) *unstructured.Unstructured {
	e.Helper()
	var group *unstructured.Unstructured
	e.Await(harness.Soon, func() (err error) {
		group, err = e.Dynamic.Resource(otherGroups).Namespace(e.Namespace).Get(e.Context, name,
			meta.GetOptions{})
		if err != nil {
			return err
		}
		phase, _, _ := unstructured.NestedString(group.Object, "status", "phase")
		running, _, _ := unstructured.NestedInt64(group.Object, "status", "running")
		if phase != "Running" || running != count {
			return fmt.Errorf("the group is %q with %d running, expected %d", phase, running, count)
		}
		return nil
	})
	return group
}

// awaitOtherTold waits for an event on the group, of that kind, that begins so.
func awaitOtherTold(e *harness.Env, name, beginning string) {
	e.Helper()
	e.Await(harness.Soon, func() error {
		events, err := e.Client.CoreV1().Events(e.Namespace).List(e.Context, meta.ListOptions{})
		if err != nil {
			return err
		}
		for _, event := range events.Items {
			about := event.InvolvedObject
			if about.APIVersion == otherVersion.String() && about.Name == name &&
				strings.HasPrefix(event.Message, beginning) {
				return nil
			}
		}
		return fmt.Errorf("no event on group %q begins with %q", name, beginning)
	})
}

// perPod is the last write for each pod of a mode before kube-scheduler's.
var perPod = map[string]harness.Kind{
	harness.InPlace: harness.Commits, harness.ThroughView: harness.Bindings}

// A gang of scheduler-plugins' kind waits until it has room, is bound whole, and its status says so.
func TestGangOfSchedulerPlugins(t *testing.T) {
	defineOtherGroups(t)
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	e.AddNodes(1, "4")
	pods := createOtherGang(e, "gang", 6)
	awaitOtherTold(e, "gang", "its minimum needs 6 cpu, and the whole cluster can give it at most 4")
	e.AddNodes(1, "4")
	e.AwaitAllBound(harness.Soon, pods...)
	e.AssertNeverInPart("gang", promptly)
	group := awaitOtherRunning(e, "gang", 6)
	started, _, _ := unstructured.NestedString(group.Object, "status", "scheduleStartTime")
	if started == "" {
		t.Error("the group has no scheduleStartTime")
	}
}

// berthd is killed while it has the gang bound: the next one goes on with it.
func TestGangOfSchedulerPluginsAfterACrash(t *testing.T) {
	defineOtherGroups(t)
	for _, pass := range []int{0, 3} {
		t.Run(fmt.Sprintf("after %d writes", pass), func(t *testing.T) {
			e, proxy := beginBehindProxy(t)
			e.AddNodes(3, "4")
			hold := proxy.Hold(perPod[cluster.Mode], pass)
			pods := createOtherGang(e, "gang", 6)
			await(t, hold)
			e.Berth.Kill()
			hold.Abandon()
			e.Must(e.Berth.Start(e.Context))
			e.AwaitAllBound(2*harness.Soon, pods...)
			e.AssertNeverInPart("gang", harness.BarrierLimit)
			awaitOtherRunning(e, "gang", 6)
			e.AssertRoom(6, "1")
		})
	}
}
