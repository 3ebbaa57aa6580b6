package e2e

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"berth.dev/berth/tests/e2e/harness"
)

// S3: a queue gets nodes of its own.

// giving is a berthd that gives queues nodes, and chooses anew at almost every change.
func giving(over map[string]any) harness.BerthOptions {
	return harness.BerthOptions{APIURL: proxy.URL, Configuration: over,
		With: map[string]map[string]any{"node_reservation": {"relock-period": "100ms"}}}
}

// beginGiving gives the test such a berthd, behind the proxy, and the queues "kept" and "others".
func beginGiving(t *testing.T, options harness.BerthOptions) *harness.Env {
	t.Helper()
	e := cluster.BeginWithBerth(t, options)
	t.Cleanup(proxy.ReleaseAll)
	e.CreateObject(harness.NewQueue("kept", spec{}))
	e.CreateObject(harness.NewQueue("others", spec{}))
	return e
}

func inQueue(e *harness.Env, queue, name string) harness.PodBuilder {
	return harness.NewPod(e.Namespace, name).Queue(queue).Finishes()
}

func groupIn(e *harness.Env, queue, name string, minMember int64) *unstructured.Unstructured {
	group := harness.NewPodGroup(e.Namespace, name, minMember)
	group.Object["spec"].(map[string]any)["queue"] = queue
	return group
}

func all(*core.Pod) bool { return true }

// nodesOf are the nodes of all pods whose names begin so.
func nodesOf(e *harness.Env, prefix string) []string {
	var nodes []string
	for _, pod := range e.Pods(func(pod *core.Pod) bool {
		return strings.HasPrefix(pod.Name, prefix)
	}) {
		nodes = append(nodes, pod.Spec.NodeName)
	}
	slices.Sort(nodes)
	return nodes
}

// assertNotOn fails the test if a pod whose name begins so is on one of the nodes.
func assertNotOn(e *harness.Env, prefix string, nodes map[string]string) {
	e.Helper()
	for _, node := range nodesOf(e, prefix) {
		if _, is := nodes[node]; is {
			e.Errorf("a pod %s... is on %q", prefix, node)
		}
	}
}

// occupiedByOthers are four nodes of 4 cpu, with a pod of queue "others" and one that is not ours on
// each, which end some time.
func occupiedByOthers(e *harness.Env) []string {
	e.Helper()
	nodes := e.AddNodes(4, "4")
	var pods []*core.Pod
	for i, node := range nodes {
		pods = append(pods,
			inQueue(e, "others", fmt.Sprintf("old-%d", i)).On(node).Build(),
			foreign(e, fmt.Sprintf("stranger-%d", i)).CPU("1").Finishes().On(node).Build())
	}
	e.Create(pods...)
	e.AwaitRunning(pods...)
	return nodes
}

// Best-Effort: nobody is evicted and nobody else comes, so the nodes drain. The queue's pods go
// there first.
func TestQueueNodesDrainByThemselves(t *testing.T) {
	e := beginGiving(t, giving(nil))
	occupiedByOthers(e)
	before := proxy.Writes()
	e.Must(e.ChangeQueue("kept", spec{"guarantee": guarantee(spec{"cpu": "7"})}))
	kept := e.AwaitNodesOf("kept", 2)
	e.AwaitReserved("kept", "False", "Waiting", "finish")
	e.AwaitIdleForQueue("kept", "cpu", "4")
	own := slices.Sorted(maps.Keys(kept))

	elsewhere := inQueue(e, "others", "late").CPU("250m").Build()
	guest := foreign(e, "guest").Finishes().Build()
	e.CreateObject(groupIn(e, "others", "tied", 1))
	e.Create(elsewhere, guest, harness.NewPod(e.Namespace, "tied-0").Group("tied").CPU("250m").
		On(own[0]).Build())
	e.AwaitAllBound(harness.Soon, elsewhere)
	e.AwaitWaits("tied", "kept for queue kept")
	if e.Mode == harness.InPlace { // elsewhere, their kube-scheduler asks nobody
		e.AwaitAllBound(harness.Soon, guest)
		assertNotOn(e, "guest", kept)
		e.Create(foreign(e, "intruder").Finishes().On(own[0]).Build())
		e.AwaitTold("Pod", "intruder", "berth has locked this node for a queue")
	}
	assertNotOn(e, "late", kept)

	e.EndOn(own[0], all)
	e.AwaitSessions(2)
	e.AwaitReserved("kept", "False", "Waiting", "finish")
	e.AwaitQueueEvent("kept", "NodesNotReserved")
	e.EndOn(own[1], all)
	e.AwaitReserved("kept", "True", "Met")
	e.AwaitQueueEvent("kept", "NodesReserved")
	for _, pod := range e.Pods(func(pod *core.Pod) bool { return pod.Spec.NodeName != "" }) {
		e.EndOn(pod.Spec.NodeName, all) // so that all nodes are as empty
	}
	e.CreateGangIn("kept", "first", 7, true)
	e.AwaitBound("first", 7, harness.Soon)
	e.AssertNeverInPart("first", promptly)
	for _, node := range nodesOf(e, "first-") {
		if _, is := kept[node]; !is {
			t.Errorf("a pod of the queue is on %q, and %v are its own", node, own)
		}
	}
	more := []*core.Pod{inQueue(e, "kept", "more-0").Build(), inQueue(e, "kept", "more-1").Build()}
	e.Create(more...)
	e.AwaitAllBound(harness.Soon, more...) // one of them elsewhere
	e.AwaitReserved("kept", "True", "Met")
	if now := e.AwaitNodesOf("kept", 2); !maps.Equal(now, kept) {
		t.Errorf("it has %v, and had %v", now, kept)
	}
	if found := evictions(before); found != 0 || len(e.Gone()) != 0 {
		t.Errorf("%d pods were to be evicted; gone are %q", found, e.Gone())
	}
	e.AwaitPods(harness.Soon, 0, "that are tied to such a node are bound",
		func(pod *core.Pod) bool {
			return (pod.Name == "tied-0" || pod.Name == "intruder") && pod.Spec.NodeName != ""
		})
}

