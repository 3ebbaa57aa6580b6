package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"berth.dev/berth/tests/e2e/harness"
)

// Each fixture is what an operator creates for Volcano, taken as it is but for the namespace.
func TestOperators(t *testing.T) {
	files, err := filepath.Glob("fixtures/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			e := cluster.BeginWithBerth(t, harness.BerthOptions{})
			e.AddNodes(2, "16")
			text, err := os.ReadFile(file)
			e.Must(err)
			objects, err := harness.Manifests(text)
			e.Must(err)
			var pods []*core.Pod
			for _, object := range objects {
				if object.GetKind() == "Pod" {
					pods = append(pods, podOf(e, object))
					continue
				}
				if object.GetKind() == "PodGroup" {
					minMember, _, _ := unstructured.NestedInt64(object.Object, "spec", "minMember")
					e.Recorder.WatchGang(e.Namespace, object.GetName(), int(minMember))
					object.SetNamespace(e.Namespace)
				}
				e.CreateObject(object)
			}
			e.Create(pods...)
			e.AwaitAllBound(harness.Soon, pods...)
			for _, object := range objects {
				switch object.GetKind() {
				case "PodGroup":
					e.AssertNeverInPart(object.GetName(), promptly)
					e.AwaitPhase(object.GetName(), "Running", harness.Soon)
				case "Queue":
					e.AwaitQueue(object.GetName(), "running", 1)
				}
			}
		})
	}
}

func podOf(e *harness.Env, object *unstructured.Unstructured) *core.Pod {
	pod := &core.Pod{}
	e.Must(runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, pod))
	pod.Namespace = e.Namespace
	return pod
}
