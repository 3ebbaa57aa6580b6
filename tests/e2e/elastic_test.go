package e2e

import (
	"fmt"
	"slices"
	"testing"
	"time"

	core "k8s.io/api/core/v1"

	"berth.dev/berth/tests/e2e/harness"
)

// S4 as it is pictured: GPUs, two queues of equal weight that are not reclaimable, and jobs that
// need 5 pods and may have 10.

// evicting is berthd as it is shipped, less these plugins.
func evicting(less ...string) harness.BerthOptions {
	return harness.BerthOptions{APIURL: proxy.URL, LeftOut: less}
}

// beginEvicting gives the test such a berthd, whose evictions the proxy counts.
func beginEvicting(t *testing.T, less ...string) *harness.Env {
	t.Helper()
	e := cluster.BeginWithBerth(t, evicting(less...))
	t.Cleanup(func() { _ = dropFinalizers(e) })
	t.Cleanup(proxy.ReleaseAll)
	return e
}

// startAnew has another berthd find what there is, all at once.
func startAnew(e *harness.Env, less ...string) {
	e.Helper()
	e.Must(e.StopBerth())
	e.Must(e.RunBerth(e.Context, evicting(less...)))
}

// evictions are those that were asked for since then.
func evictions(since map[string]int) int { return writesSince(since)["POST pods/eviction"] }

// createElastic makes a PodGroup and its pods, of a GPU each.
func createElastic(e *harness.Env, queue, name string, minimum, maximum int,
	sized bool) []*core.Pod {
	e.Helper()
	group := harness.NewPodGroup(e.Namespace, name, int64(minimum))
	asks := group.Object["spec"].(map[string]any)
	asks["queue"] = queue
	if sized { // as Volcano's controller does
		asks["minResources"] = spec{"cpu": int64(minimum), "nvidia.com/gpu": int64(minimum)}
	}
	e.Recorder.WatchGang(e.Namespace, name, minimum)
	e.CreateObject(group)
	pods := harness.Members(e.Namespace, name, maximum,
		func(pod harness.PodBuilder) harness.PodBuilder { return pod.GPUs(1).Grace(30) })
	e.Create(pods...)
	return pods
}

func createElasticQueues(e *harness.Env) {
	e.Helper()
	for _, queue := range []string{"queue1", "queue2"} {
		e.CreateObject(harness.NewQueue(queue, spec{"weight": int64(1), "reclaimable": false}))
	}
}

// counts returns what is the matter unless exactly so many pods of the gangs are bound, exactly so
// many evictions were asked for, and exactly these pods are gone.
func counts(e *harness.Env, since map[string]int, evicted int, gone []string,
	bound map[string]int) error {
	for gang, count := range bound {
		if found := len(e.Bound(gang)); found != count {
			return fmt.Errorf("%d pods of %q are bound, not %d", found, gang, count)
		}
	}
	if found := evictions(since); found != evicted {
		return fmt.Errorf("%d pods were to be evicted, not %d; gone are %q", found, evicted,
			e.Gone())
	}
	if found := e.Gone(); !slices.Equal(found, gone) {
		return fmt.Errorf("gone are %q, not %q", found, gone)
	}
	return nil
}

// calm is for how long nothing may happen afterwards.
const calm = 4 * time.Second

// remains waits for the condition, which then stays for the time.
func remains(e *harness.Env, within time.Duration, condition func() error) {
	e.Helper()
	e.Await(harness.Soon, condition)
	e.AssertStays(within, condition)
}

// Principle 1: two jobs that come together start both; what is left is surplus of either.
func TestMinimumsOfAllComeBeforeSurplus(t *testing.T) {
	for _, gpus := range []int64{10, 12} {
		t.Run(fmt.Sprintf("%d GPUs", gpus), func(t *testing.T) {
			e := beginEvicting(t)
			before := proxy.Writes()
			e.Must(e.StopBerth())
			createElasticQueues(e)
			createElastic(e, "queue1", "job1-1", 5, 10, true)
			createElastic(e, "queue1", "job1-2", 5, 10, true)
			e.AddGPUNodes(2, gpus/2)
			e.Must(e.RunBerth(e.Context, evicting()))
			shared := func() error {
				first, second := len(e.Bound("job1-1")), len(e.Bound("job1-2"))
				if first < 5 || second < 5 || first+second != int(gpus) {
					return fmt.Errorf("%d and %d pods are bound", first, second)
				}
				return counts(e, before, 0, []string{}, nil)
			}
			remains(e, calm, shared)
			e.AssertNeverInPart("job1-1", promptly)
			e.AssertNeverInPart("job1-2", promptly)
		})
	}
}

