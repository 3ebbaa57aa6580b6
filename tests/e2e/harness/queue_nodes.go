package harness

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// What berthd writes on the nodes of queues.
const (
	LockedForQueue      = "berth.dev/locked-for-queue" // label of a node, and key of its taint
	LockedForQueueSince = "berth.dev/locked-for-queue-since"
)

// AwaitNodesOf waits until exactly so many of this test's nodes are the queue's, by their labels and
// by the status of the queue. Returns by name since when each is.
func (e *Env) AwaitNodesOf(queue string, count int) map[string]string {
	e.Helper()
	var since map[string]string
	e.Await(Soon, func() error {
		since = map[string]string{}
		for _, node := range e.Nodes() {
			if owner, is := node.Labels[LockedForQueue]; is && owner == queue {
				since[node.Name] = node.Annotations[LockedForQueueSince]
			}
		}
		if len(since) != count {
			return fmt.Errorf("queue %q has %d nodes, not %d: %v", queue, len(since), count, since)
		}
		object, err := e.Dynamic.Resource(Queues).Get(e.Context, queue, meta.GetOptions{})
		if err != nil {
			return err
		}
		said, _, _ := unstructured.NestedStringSlice(object.Object, "status", "reservation", "nodes")
		if !slices.Equal(said, slices.Sorted(maps.Keys(since))) {
			return fmt.Errorf("queue %q is said to have %v, not %v", queue, said, since)
		}
		return nil
	})
	for name, text := range since {
		if _, err := time.Parse(time.RFC3339Nano, text); err != nil {
			e.Errorf("node %q: %v", name, err)
		}
	}
	return since
}

// AwaitReserved waits until the queue's condition NodesReserved has this status and reason, and all
// these words.
func (e *Env) AwaitReserved(queue, status, reason string, words ...string) {
	e.Helper()
	e.Await(Soon, func() error {
		object, err := e.Dynamic.Resource(Queues).Get(e.Context, queue, meta.GetOptions{})
		if err != nil {
			return err
		}
		all, _, _ := unstructured.NestedSlice(object.Object, "status", "conditions")
		for _, each := range all {
			found, _ := each.(map[string]any)
			message, _ := found["message"].(string)
			if found["type"] == "NodesReserved" && found["status"] == status &&
				found["reason"] == reason && !slices.ContainsFunc(words, func(word string) bool {
				return !strings.Contains(message, word)
			}) {
				return nil
			}
		}
		return fmt.Errorf("queue %q is not NodesReserved=%s, %s, %q: %v", queue, status, reason,
			words, object.Object["status"])
	})
}

// AwaitQueueEvent waits until an event on the queue has this reason. Objects without a namespace
// have their events in the namespace default.
func (e *Env) AwaitQueueEvent(queue, reason string) {
	e.Helper()
	e.Await(Soon, func() error {
		object, err := e.Dynamic.Resource(Queues).Get(e.Context, queue, meta.GetOptions{})
		if err != nil {
			return err
		}
		events, err := e.Client.CoreV1().Events("default").List(e.Context, meta.ListOptions{
			FieldSelector: "involvedObject.kind=Queue,reason=" + reason +
				",involvedObject.uid=" + string(object.GetUID())})
		if err == nil && len(events.Items) == 0 {
			err = fmt.Errorf("no event %s on the queue %q", reason, queue)
		}
		return err
	})
}

// AwaitIdleForQueue waits until the queue's status says that so much of its nodes is idle. An amount
// is written again ten seconds after the last at the soonest.
func (e *Env) AwaitIdleForQueue(queue, resource, amount string) {
	e.Helper()
	e.Await(Soon, func() error {
		object, err := e.Dynamic.Resource(Queues).Get(e.Context, queue, meta.GetOptions{})
		if err != nil {
			return err
		}
		found, _, _ := unstructured.NestedString(object.Object, "status", "reservation", "resource",
			resource)
		if found != amount {
			return fmt.Errorf("queue %q: %q %s is idle, not %q: %v", queue, found, resource, amount,
				object.Object["status"])
		}
		return nil
	})
}

// AwaitNothingReserved waits until the queue's status has no word of nodes.
func (e *Env) AwaitNothingReserved(queue string) {
	e.Helper()
	e.AwaitQueueWithout(queue, "NodesReserved")
	e.Await(Soon, func() error {
		object, err := e.Dynamic.Resource(Queues).Get(e.Context, queue, meta.GetOptions{})
		if err != nil {
			return err
		}
		if found, is, _ := unstructured.NestedMap(object.Object, "status", "reservation"); is {
			return fmt.Errorf("queue %q: %v", queue, found)
		}
		return nil
	})
}

// EndOn has all pods on the node that satisfy the condition succeed.
func (e *Env) EndOn(node string, condition func(*core.Pod) bool) {
	e.Helper()
	for _, pod := range e.Pods(func(pod *core.Pod) bool {
		return pod.Spec.NodeName == node && condition(pod)
	}) {
		_, err := e.Client.CoreV1().Pods(e.Namespace).Patch(e.Context, pod.Name,
			types.StrategicMergePatchType, []byte(`{"status":{"phase":"Succeeded"}}`),
			meta.PatchOptions{}, "status")
		e.Must(err)
	}
}
