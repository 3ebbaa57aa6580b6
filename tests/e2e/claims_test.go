package e2e

import (
	"fmt"
	"testing"

	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"berth.dev/berth/tests/e2e/harness"
)

const claims = "berth.dev/claims"

// A pod takes long to end, and its room is promised to a gang. Another berthd keeps the room for
// the gang, also from a pod of a higher priority that has come meanwhile.
func TestAClaimAcrossARestart(t *testing.T) {
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	e.AddNodes(1, "2")
	old := harness.NewPod(e.Namespace, "old").Build()
	old.Finalizers = []string{"e2e.berth.dev/not-yet"}
	e.Create(old)
	letGo := func() error {
		_, err := e.Client.CoreV1().Pods(e.Namespace).Patch(e.Context, "old", types.MergePatchType,
			[]byte(`{"metadata":{"finalizers":null}}`), meta.PatchOptions{})
		return err
	}
	e.Cleanup(func() { _ = letGo() })
	e.AwaitAllBound(harness.Soon, old)
	e.Delete("old")
	e.CreateGang("gang", 2, 2, cpu("1"))
	e.AwaitAnnotations("gang", claims)

	e.Berth.Kill()
	e.CreateObject(&unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
		"metadata": map[string]any{"name": e.Namespace}, "value": int64(1000)}})
	late := harness.NewPod(e.Namespace, "late").Build()
	late.Spec.PriorityClassName = e.Namespace
	e.Await(harness.Soon, func() error { // the API server's admission hears of the class a moment later
		_, err := e.Client.CoreV1().Pods(e.Namespace).Create(e.Context, late, meta.CreateOptions{})
		return err
	})
	e.Must(e.Berth.Start(e.Context))
	e.Must(e.Berth.AwaitReady(e.Context))
	e.AwaitSessions(3)
	e.Must(letGo())
	e.AwaitBound("gang", 2, harness.Soon)
	e.AssertNeverInPart("gang", promptly)
	e.Await(harness.Soon, func() error {
		if text := e.Recorder.Group(e.Namespace, "gang").GetAnnotations()[claims]; text != "" {
			return fmt.Errorf("the gang is placed, and claims %q", text)
		}
		return nil
	})
}
