package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"berth.dev/berth/tests/e2e/harness"
)

// Each fixture is what a controller creates for Volcano or Berth, as it is but for the namespace.
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
			e.Cleanup(func() { e.Must(dropFinalizers(e)) })
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

// dropFinalizers does what those would do who wrote them, when pods are to go.
func dropFinalizers(e *harness.Env) error {
	pods := e.Client.CoreV1().Pods(e.Namespace)
	all, err := pods.List(e.Context, meta.ListOptions{})
	if err != nil {
		return err
	}
	return harness.InParallel(len(all.Items), func(i int) error {
		_, err := pods.Patch(e.Context, all.Items[i].Name, types.MergePatchType,
			[]byte(`{"metadata":{"finalizers":null}}`), meta.PatchOptions{})
		return err
	})
}

func podOf(e *harness.Env, object *unstructured.Unstructured) *core.Pod {
	pod := &core.Pod{}
	e.Must(runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, pod))
	pod.Namespace = e.Namespace
	return pod
}
