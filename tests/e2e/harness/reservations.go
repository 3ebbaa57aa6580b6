package harness

import (
	"fmt"
	"slices"
	"time"

	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// What berthd writes about targets and locks.
const (
	LockedFor   = "berth.dev/locked-for" // label of a node, and key of its taint
	LockedSince = "berth.dev/locked-since"
	Target      = "berth.dev/target"
	TargetSince = "berth.dev/target-since"
	TargetWhy   = "berth.dev/target-why"
	FirstSeen   = "berth.dev/first-seen"
)

// Nodes are those of this test, as they are now.
func (e *Env) Nodes() []core.Node {
	e.Helper()
	list, err := e.Client.CoreV1().Nodes().List(e.Context,
		meta.ListOptions{LabelSelector: PoolLabel + "=" + e.Namespace})
	e.Must(err)
	return list.Items
}

// PatchNode merges into a node.
func (e *Env) PatchNode(name, patch string) {
	e.Helper()
	_, err := e.Client.CoreV1().Nodes().Patch(e.Context, name, types.StrategicMergePatchType,
		[]byte(patch), meta.PatchOptions{})
	e.Must(err)
}

// AwaitLocked waits until exactly so many of this test's nodes are locked, for this PodGroup, and
// returns them.
func (e *Env) AwaitLocked(group string, count int) []core.Node {
	e.Helper()
	holder := "job." + string(e.GroupUID(group))
	var locked []core.Node
	e.Await(Soon, func() error {
		locked = nil
		for _, node := range e.Nodes() {
			if found, is := node.Labels[LockedFor]; is && found != holder {
				return fmt.Errorf("node %q is locked for %q, not %q", node.Name, found, holder)
			} else if is {
				locked = append(locked, node)
			}
		}
		if len(locked) != count {
			return fmt.Errorf("%d nodes are locked, not %d", len(locked), count)
		}
		return nil
	})
	for _, node := range locked {
		if _, err := time.Parse(time.RFC3339Nano, node.Annotations[LockedSince]); err != nil {
			e.Errorf("node %q: %v", node.Name, err)
		}
	}
	return locked
}

// AwaitOpen waits until nothing of a lock is left on this test's nodes.
func (e *Env) AwaitOpen() {
	e.Helper()
	e.Await(Soon, func() error {
		for _, node := range e.Nodes() {
			for _, key := range []string{LockedFor, LockedSince, LockedForQueue, LockedForQueueSince} {
				_, isLabelled := node.Labels[key]
				_, isAnnotated := node.Annotations[key]
				if isLabelled || isAnnotated || HasTaint(&node, key) {
					return fmt.Errorf("node %q is locked: %v %v %v", node.Name, node.Labels,
						node.Annotations, node.Spec.Taints)
				}
			}
		}
		return nil
	})
}

// HasTaint tells whether the node has a taint with this key.
func HasTaint(node *core.Node, key string) bool {
	return slices.ContainsFunc(node.Spec.Taints,
		func(taint core.Taint) bool { return taint.Key == key })
}

// GroupUID is that of a PodGroup which exists.
func (e *Env) GroupUID(group string) types.UID {
	e.Helper()
	object, err := e.Dynamic.Resource(PodGroups).Namespace(e.Namespace).Get(e.Context, group,
		meta.GetOptions{})
	e.Must(err)
	return object.GetUID()
}

// AwaitAnnotations waits until the PodGroup has all these annotations, and returns what they say.
func (e *Env) AwaitAnnotations(group string, keys ...string) map[string]string {
	e.Helper()
	var found map[string]string
	e.Await(Soon, func() error {
		object := e.Recorder.Group(e.Namespace, group)
		if object == nil {
			return fmt.Errorf("no PodGroup %q", group)
		}
		found = object.GetAnnotations()
		for _, key := range keys {
			if found[key] == "" {
				return fmt.Errorf("PodGroup %q has no %q: %v", group, key, found)
			}
		}
		return nil
	})
	return found
}

// AwaitUnmarked waits until the PodGroup has no word of ours that it is a target.
func (e *Env) AwaitUnmarked(group string) {
	e.Helper()
	e.Await(Soon, func() error {
		found := e.Recorder.Group(e.Namespace, group).GetAnnotations()
		for _, key := range []string{TargetSince, TargetWhy} {
			if _, is := found[key]; is {
				return fmt.Errorf("PodGroup %q: %v", group, found)
			}
		}
		if found[Target] == "elected" {
			return fmt.Errorf("PodGroup %q is still marked: %v", group, found)
		}
		return nil
	})
}

// AwaitTargeted waits until the PodGroup's condition Targeted has this status and reason, and
// returns its message.
func (e *Env) AwaitTargeted(group, status, reason string) string {
	e.Helper()
	var message string
	e.Await(Soon, func() error {
		object := e.Recorder.Group(e.Namespace, group)
		if object == nil {
			return fmt.Errorf("no PodGroup %q", group)
		}
		all, _, _ := unstructured.NestedSlice(object.Object, "status", "conditions")
		for _, each := range all {
			found, _ := each.(map[string]any)
			if found["type"] == "Targeted" && found["status"] == status && found["reason"] == reason {
				message, _ = found["message"].(string)
				return nil
			}
		}
		return fmt.Errorf("PodGroup %q is not Targeted=%s, %s: %v", group, status, reason, all)
	})
	return message
}

// AwaitReason waits until the user has been told about the object for this reason, and returns the
// message.
func (e *Env) AwaitReason(kind, name, reason string) string {
	e.Helper()
	var message string
	e.Await(Soon, func() error {
		events, err := e.Client.CoreV1().Events(e.Namespace).List(e.Context, meta.ListOptions{
			FieldSelector: "involvedObject.kind=" + kind + ",involvedObject.name=" + name +
				",reason=" + reason})
		if err != nil {
			return err
		}
		if len(events.Items) == 0 {
			return fmt.Errorf("no event %s about %s %q", reason, kind, name)
		}
		message = events.Items[0].Message
		return nil
	})
	return message
}