// Principles 2 and 3: a job runs with all its pods when another comes, in its queue or the other.
// What is idle is used, the rest of the other's minimum is taken of the surplus; of whom depends on
// when each has started. A controller makes the pods again at once: they wait until there is room,
// and nobody else leaves.
func TestSurplusLeavesForAMinimum(t *testing.T) {
	for _, each := range []struct {
		name, queue, job string
		gpus             int64
		gone             int
	}{
		{"in its queue", "queue1", "job1-2", 10, 5},
		{"in another queue", "queue2", "job2-1", 10, 5},
		{"with idle GPUs", "queue1", "job1-2", 12, 3},
	} {
		t.Run(each.name, func(t *testing.T) {
			e := beginEvicting(t)
			e.AddGPUNodes(2, each.gpus/2)
			createElasticQueues(e)
			first := createElastic(e, "queue1", "job1-1", 5, 10, true)
			e.AwaitRunning(first...)
			e.Recreate(first...)

			before := proxy.Writes()
			createElastic(e, each.queue, each.job, 5, 10, true)
			e.AwaitBound(each.job, 5, harness.Soon)
			e.AwaitPods(harness.Soon, 10, "of the first job are there", func(pod *core.Pod) bool {
				return pod.Annotations[harness.GroupAnnotation] == "job1-1"
			})
			remains(e, calm, func() error {
				return counts(e, before, each.gone, e.Gone(),
					map[string]int{"job1-1": 10 - each.gone, each.job: 5})
			})
			e.AssertNeverInPart(each.job, promptly)

			e.EndGang(each.job)
			e.AwaitBound("job1-1", 10, harness.Soon)
			e.AssertNeverInPart("job1-1", promptly)
			if found := evictions(before); found != each.gone {
				t.Errorf("%d pods were to be evicted, not %d", found, each.gone)
			}
		})
	}
}

// All surplus together is less than the minimum: it stays, and the job waits. One that says how
// much it needs is not even admitted.
func TestSurplusStaysIfThereIsTooLittle(t *testing.T) {
	for _, queue := range []string{"queue1", "queue2"} {
		for _, sized := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, sized %t", queue, sized), func(t *testing.T) {
				e := beginEvicting(t)
				e.AddGPUNodes(2, 5)
				createElasticQueues(e)
				e.AwaitRunning(createElastic(e, "queue1", "job1-1", 8, 10, true)...)
				before := proxy.Writes()
				createElastic(e, queue, "late", 5, 10, sized)
				e.AwaitCondition("late", "Unschedulable", harness.Soon)
				phase := map[bool]string{true: "Pending", false: "Inqueue"}[sized]
				e.AwaitPhase("late", phase, harness.Soon)
				remains(e, calm/2, func() error {
					return counts(e, before, 0, []string{},
						map[string]int{"job1-1": 10, "late": 0})
				})
			})
		}
	}
}

// Without the plugin nobody lends surplus.
func TestSurplusStaysWithoutThePlugin(t *testing.T) {
	for _, queue := range []string{"queue1", "queue2"} {
		t.Run(queue, func(t *testing.T) {
			e := beginEvicting(t, "elastic")
			e.AddGPUNodes(2, 5)
			createElasticQueues(e)
			e.AwaitRunning(createElastic(e, "queue1", "job1-1", 5, 10, true)...)
			before := proxy.Writes()
			createElastic(e, queue, "late", 5, 10, false)
			e.AwaitCondition("late", "Unschedulable", harness.Soon)
			remains(e, calm/2, func() error {
				return counts(e, before, 0, []string{}, map[string]int{"job1-1": 10, "late": 0})
			})
		})
	}
}
