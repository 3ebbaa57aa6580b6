package e2e

import (
	"testing"

	core "k8s.io/api/core/v1"

	"berth.dev/berth/tests/e2e/harness"
)

// beginLingering has a gang of 2, whose pods end slowly, fill a node. Returns a class above it.
func beginLingering(t *testing.T) (*harness.Env, string) {
	t.Helper()
	e := beginEvicting(t)
	e.AddNodes(1, "2")
	high := e.CreatePriority("high", 1000, core.PreemptLowerPriority)
	e.AwaitRunning(e.CreateGang("old", 2, 2, func(pod harness.PodBuilder) harness.PodBuilder {
		return pod.Grace(30).Lingers()
	})...)
	return e, high
}

// assertServed lets the evicted pods end: the gang gets their room, and nobody else was evicted.
func assertServed(e *harness.Env, since map[string]int, asked int) {
	e.Helper()
	e.Must(dropFinalizers(e))
	e.AwaitBound("new", 2, harness.Soon)
	e.AssertNeverInPart("new", harness.BarrierLimit)
	remains(e, calm/2, func() error {
		return counts(e, since, asked, []string{"old-0", "old-1"}, map[string]int{"new": 2})
	})
}

// berthd is killed when pods have been evicted for a gang, and end slowly. The next one gives the
// gang their room. It knows the claims of a gang that has waited for long enough, and keeps the
// room from a pod of the same priority that has come meanwhile.
func TestBerthKilledBetweenEvictionAndPlacement(t *testing.T) {
	for _, recorded := range []bool{false, true} {
		name := map[bool]string{false: "at once", true: "with recorded claims"}[recorded]
		t.Run(name, func(t *testing.T) {
			e, high := beginLingering(t)
			before := proxy.Writes()
			e.CreateGang("new", 2, 2, ofClass(high))
			e.AwaitEnding(2)
			if recorded {
				e.AwaitAnnotations("new", claims)
			}
			e.Berth.Kill()
			late := ofClass(high)(harness.NewPod(e.Namespace, "late")).Build()
			if recorded {
				e.Create(late)
			}
			e.Must(e.Berth.Start(e.Context))
			e.Must(e.Berth.AwaitReady(e.Context))
			e.AwaitSessions(3)
			assertServed(e, before, 2)
			e.AwaitPods(harness.Soon, 0, "of those that came late are bound",
				func(pod *core.Pod) bool { return pod.Name == "late" && pod.Spec.NodeName != "" })
		})
	}
}

// berthd is killed when it has asked for one eviction of two. The next one asks for the other.
func TestBerthKilledAmidEvictions(t *testing.T) {
	e, high := beginLingering(t)
	before := proxy.Writes()
	hold := proxy.Hold(harness.Evictions, 1)
	e.CreateGang("new", 2, 2, ofClass(high))
	await(t, hold)
	e.AwaitEnding(1)
	e.Berth.Kill()
	hold.Abandon()
	e.Must(e.Berth.Start(e.Context))
	e.AwaitEnding(2)
	assertServed(e, before, 3) // one of them never arrived
}
