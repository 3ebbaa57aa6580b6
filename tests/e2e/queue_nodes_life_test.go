package e2e

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	meta "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/e2e/harness"
)

// Nodes of queues while users edit queues and nodes, berthd dies, and nothing happens.

// Everything follows a queue's guarantee while it is edited: labels, status, condition.
func TestQueueNodesFollowTheGuarantee(t *testing.T) {
	e := beginGiving(t, giving(nil))
	occupiedByOthers(e)
	before := proxy.Writes()
	edit := func(what string, guarantee spec, nodes int, status, reason string,
		words ...string) map[string]string {
		e.Helper()
		start := time.Now()
		e.Must(e.ChangeQueue("kept", spec{"guarantee": guarantee}))
		e.AwaitReserved("kept", status, reason, words...)
		found := e.AwaitNodesOf("kept", nodes)
		t.Logf("%s: after %v", what, time.Since(start).Round(10*time.Millisecond))
		return found
	}
	first := edit("given", guarantee(spec{"cpu": "4"}), 1, "False", "Waiting", "finish")
	raised := edit("raised", guarantee(spec{"cpu": "9"}), 3, "False", "Waiting", "finish")
	for name, since := range first {
		if raised[name] != since {
			t.Errorf("it had %v, and has %v", first, raised)
		}
	}
	lowered := edit("lowered", guarantee(spec{"cpu": "3"}), 1, "False", "Waiting", "finish")
	for name, since := range lowered {
		if raised[name] != since {
			t.Errorf("it had %v, and has %v", raised, lowered)
		}
	}
	if found := evictions(before); found != 0 {
		t.Errorf("%d pods were to be evicted", found)
	}
	evicted := edit("policy Guaranteed", spec{"policy": "Guaranteed"}, 1, "True", "Met")
	if !maps.Equal(evicted, lowered) {
		t.Errorf("it had %v, and has %v", lowered, evicted)
	}
	if found := evictions(before); found != 1 {
		t.Errorf("%d pods were to be evicted, not 1", found)
	}
	edit("percentage instead", spec{"policy": "Best-Effort", "resource": nil,
		"percentage": spec{"value": 0.75}}, 3, "False", "Waiting", "finish")
	if found := evictions(before); found != 1 {
		t.Errorf("%d pods were to be evicted, not 1", found)
	}
	edit("of GPUs", spec{"percentage": spec{"dimensions": []any{"nvidia.com/gpu"}}}, 3,
		"True", "Met")
	edit("beyond the cluster", spec{"percentage": nil,
		"resource": spec{"cpu": "17", "example.com/none": "1"}}, 3, "False", "Waiting",
		"17 cpu are cut to 12", "no node has example.com/none")
	e.Must(e.ChangeQueue("kept", spec{"guarantee": nil}))
	e.AwaitOpen()
	e.AwaitNothingReserved("kept")
}

// What users do to the labels is undone. A queue that is deleted leaves nothing, also while berthd
// is away.
func TestQueueNodesAreMarkedAsTheyAre(t *testing.T) {
	e := beginGiving(t, giving(nil))
	e.AddNodes(3, "4")
	doomed := harness.NewQueue("doomed", spec{"guarantee": guarantee(spec{"cpu": "8"})})
	queues := e.Dynamic.Resource(harness.Queues)
	create := func() map[string]string {
		e.Helper()
		_, err := queues.Create(e.Context, doomed, meta.CreateOptions{})
		e.Must(err)
		e.AwaitReserved("doomed", "True", "Met")
		return e.AwaitNodesOf("doomed", 2)
	}
	remove := func() { e.Must(queues.Delete(e.Context, "doomed", meta.DeleteOptions{})) }
	t.Cleanup(func() { _ = queues.Delete(e.Context, "doomed", meta.DeleteOptions{}) })

	nodes := create()
	for what, value := range map[string]string{"removed": "null", "changed": `"kept"`} {
		for _, node := range e.Nodes() {
			e.PatchNode(node.Name, `{"metadata":{"labels":{"`+harness.LockedForQueue+`":`+value+`}}}`)
		}
		if now := e.AwaitNodesOf("doomed", 2); !maps.Equal(now, nodes) {
			t.Errorf("labels were %s: it has %v, and had %v", what, now, nodes)
		}
	}
	remove()
	e.AwaitOpen()

	create()
	e.Berth.Kill()
	remove()
	e.Must(e.Berth.Start(e.Context))
	e.AwaitOpen()

	create()
	e.Must(e.RunBerth(e.Context, harness.BerthOptions{})) // without the plugin
	e.AwaitOpen()
	e.AwaitNothingReserved("doomed")
}

