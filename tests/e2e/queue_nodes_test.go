package e2e

import (
	"fmt"
	"slices"
	"testing"

	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"berth.dev/berth/tests/e2e/harness"
)

// The label of a queue's node, and the key of its taint.
const lockedForQueue = "berth.dev/locked-for-queue"

// keepingNodes is a berthd that gives queues nodes of their own, once a second.
func keepingNodes(over map[string]any) harness.BerthOptions {
	configuration := map[string]any{
		"actions": "enqueue, allocate, backfill",
		"tiers": []any{
			map[string]any{"plugins": []any{
				map[string]any{"name": "priority"},
				map[string]any{"name": "gang"},
				map[string]any{"name": "conformance"},
			}},
			map[string]any{"plugins": []any{
				map[string]any{"name": "predicates"},
				map[string]any{"name": "proportion"},
				map[string]any{"name": "nodeorder"},
				map[string]any{"name": "node_reservation",
					"arguments": map[string]any{"relock-period": "1s"}},
			}},
		},
	}
	for key, value := range over {
		configuration[key] = value
	}
	return harness.BerthOptions{Configuration: configuration}
}

// nodesOf are this test's nodes with the queue's label.
func nodesOf(e *harness.Env, queue string) []string {
	e.Helper()
	var names []string
	for _, node := range e.Nodes() {
		if node.Labels[lockedForQueue] == queue {
			names = append(names, node.Name)
		}
	}
	slices.Sort(names)
	return names
}

// awaitNodes waits until the queue has so many nodes, and its status says the same and this about
// the demand.
func awaitNodes(e *harness.Env, queue string, count int, status, reason string) {
	e.Helper()
	e.Await(harness.Soon, func() error {
		object, err := e.Dynamic.Resource(harness.Queues).Get(e.Context, queue, meta.GetOptions{})
		if err != nil {
			return err
		}
		said, _, _ := unstructured.NestedStringSlice(object.Object, "status", "reservation", "nodes")
		labelled := nodesOf(e, queue)
		if len(labelled) != count || !slices.Equal(labelled, said) {
			return fmt.Errorf("labelled are %v, the status says %v", labelled, said)
		}
		all, _, _ := unstructured.NestedSlice(object.Object, "status", "conditions")
		for _, each := range all {
			found, _ := each.(map[string]any)
			if found["type"] == "NodesReserved" && found["status"] == status &&
				found["reason"] == reason {
				return nil
			}
		}
		return fmt.Errorf("no NodesReserved=%s, %s: %v", status, reason, all)
	})
}

// awaitNoTrace waits until nothing of a queue's lock is left on this test's nodes.
func awaitNoTrace(e *harness.Env) {
	e.Helper()
	e.Await(harness.Soon, func() error {
		for _, node := range e.Nodes() {
			_, isLabelled := node.Labels[lockedForQueue]
			_, isAnnotated := node.Annotations[lockedForQueue+"-since"]
			if isLabelled || isAnnotated || len(node.Spec.Taints) > 0 {
				return fmt.Errorf("node %q: %v %v %v", node.Name, node.Labels, node.Annotations,
					node.Spec.Taints)
			}
		}
		return nil
	})
}

// Nodes are locked, labelled and listed as the queue is edited, and opened when it is deleted.
func TestTheNodesOfAQueueFollowItsSpec(t *testing.T) {
	e := cluster.BeginWithBerth(t, keepingNodes(nil))
	e.AddNodes(4, "4")
	e.CreateObject(harness.NewQueue("own", spec{}))
	e.AwaitSessions(3)
	awaitNoTrace(e)

	e.Must(e.ChangeQueue("own", spec{"guarantee": guarantee(spec{"cpu": "6"})}))
	awaitNodes(e, "own", 2, "True", "Met")
	part := percentage(0.75)
	part["resource"] = nil
	e.Must(e.ChangeQueue("own", spec{"guarantee": part}))
	awaitNodes(e, "own", 3, "True", "Met")
	e.Must(e.ChangeQueue("own", spec{"guarantee": spec{"percentage": nil,
		"resource": spec{"cpu": "2", "example.com/unknown": "1"}}}))
	awaitNodes(e, "own", 1, "True", "Met")

	e.Must(e.ChangeQueue("own", spec{"guarantee": nil}))
	awaitNoTrace(e)
	e.AwaitQueueWithout("own", "NodesReserved")
	e.Must(e.ChangeQueue("own", spec{"guarantee": guarantee(spec{"cpu": "4"})}))
	awaitNodes(e, "own", 1, "True", "Met")
	queues := e.Dynamic.Resource(harness.Queues)
	e.Must(queues.Delete(e.Context, "own", meta.DeleteOptions{}))
	awaitNoTrace(e)
	_, err := queues.Create(e.Context,
		harness.NewQueue("own", spec{"guarantee": percentage(0.5)}), meta.CreateOptions{})
	e.Must(err) // and is cleared up like the first
	awaitNodes(e, "own", 2, "True", "Met")
}

// With taints, nobody gets onto a queue's node but who tolerates it: berthd lets the queue's pods.
func TestNodesOfAQueueThatAreTainted(t *testing.T) {
	e := cluster.BeginWithBerth(t, keepingNodes(map[string]any{
		"reservation": map[string]any{"enforce": "taint"}}))
	e.AddNodes(1, "4")
	e.CreateGangIn("default", "before", 1, true)
	e.AwaitBound("before", 1, harness.Soon)
	e.CreateObject(harness.NewQueue("own", spec{"guarantee": guarantee(spec{"cpu": "4"})}))
	awaitNodes(e, "own", 1, "False", "Waiting")
	e.Await(harness.Soon, func() error {
		taints := e.Nodes()[0].Spec.Taints
		expected := core.Taint{Key: lockedForQueue, Value: "own", Effect: core.TaintEffectNoSchedule}
		if len(taints) != 1 || taints[0] != expected {
			return fmt.Errorf("taints: %v", taints)
		}
		return nil
	})
	e.CreateGangIn("default", "other", 1, false)
	e.CreateGangIn("own", "mine", 1, false)
	e.AwaitBound("mine", 1, harness.Soon)
	e.AwaitSessions(3)
	assertNotBound(e, "other")
	e.Must(e.ChangeQueue("own", spec{"guarantee": nil}))
	awaitNoTrace(e)
	e.AwaitBound("other", 1, harness.Soon)
}
