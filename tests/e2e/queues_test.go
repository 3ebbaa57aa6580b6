package e2e

import (
	"fmt"
	"testing"

	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"berth.dev/berth/tests/e2e/harness"
)

// sharing is a berthd that divides the cluster among queues and admits what there is room for.
var sharing = harness.BerthOptions{Configuration: map[string]any{
	"actions": "enqueue, allocate, backfill",
	"tiers": []any{
		map[string]any{"plugins": []any{
			map[string]any{"name": "priority"},
			map[string]any{"name": "gang"},
			map[string]any{"name": "conformance"},
		}},
		map[string]any{"plugins": []any{
			map[string]any{"name": "overcommit",
				"arguments": map[string]any{"overcommit-factor": 1.0}},
			map[string]any{"name": "predicates"},
			map[string]any{"name": "proportion"},
			map[string]any{"name": "nodeorder"},
		}},
	},
}}

// assertOutside fails the test if the gang is let in, or bound, within some sessions.
func assertOutside(e *harness.Env, gang string) {
	e.Helper()
	e.AwaitSessions(3)
	e.AwaitPhase(gang, "Pending", harness.Soon)
	assertNotBound(e, gang)
}

func assertNotBound(e *harness.Env, gang string) {
	e.Helper()
	if bound := e.Bound(gang); len(bound) > 0 {
		e.Errorf("%q of %q is bound", bound[0].Name, gang)
	}
}

// Five queues have the whole cluster. A sixth appears with a guarantee: its job is let in although
// nothing is free, and gets the room that is freed first, before those that have waited longer.
func TestAGuaranteedJobIsLetIntoAFullCluster(t *testing.T) {
	e := cluster.BeginWithBerth(t, sharing)
	e.AddNodes(5, "4")
	for i := 1; i <= 5; i++ {
		queue := fmt.Sprintf("q%d", i)
		e.CreateObject(harness.NewQueue(queue, spec{}))
		e.CreateGangIn(queue, "busy-"+queue, 4, true)
	}
	for i := 1; i <= 5; i++ {
		e.AwaitBound(fmt.Sprintf("busy-q%d", i), 4, harness.Soon)
	}
	e.CreateGangIn("q1", "greedy", 4, false)
	e.CreateGangIn("q1", "beyond", 4, true)
	e.CreateObject(harness.NewQueue("q6", spec{"guarantee": guarantee(spec{"cpu": "4"})}))
	e.AwaitQueueAmount("q1", "realCapability", "cpu", "16")
	e.AwaitQueueAmount("q6", "guarantee", "cpu", "4")

	e.CreateGangIn("q6", "guaranteed", 4, true)
	e.AwaitPhase("guaranteed", "Inqueue", harness.Soon)
	e.AwaitPhase("greedy", "Inqueue", harness.Soon)
	e.AwaitWaits("beyond", "its queue has 4 cpu, and its share is")
	assertOutside(e, "beyond")
	assertNotBound(e, "guaranteed")

	e.EndGang("busy-q2")
	e.AwaitBound("guaranteed", 4, harness.Soon)
	e.AssertNeverInPart("guaranteed", promptly)
	assertOutside(e, "beyond")
	assertNotBound(e, "greedy")

	// What is guaranteed stays free for q6, until it is not guaranteed any more.
	e.EndGang("guaranteed")
	e.AwaitQueueAmount("q6", "deserved", "cpu", "4")
	e.AwaitSessions(3)
	assertNotBound(e, "greedy")
	assertNotBound(e, "beyond")
	e.EndGang("beyond")
	e.Must(e.ChangeQueue("q6", spec{"guarantee": nil}))
	e.AwaitBound("greedy", 4, harness.Soon)
	for i := 3; i <= 5; i++ {
		if bound := e.Bound(fmt.Sprintf("busy-q%d", i)); len(bound) != 4 {
			t.Errorf("%d pods of busy-q%d are left", len(bound), i)
		}
	}
}

func TestAGuaranteeIsChangedAtRunTime(t *testing.T) {
	e := cluster.BeginWithBerth(t, sharing)
	e.AddNodes(2, "4")
	e.CreateObject(harness.NewQueue("free", spec{}))
	e.CreateObject(harness.NewQueue("kept", spec{"guarantee": guarantee(spec{"cpu": "4"})}))
	e.CreateGangIn("free", "large", 8, true)
	e.AwaitWaits("large", "its minimum needs 8 cpu, and its queue can have at most 4")
	e.AwaitQueueAmount("free", "realCapability", "cpu", "4")

	e.Must(e.ChangeQueue("kept", spec{"guarantee": guarantee(spec{"cpu": "2500m"})}))
	e.AwaitQueueAmount("free", "realCapability", "cpu", "5500m")
	assertOutside(e, "large")
	e.Must(e.ChangeQueue("kept", spec{"guarantee": nil}))
	e.AwaitBound("large", 8, harness.Soon)

	e.CreateGangIn("kept", "late", 4, true)
	e.AwaitWaits("late", "0 of 4 members could be placed")
	e.Must(e.ChangeQueue("kept", spec{"guarantee": guarantee(spec{"cpu": "4"})}))
	e.AwaitPhase("late", "Inqueue", harness.Soon)
	assertNotBound(e, "late")
	e.EndGang("large")
	e.AwaitBound("late", 4, harness.Soon)
}