// Guaranteed: others are evicted until the guarantee is met, surplus first. A pod that is not ours
// and one that a budget guards stay, and no pod that is made again comes back.
func TestQueueNodesAreClearedByEvictions(t *testing.T) {
	e := beginGiving(t, giving(nil))
	e.CreateBudget("budget", "guarded", "yes", 0)
	nodes := e.AddNodes(2, "4")
	stays := []*core.Pod{foreign(e, "stranger").CPU("1").On(nodes[0]).Build(),
		harness.NewPod(e.Namespace, "guarded").Queue("others").Grace(30).Label("guarded", "yes").Build()}
	e.Create(stays...)
	e.AwaitRunning(stays...)
	e.CreateObject(groupIn(e, "others", "elastic", 1))
	elastic := harness.Members(e.Namespace, "elastic", 6,
		func(pod harness.PodBuilder) harness.PodBuilder { return pod.Grace(30) })
	e.Create(elastic...)
	e.AwaitRunning(elastic...)
	e.Recreate(elastic...)

	before := proxy.Writes()
	guaranteed := func(cpu string) {
		e.Helper()
		wanted := guarantee(spec{"cpu": cpu})
		wanted["policy"] = "Guaranteed"
		e.Must(e.ChangeQueue("kept", spec{"guarantee": wanted}))
	}
	left := func(evicted, running int) func() error {
		return func() error {
			if bound := len(e.Bound("elastic")); bound != running {
				return fmt.Errorf("%d pods of the gang are bound, not %d", bound, running)
			}
			if found := evictions(before); found != evicted || len(e.Gone()) != evicted {
				return fmt.Errorf("%d pods were to be evicted, not %d; gone are %q", found, evicted,
					e.Gone())
			}
			return nil
		}
	}
	guaranteed("5")
	e.AwaitNodesOf("kept", 2)
	e.AwaitReserved("kept", "True", "Met")
	remains(e, calm/4, left(5, 1)) // its surplus
	e.AwaitTold("Pod", e.Gone()[0], "kept")

	guaranteed("6")
	remains(e, calm/4, left(6, 0))
	e.AwaitReserved("kept", "True", "Met")

	guaranteed("7")
	e.AwaitReserved("kept", "False", "Blocked", "disruption budget")
	remains(e, calm/4, left(6, 0))
	e.AllowDisruptions("budget", 1)
	e.AwaitReserved("kept", "True", "Met")
	remains(e, calm/4, left(7, 0))
	if gone := e.Gone(); !slices.Contains(gone, "guarded") {
		t.Errorf("gone are %q", gone)
	}
	if found := nodesOf(e, "stranger"); !slices.Equal(found, nodes[:1]) {
		t.Errorf("the pod that is not ours is on %q", found)
	}

	open := e.AddNodes(1, "2")
	e.AwaitBound("elastic", 2, harness.Soon)
	for _, pod := range e.Bound("elastic") {
		if pod.Spec.NodeName != open[0] {
			t.Errorf("%q is back on %q", pod.Name, pod.Spec.NodeName)
		}
	}
}

