package e2e

import (
	"fmt"
	"testing"
	"time"

	core "k8s.io/api/core/v1"

	"berth.dev/berth/tests/e2e/harness"
)

// What users write about time limits (docs/design/backfill.md).
const (
	timeLimit        = "berth.dev/time-limit"
	defaultTimeLimit = "berth.dev/default-time-limit"
)

// byLimits has jobs start behind others that wait, by their time limits.
var byLimits = map[string]any{"configurations": []any{
	map[string]any{"name": "backfill", "arguments": map[string]any{"behind": "easy"}},
}}

// keeping is byLimits, with four nodes kept for a job that is named.
func keeping(enforce string) harness.BerthOptions {
	return reserving(map[string]any{"nodes": 4, "wait-duration": "1h"}, map[string]any{
		"actions":        "elect, enqueue, reserve, allocate, backfill",
		"configurations": byLimits["configurations"],
		"reservation":    map[string]any{"enforce": enforce},
	})
}

// limited is a gang whose pods take whole nodes of 4 cpu. An empty limit is not written.
type limited struct {
	name           string
	count          int
	queue          string // empty: the default
	limit, ofGroup string // annotations of its pods and of its PodGroup
}

func (l limited) create(e *harness.Env) []*core.Pod {
	e.Helper()
	group := harness.NewPodGroup(e.Namespace, l.name, int64(l.count))
	if l.queue != "" {
		group = groupIn(e, l.queue, l.name, int64(l.count))
	}
	if l.ofGroup != "" {
		group.SetAnnotations(map[string]string{timeLimit: l.ofGroup})
	}
	e.Recorder.WatchGang(e.Namespace, l.name, l.count)
	e.CreateObject(group)
	pods := harness.Members(e.Namespace, l.name, l.count,
		func(pod harness.PodBuilder) harness.PodBuilder {
			pod = pod.CPU("4").Finishes()
			if l.limit != "" {
				pod = pod.Annotate(timeLimit, l.limit)
			}
			return pod
		})
	e.Create(pods...)
	return pods
}

// finish has the pods of these groups succeed, once they run.
func finish(e *harness.Env, groups ...string) {
	e.Helper()
	for _, group := range groups {
		e.AwaitRunning(e.Bound(group)...)
		e.Finish(func(pod *core.Pod) bool { return pod.Annotations[harness.GroupAnnotation] == group })
	}
}

// occupiedUntil are four nodes, kept for the gang "big" that needs them all; a pod runs on one.
func occupiedUntil(t *testing.T, enforce string,
	says func(harness.PodBuilder) harness.PodBuilder) *harness.Env {
	t.Helper()
	e := cluster.BeginWithBerth(t, keeping(enforce))
	e.AddNodes(4, "4")
	e.AwaitRunning(e.CreateGang("old", 1, 1, func(pod harness.PodBuilder) harness.PodBuilder {
		return says(pod.CPU("3").Finishes())
	})...)
	e.CreateGang("big", 4, 4, cpu("4"))
	annotateGroup(e, "big", `"true"`)
	e.AwaitLocked("big", 4)
	return e
}

// assertStillKept fails the test if the nodes are not kept for "big" any more, or if one of these
// gangs does not wait for them.
func assertStillKept(e *harness.Env, gangs ...string) {
	e.Helper()
	e.AwaitSessions(3)
	e.AwaitLocked("big", 4)
	assertNotBound(e, "big")
	for _, gang := range gangs {
		assertNotBound(e, gang)
		e.AwaitWaits(gang, "locked for target "+e.Namespace+"/big")
	}
}

// BEHIND-3. What ends in time runs on the idle nodes of a target, passing those that do not, and the
// target starts as soon as the pod in its way is gone.
func TestJobsThatEndInTimeUseTheNodesOfATarget(t *testing.T) {
	for _, each := range []struct {
		enforce, by string
		says        func(harness.PodBuilder) harness.PodBuilder
	}{
		{"filter", "deadline", func(pod harness.PodBuilder) harness.PodBuilder {
			return pod.Deadline(20 * 60)
		}},
		{"taint", "annotation", func(pod harness.PodBuilder) harness.PodBuilder {
			return pod.Annotate(timeLimit, "20m")
		}},
	} {
		t.Run(each.enforce+" "+each.by, func(t *testing.T) {
			e := occupiedUntil(t, each.enforce, each.says)
			limited{name: "endless", count: 1}.create(e)
			limited{name: "long", count: 1, limit: "2h"}.create(e)
			assertStillKept(e, "endless", "long")

			short := limited{name: "short", count: 2, limit: "10m"}.create(e)
			e.AwaitRunning(append(short, limited{name: "shorter", count: 1, limit: "1m"}.create(e)...)...)
			e.AssertNeverInPart("short", promptly)
			if each.enforce == "taint" {
				assertTolerates(e, "short")
				assertTolerates(e, "shorter")
			}
			assertStillKept(e, "endless", "long")

			finish(e, "short", "shorter")
			assertStillKept(e, "endless", "long")
			finish(e, "old")
			e.AwaitBound("big", 4, harness.Soon)
			e.AssertNeverInPart("big", promptly)
			e.AwaitOpen()
			assertNotBound(e, "endless")
			assertNotBound(e, "long")
			e.EndGang("big")
			e.AwaitBound("endless", 1, harness.Soon)
			e.AwaitBound("long", 1, harness.Soon)
		})
	}
}