// What the rules do not see, or has been there before them: the queue's jobs wait and say why,
// everybody else has the cluster, and what is mended is served.
func TestAQueueAtFaultHarmsNobody(t *testing.T) {
	e := cluster.BeginWithBerth(t, sharing)
	e.AddNodes(2, "4")
	createBeforeTheRules(e,
		harness.NewQueue("above", spec{
			"capability": spec{"cpu": "2"}, "guarantee": guarantee(spec{"cpu": "8"})}),
		harness.NewQueue("negative", spec{"guarantee": guarantee(spec{"cpu": "-1"})}),
		harness.NewQueue("itself", spec{"parent": "itself"}))
	e.CreateObject(harness.NewQueue("orphan", spec{
		"parent": "nobody", "guarantee": guarantee(spec{"cpu": "8"})}))
	for child, parent := range map[string]string{"rock": "paper", "paper": "scissors",
		"scissors": "rock"} {
		e.CreateObject(harness.NewQueue(child, spec{"parent": parent}))
	}
	e.CreateObject(harness.NewQueue("sound", spec{}))
	for queue, words := range map[string]string{
		"negative": "spec.guarantee.resource.cpu",
		"itself":   "its parent queues lead round in a circle",
		"above":    "it guarantees 8 cpu, more than its capability of 2",
		"orphan":   `its parent queue "nobody" does not exist`,
		"rock":     "its parent queues lead round in a circle",
	} {
		e.CreateGangIn(queue, "of-"+queue, 2, true)
		e.AwaitWaits("of-"+queue, "its queue is set up wrongly: "+words)
		e.AwaitPhase("of-"+queue, "Pending", harness.Soon)
		e.AwaitQueueNotReady(queue, words)
	}
	e.CreateGangIn("sound", "other", 8, true)
	e.AwaitBound("other", 8, harness.Soon)
	e.EndGang("other")

	e.Must(e.ChangeQueue("above", spec{"guarantee": guarantee(spec{"cpu": "2"})}))
	e.AwaitBound("of-above", 2, harness.Soon)
	e.Must(e.ChangeQueue("orphan", spec{"guarantee": guarantee(spec{"cpu": "2"})}))
	e.CreateObject(harness.NewQueue("nobody", spec{}))
	e.AwaitBound("of-orphan", 2, harness.Soon)
	e.Must(e.ChangeQueue("scissors", spec{"parent": nil}))
	e.AwaitBound("of-rock", 2, harness.Soon)
}

// Issue 9, row 12: nothing of a queue's spec is dropped in silence.
func TestWhatOfAQueueHasNoEffectIsSaid(t *testing.T) {
	e := cluster.BeginWithBerth(t, sharing)
	e.AddNodes(1, "4")
	e.CreateObject(harness.NewQueue("odd", spec{
		"affinity": spec{"nodeGroupAffinity": spec{
			"requiredDuringSchedulingIgnoredDuringExecution": []any{"pool-a"}}},
		"guarantee": spec{"policy": "Guaranteed", "resource": spec{"cpu": "1"}}}))
	e.AwaitQueueDenies("odd", "Honoured", "spec.affinity is not honoured; "+
		"guarantee.policy Guaranteed has no effect: no action evicts; add shuffle")
	e.Must(e.ChangeQueue("odd", spec{"affinity": nil, "guarantee": nil}))
	e.AwaitQueueWithout("odd", "Honoured")
}

// createBeforeTheRules makes queues that the rules would refuse, and installs them.
func createBeforeTheRules(e *harness.Env, queues ...*unstructured.Unstructured) {
	e.Helper()
	definitions, err := e.Kustomize(harness.Deploy("crds-without-rules"))
	e.Must(err)
	e.Must(e.Apply(e.Context, definitions))
	e.Cleanup(func() { e.Must(e.InstallDefinitions(e.Context)) })
	tried := func(queue *unstructured.Unstructured) func() error {
		return func() error {
			_, err := e.Dynamic.Resource(harness.Queues).Create(e.Context,
				harness.NewQueue(e.Namespace, queue.Object["spec"].(map[string]any)), dryRun)
			return err
		}
	}
	for _, queue := range queues {
		e.Await(harness.Soon, tried(queue))
		e.CreateObject(queue)
	}
	e.Must(e.InstallDefinitions(e.Context))
	refusedSoon(e, tried(queues[0]), "must not exceed spec.capability")
}

func TestAQueueIsDeletedAndMadeAgain(t *testing.T) {
	e := cluster.BeginWithBerth(t, sharing)
	e.AddNodes(2, "4")
	e.CreateObject(harness.NewQueue("gone", spec{}))
	e.CreateObject(harness.NewQueue("other", spec{}))
	e.CreateGangIn("gone", "running", 4, true)
	e.AwaitPhase("running", "Running", harness.Soon)
	e.CreateGangIn("gone", "large", 6, false)
	e.AwaitWaits("large", "4 of 6 members could be placed")

	queues := e.Dynamic.Resource(harness.Queues)
	e.Must(queues.Delete(e.Context, "gone", meta.DeleteOptions{}))
	e.AwaitWaits("large", `queue "gone" does not exist`)
	e.CreateGangIn("gone", "late", 2, true)
	e.AwaitWaits("late", `queue "gone" does not exist`)
	e.CreateGangIn("other", "free", 2, true)
	e.AwaitBound("free", 2, harness.Soon)
	assertOutside(e, "late")
	if bound := e.Bound("running"); len(bound) != 4 {
		t.Errorf("%d of 4 pods go on running", len(bound))
	}

	_, err := queues.Create(e.Context, harness.NewQueue("gone", spec{}), meta.CreateOptions{})
	e.Must(err) // and is cleared up like the first
	e.AwaitBound("late", 2, harness.Soon)
	e.EndGang("running")
	e.EndGang("free")
	e.AwaitBound("large", 6, harness.Soon)
	e.AssertNeverInPart("large", promptly)
}