// A node that is cordoned or deleted is replaced while there is another; then it is said how many
// are missing.
func TestQueueNodesFollowTheNodes(t *testing.T) {
	e := beginGiving(t, giving(nil))
	nodes := e.AddNodes(3, "4")
	e.Must(e.ChangeQueue("kept", spec{"guarantee": guarantee(spec{"cpu": "8"})}))
	e.AwaitReserved("kept", "True", "Met")
	kept := e.AwaitNodesOf("kept", 2)
	cordoned := slices.Sorted(maps.Keys(kept))[0]
	e.PatchNode(cordoned, `{"spec":{"unschedulable":true}}`)
	e.Await(harness.Soon, func() error {
		for _, node := range e.Nodes() {
			if owner := node.Labels[harness.LockedForQueue]; (owner == "kept") !=
				(node.Name != cordoned) {
				return fmt.Errorf("node %q is of queue %q", node.Name, owner)
			}
		}
		return nil
	})
	e.AwaitReserved("kept", "True", "Met")
	for _, node := range nodes {
		if _, was := kept[node]; was && node != cordoned {
			e.DeleteNode(node)
		}
	}
	e.AwaitReserved("kept", "False", "NotEnoughNodes", "8 cpu are cut to 4")
	e.AwaitNodesOf("kept", 1)
	e.PatchNode(cordoned, `{"spec":{"unschedulable":false}}`)
	e.AwaitReserved("kept", "True", "Met")
	e.AwaitNodesOf("kept", 2)
}

// The same nodes stay the queue's, since the same time, when berthd is killed, and when another
// leads. No node is written.
func TestQueueNodesOutliveBerth(t *testing.T) {
	e := beginGiving(t, giving(nil))
	occupiedByOthers(e)
	e.Must(e.ChangeQueue("kept", spec{"guarantee": guarantee(spec{"cpu": "7"})}))
	nodes := e.AwaitNodesOf("kept", 2)
	e.AwaitReserved("kept", "False", "Waiting")
	before := proxy.Writes()
	assertSame := func(what string) {
		e.Helper()
		if now := e.AwaitNodesOf("kept", 2); !maps.Equal(now, nodes) {
			t.Errorf("%s: it has %v, and had %v", what, now, nodes)
		}
		if found := writesSince(before)["PATCH nodes"]; found != 0 {
			t.Errorf("%s: nodes were written %d times", what, found)
		}
	}
	e.Berth.Kill()
	e.EndOn(slices.Sorted(maps.Keys(nodes))[0], all)
	e.Must(e.Berth.Start(e.Context))
	e.Must(e.Berth.AwaitReady(e.Context))
	e.AwaitIdleForQueue("kept", "cpu", "6")
	e.AwaitSessions(3)
	assertSame("killed")

	e.Must(e.StopBerth())
	if e.Mode == harness.ThroughView {
		e.Scheduler.Kill()
	}
	var replicas []*harness.Berth
	for _, name := range []string{"berthd-a", "berthd-b"} {
		options := giving(nil)
		options.Name, options.LeaderElect = name, true
		replica, err := e.Replica(options)
		e.Must(err)
		e.Show(replica.Process, 40)
		e.Must(replica.Start(e.Context))
		t.Cleanup(replica.Kill)
		replicas = append(replicas, replica)
	}
	leading := func() *harness.Berth {
		e.Helper()
		var leader *harness.Berth
		e.Await(harness.Soon, func() error {
			for _, replica := range replicas {
				if replica.Running() && replica.Leads(e.Context) == nil {
					leader = replica
					return nil
				}
			}
			return errors.New("nobody leads")
		})
		return leader
	}
	leader := leading()
	assertSame("replicas")
	leader.Kill()
	e.EndOn(slices.Sorted(maps.Keys(nodes))[1], all)
	if leading() == leader {
		t.Fatal("the replica that was killed leads")
	}
	e.AwaitReserved("kept", "True", "Met")
	assertSame("another leads")
}

// A queue that gets three nodes and runs 20 pods there: each node is written once, and the queue's
// status seldom. When nothing changes, nothing is written.
func TestQueueNodesWrites(t *testing.T) {
	e := beginGiving(t, giving(map[string]any{"schedulePeriod": "250ms"}))
	e.AddNodes(5, "8")
	e.AwaitKubeSchedulerKnowsNodes()
	e.AwaitSessions(2)
	before := proxy.Writes()
	e.Must(e.ChangeQueue("kept", spec{"guarantee": guarantee(spec{"cpu": "20"})}))
	kept := e.AwaitNodesOf("kept", 3)
	e.AwaitReserved("kept", "True", "Met")
	reserved := writesSince(before)
	if found := reserved["PATCH nodes"]; found != 3 {
		t.Errorf("nodes were written %d times: %v", found, reserved)
	}
	// One of each queue: of others and default, what they may have at most.
	if found := reserved["PATCH queues/status"]; found > 4 {
		t.Errorf("queues were written %d times: %v", found, reserved)
	}
	e.CreateGangIn("kept", "gang", 20, true)
	e.AwaitBound("gang", 20, harness.Soon)
	for _, node := range nodesOf(e, "gang-") {
		if _, is := kept[node]; !is {
			t.Errorf("a pod of the queue is on %q, and %v are its own", node, kept)
		}
	}
	e.AwaitPhase("gang", "Running", harness.Soon)
	e.AwaitIdleForQueue("kept", "cpu", "4")
	written := writesSince(before)
	if found := written["PATCH nodes"]; found != 3 {
		t.Errorf("nodes were written %d times: %v", found, written)
	}
	if found := written["PATCH queues/status"]; found > 7 {
		t.Errorf("queues were written %d times: %v", found, written)
	}
	t.Logf("written for 3 nodes: %v; with 20 pods: %v", reserved, written)
	quiet := proxy.Writes()
	e.AwaitSessions(4)
	for what, count := range writesSince(quiet) {
		if what == "PATCH nodes" || what == "PATCH queues/status" {
			t.Error(fmt.Sprintf("%d times %s although nothing changed", count, what))
		}
	}
}