// BEHIND-3. Without a limit of the pod in its way, nobody knows when the target starts.
func TestNodesOfATargetStayClosedIfNobodyKnowsWhenItStarts(t *testing.T) {
	e := occupiedUntil(t, "filter", asItIs)
	limited{name: "short", count: 1, limit: "1m"}.create(e)
	assertStillKept(e, "short")
	finish(e, "old")
	e.AwaitBound("big", 4, harness.Soon)
	assertNotBound(e, "short")
}

// TIME-7. The Job controller ends all pods of a Job at its deadline, so those of a Job that is over in
// time run on the nodes of a target.
func TestAJobThatItsControllerEndsInTimeUsesTheNodesOfATarget(t *testing.T) {
	cluster.StartControllers(t)
	e := occupiedUntil(t, "filter", func(pod harness.PodBuilder) harness.PodBuilder {
		return pod.Deadline(20 * 60)
	})
	e.CreateJob(e.NewJob("endless", 1).Pods(cpu("4")).Build())
	e.CreateJob(e.NewJob("long", 1).Deadline(2 * 60 * 60).Pods(cpu("4")).Build())
	e.CreateJob(e.NewJob("short", 2).Deadline(10 * 60).Gang("all").Pods(cpu("4")).Build())
	awaitBoundNamed(e, "short-", 2)
	assertStillKept(e)
	if endless, long := boundNamed(e, "endless-"), boundNamed(e, "long-"); endless+long != 0 {
		t.Errorf("%d pods without a deadline and %d with a late one are bound", endless, long)
	}
}

// A target whose room is back early waits for those that were let in, and for nobody else.
func TestATargetWaitsForThoseThatUseItsNodes(t *testing.T) {
	e := occupiedUntil(t, "taint", func(pod harness.PodBuilder) harness.PodBuilder {
		return pod.Deadline(20 * 60)
	})
	e.AwaitRunning(limited{name: "short", count: 1, limit: "10m"}.create(e)...)
	finish(e, "old")
	assertStillKept(e)
	finish(e, "short")
	e.AwaitBound("big", 4, harness.Soon)
	e.AssertNeverInPart("big", promptly)
	e.AwaitOpen()
}

// beginFifo is two nodes, and a queue that is first-in-first-out; "old" has one of the nodes, and
// "first" needs both.
func beginFifo(t *testing.T, annotations map[string]string, old limited) *harness.Env {
	t.Helper()
	e := cluster.BeginWithBerth(t, harness.BerthOptions{Configuration: byLimits})
	e.AddNodes(2, "4")
	queue := harness.NewQueue("line", spec{"dequeueStrategy": "fifo"})
	queue.SetAnnotations(annotations)
	e.CreateObject(queue)
	e.AwaitRunning(old.create(e)...)
	limited{name: "first", count: 2, queue: "line"}.create(e)
	e.AwaitCondition("first", "Unschedulable", harness.Soon)
	awaitNextSecond(e)
	return e
}

// awaitNextSecond has what is created then be younger: creation times have no fractions.
func awaitNextSecond(e *harness.Env) {
	e.Helper()
	begun := time.Now().Unix()
	e.Await(harness.Soon, func() error {
		if time.Now().Unix() == begun {
			return fmt.Errorf("it is the same second")
		}
		return nil
	})
}

// assertBehind fails the test unless the gang waits because of the first.
func assertBehind(e *harness.Env, gang string) {
	e.Helper()
	e.AwaitSessions(3)
	assertNotBound(e, gang)
	e.AwaitWaits(gang, e.Namespace+"/first")
}

// BEHIND-4. The first of a queue keeps nobody waiting who is gone before it can start.
func TestJobsThatEndInTimeStartBehindTheFirst(t *testing.T) {
	e := beginFifo(t, nil, limited{name: "old", count: 1, queue: "line", limit: "20m"})
	limited{name: "endless", count: 1, queue: "line"}.create(e)
	assertBehind(e, "endless")
	e.AwaitRunning(limited{name: "short", count: 1, queue: "line", limit: "10m"}.create(e)...)
	assertNotBound(e, "first")

	finish(e, "short")
	assertBehind(e, "endless")
	finish(e, "old")
	e.AwaitBound("first", 2, harness.Soon)
	e.AssertNeverInPart("first", promptly)
	finish(e, "first")
	e.AwaitBound("endless", 1, harness.Soon)
}

// TIME-2, TIME-3. A group's limit counts for pods that say none, and that of the queue after it.
func TestLimitsOfGroupsAndQueuesCount(t *testing.T) {
	e := beginFifo(t, map[string]string{defaultTimeLimit: "10m"},
		limited{name: "old", count: 1, queue: "line", ofGroup: "20m"})
	limited{name: "long", count: 1, queue: "line", ofGroup: "1h"}.create(e)
	assertBehind(e, "long")
	e.AwaitRunning(limited{name: "short", count: 1, queue: "line"}.create(e)...)
	assertBehind(e, "long")
}