// Where locks are taints, they keep off who asks no extender. The queue's pods tolerate them; nobody
// else's taint is lost by them.
func TestQueueNodesAreTainted(t *testing.T) {
	e := beginGiving(t, giving(map[string]any{
		"reservation": map[string]any{"enforce": "taint"}}))
	nodes := e.AddNodes(2, "4")
	e.PatchNode(nodes[0], `{"spec":{"taints":[{"key":"e2e.berth.dev/other",`+
		`"effect":"PreferNoSchedule"}]}}`)
	e.Must(e.ChangeQueue("kept", spec{"guarantee": guarantee(spec{"cpu": "8"})}))
	e.AwaitNodesOf("kept", 2)
	e.AwaitReserved("kept", "True", "Met")
	e.Await(harness.Soon, func() error {
		for _, node := range e.Nodes() {
			if !slices.ContainsFunc(node.Spec.Taints, func(taint core.Taint) bool {
				return taint == core.Taint{Key: harness.LockedForQueue, Value: "kept",
					Effect: core.TaintEffectNoSchedule}
			}) {
				return fmt.Errorf("node %q: %v", node.Name, node.Spec.Taints)
			}
		}
		return nil
	})
	e.Create(foreign(e, "stranger").Build())
	e.AwaitPods(harness.Soon, 1, "find no node", func(pod *core.Pod) bool {
		return pod.Name == "stranger" && harness.Reason(pod) == core.PodReasonUnschedulable
	})
	e.CreateGangIn("kept", "own", 8, true)
	e.AwaitBound("own", 8, harness.Soon)
	e.AssertNeverInPart("own", promptly)
	for _, pod := range e.Bound("own") {
		tolerates := len(slices.DeleteFunc(slices.Clone(pod.Spec.Tolerations),
			func(each core.Toleration) bool { return each.Key != harness.LockedForQueue }))
		// In mode view the toleration is in the copy that kube-scheduler sees.
		if tolerates > 1 || (tolerates == 0 && e.Mode == harness.InPlace) {
			t.Errorf("%q tolerates the lock %d times: %v", pod.Name, tolerates, pod.Spec.Tolerations)
		}
	}
	e.EndGang("own")
	e.Must(e.ChangeQueue("kept", spec{"guarantee": nil}))
	e.AwaitOpen()
	for _, node := range e.Nodes() {
		if isFirst := node.Name == nodes[0]; len(node.Spec.Taints) != map[bool]int{true: 1}[isFirst] {
			t.Errorf("node %q: %v", node.Name, node.Spec.Taints)
		}
	}
	e.AwaitPods(harness.Soon, 1, "of a stranger are bound", func(pod *core.Pod) bool {
		return pod.Name == "stranger" && pod.Spec.NodeName != ""
	})
}

// A node of the queue is locked for a target of the queue, too: by two taints, and the target's pods
// tolerate both.
func TestQueueNodesOfATargetOfTheQueue(t *testing.T) {
	options := giving(map[string]any{"reservation": map[string]any{"enforce": "taint"}})
	options.With["reservation"] = map[string]any{"lock": "multi-node", "nodes": 2}
	e := beginGiving(t, options)
	nodes := e.AddNodes(2, "4")
	e.Must(e.ChangeQueue("kept", spec{"guarantee": guarantee(spec{"cpu": "8"})}))
	kept := e.AwaitNodesOf("kept", 2)
	old := harness.Members(e.Namespace, "old", 2, func(pod harness.PodBuilder) harness.PodBuilder {
		return pod.CPU("3").Finishes()
	})
	e.CreateObject(groupIn(e, "kept", "old", 2))
	e.Create(old...)
	e.AwaitAllBound(harness.Soon, old...)
	group := groupIn(e, "kept", "big", 2)
	e.Recorder.WatchGang(e.Namespace, "big", 2)
	e.CreateObject(group)
	e.Create(harness.Members(e.Namespace, "big", 2, cpu("3500m"))...)
	e.AwaitLocked("big", 2)
	e.Await(harness.Soon, func() error {
		for _, node := range e.Nodes() {
			if !harness.HasTaint(&node, harness.LockedFor) ||
				!harness.HasTaint(&node, harness.LockedForQueue) {
				return fmt.Errorf("node %q: %v", node.Name, node.Spec.Taints)
			}
		}
		return nil
	})
	if now := e.AwaitNodesOf("kept", 2); !maps.Equal(now, kept) {
		t.Errorf("it has %v, and had %v", now, kept)
	}
	for _, node := range nodes {
		e.EndOn(node, all)
	}
	e.AwaitBound("big", 2, harness.Soon)
	e.AssertNeverInPart("big", promptly)
	e.Await(harness.Soon, func() error {
		for _, node := range e.Nodes() {
			if harness.HasTaint(&node, harness.LockedFor) {
				return errors.New("the target has started, and its taint is left")
			}
		}
		return nil
	})
	if now := e.AwaitNodesOf("kept", 2); !maps.Equal(now, kept) {
		t.Errorf("it has %v, and had %v", now, kept)
	}
}
