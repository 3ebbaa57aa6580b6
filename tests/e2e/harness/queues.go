package harness

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
)

// NewQueue is a Queue with this spec.
func NewQueue(name string, spec map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": GroupVersion.String(), "kind": "Queue",
		"metadata": map[string]any{"name": name}, "spec": spec,
	}}
}

// PatchQueue merges into a Queue's spec, as the user of the client.
func PatchQueue(ctx context.Context, queues dynamic.ResourceInterface, name string,
	spec map[string]any) error {
	patch, err := json.Marshal(map[string]any{"spec": spec})
	if err != nil {
		return err
	}
	_, err = queues.Patch(ctx, name, types.MergePatchType, patch, meta.PatchOptions{})
	return err
}

// ChangeQueue merges into a Queue's spec; null takes a field out.
func (e *Env) ChangeQueue(name string, spec map[string]any) error {
	return PatchQueue(e.Context, e.Dynamic.Resource(Queues), name, spec)
}

// AwaitReason waits until the PodGroup waits for this reason, a code, and returns the sentence.
func (e *Env) AwaitReason(group, reason string, within time.Duration) string {
	e.Helper()
	var sentence string
	e.Await(within, func() error {
		object := e.Recorder.Group(e.Namespace, group)
		if object == nil {
			return fmt.Errorf("no PodGroup %q", group)
		}
		all, _, _ := unstructured.NestedSlice(object.Object, "status", "conditions")
		for _, each := range all {
			found, _ := each.(map[string]any)
			if found["status"] == "True" && found["reason"] == reason {
				sentence, _ = found["message"].(string)
				return nil
			}
		}
		return fmt.Errorf("PodGroup %q does not wait because of %q: %v", group, reason,
			object.Object["status"])
	})
	return sentence
}
