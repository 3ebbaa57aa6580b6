package harness

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	core "k8s.io/api/core/v1"
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

// PatchQueue merges into a Queue's spec, as the user of the client; with meta.DryRunAll, it only
// tries whether it may.
func PatchQueue(ctx context.Context, queues dynamic.ResourceInterface, name string,
	spec map[string]any, dryRun ...string) error {
	patch, err := json.Marshal(map[string]any{"spec": spec})
	if err != nil {
		return err
	}
	_, err = queues.Patch(ctx, name, types.MergePatchType, patch, meta.PatchOptions{DryRun: dryRun})
	return err
}

// ChangeQueue merges into a Queue's spec; null takes a field out.
func (e *Env) ChangeQueue(name string, spec map[string]any, dryRun ...string) error {
	return PatchQueue(e.Context, e.Dynamic.Resource(Queues), name, spec, dryRun...)
}

// CreateGangIn makes a PodGroup in the queue, and `count` members of 1 cpu of which it wants all.
// With `sized`, it says so in minResources and is voted on before it is let in.
func (e *Env) CreateGangIn(queue, name string, count int, sized bool) {
	e.Helper()
	group := NewPodGroup(e.Namespace, name, int64(count))
	spec := group.Object["spec"].(map[string]any)
	spec["queue"] = queue
	if sized {
		spec["minResources"] = map[string]any{"cpu": int64(count)}
	}
	e.Recorder.WatchGang(e.Namespace, name, count)
	e.CreateObject(group)
	e.Create(Members(e.Namespace, name, count, func(pod PodBuilder) PodBuilder { return pod })...)
}

// EndGang deletes a PodGroup and its pods, as if they had run.
func (e *Env) EndGang(name string) {
	e.Helper()
	e.Must(e.Dynamic.Resource(PodGroups).Namespace(e.Namespace).Delete(e.Context, name,
		meta.DeleteOptions{}))
	for _, pod := range e.Pods(func(pod *core.Pod) bool {
		return groupKeyOf(pod) == e.Namespace+"/"+name
	}) {
		e.Delete(pod.Name)
	}
}

// AwaitQueueAmount waits until the Queue's status says so much of `what`, such as deserved.
func (e *Env) AwaitQueueAmount(queue, what, resource, amount string) {
	e.Helper()
	e.Await(Soon, func() error {
		object, err := e.Dynamic.Resource(Queues).Get(e.Context, queue, meta.GetOptions{})
		if err != nil {
			return err
		}
		found, _, _ := unstructured.NestedString(object.Object, "status", what, resource)
		if found != amount {
			return fmt.Errorf("queue %q: %s of %s is %q, not %q: %v", queue, what, resource, found,
				amount, object.Object["status"])
		}
		return nil
	})
}

// AwaitWaits waits until the PodGroup's condition says, in these words, why it waits.
func (e *Env) AwaitWaits(group, words string) {
	e.Helper()
	e.Await(Soon, func() error {
		object := e.Recorder.Group(e.Namespace, group)
		if object == nil {
			return fmt.Errorf("no PodGroup %q", group)
		}
		if says(object, "Unschedulable", "True", words) {
			return nil
		}
		return fmt.Errorf("PodGroup %q does not wait because %q: %v", group, words,
			object.Object["status"])
	})
}

// AwaitQueueNotReady waits until the Queue's condition says, in these words, why it is not served.
func (e *Env) AwaitQueueNotReady(name, words string) {
	e.Helper()
	e.AwaitQueueDenies(name, "Ready", words)
}

// AwaitQueueDenies waits until the condition is False, with these words in its message.
func (e *Env) AwaitQueueDenies(name, condition, words string) {
	e.Helper()
	e.Await(Soon, func() error {
		object, err := e.Dynamic.Resource(Queues).Get(e.Context, name, meta.GetOptions{})
		if err != nil {
			return err
		}
		if says(object, condition, "False", words) {
			return nil
		}
		return fmt.Errorf("queue %q is not said to lack %s because %q: %v", name, condition, words,
			object.Object["status"])
	})
}

// AwaitQueueWithout waits until the queue does not have the condition at all.
func (e *Env) AwaitQueueWithout(name, condition string) {
	e.Helper()
	e.Await(Soon, func() error {
		object, err := e.Dynamic.Resource(Queues).Get(e.Context, name, meta.GetOptions{})
		if err != nil {
			return err
		}
		if !says(object, condition, "False", "") && !says(object, condition, "True", "") {
			return nil
		}
		return fmt.Errorf("queue %q has the condition %s: %v", name, condition,
			object.Object["status"])
	})
}

func says(object *unstructured.Unstructured, condition, status, words string) bool {
	all, _, _ := unstructured.NestedSlice(object.Object, "status", "conditions")
	for _, each := range all {
		found, _ := each.(map[string]any)
		message, _ := found["message"].(string)
		if found["type"] == condition && found["status"] == status {
			return strings.Contains(message, words)
		}
	}
	return false
}

// Message is that of the PodGroup's condition, "" unless it is True.
func (e *Env) Message(group, condition string) string {
	return e.messageWith(group, condition, "True")
}

// Denial is that of a condition that does not hold.
func (e *Env) Denial(group, condition string) string {
	return e.messageWith(group, condition, "False")
}

func (e *Env) messageWith(group, condition, status string) string {
	object := e.Recorder.Group(e.Namespace, group)
	if object == nil {
		return ""
	}
	all, _, _ := unstructured.NestedSlice(object.Object, "status", "conditions")
	for _, each := range all {
		found, _ := each.(map[string]any)
		if found["type"] == condition && found["status"] == status {
			message, _ := found["message"].(string)
			return message
		}
	}
	return ""
}
