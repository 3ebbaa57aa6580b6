package e2e

import (
	"fmt"
	"slices"
	"testing"

	core "k8s.io/api/core/v1"

	"berth.dev/berth/tests/e2e/harness"
)

// PodDisruptionBudgets in the way. The API server refuses evictions beyond them; with the plugin pdb
// berthd does not ask.

// beginWithBudget has two pods fill a node: first-choice would leave first, second-choice then.
// The guarded ones are in a budget that lets nobody leave; berthd knows it. Returns a class that
// both are below.
func beginWithBudget(t *testing.T, guarded []string, less ...string) (*harness.Env, string) {
	t.Helper()
	e := beginEvicting(t, less...)
	e.CreateBudget("budget", "guarded", "yes", 0)
	startAnew(e, less...)
	low := e.CreatePriority("low", -1000, core.PreemptLowerPriority)
	high := e.CreatePriority("high", 1000, core.PreemptLowerPriority)
	e.AddNodes(1, "2")
	for name, class := range map[string]string{"first-choice": low, "second-choice": ""} {
		createSingles(e, func(pod harness.PodBuilder) harness.PodBuilder {
			if slices.Contains(guarded, name) {
				pod = pod.Label("guarded", "yes")
			}
			return pod.Priority(class)
		}, name)
	}
	return e, high
}

// The first choice is in the budget: the other leaves. Without the plugin it does so when the API
// server has refused to evict the first.
func TestAPodOutsideTheBudgetLeavesInstead(t *testing.T) {
	for _, each := range []struct {
		less  []string
		asked int
	}{{nil, 1}, {[]string{"pdb"}, 2}} {
		t.Run(fmt.Sprintf("without %q", each.less), func(t *testing.T) {
			e, high := beginWithBudget(t, []string{"first-choice"}, each.less...)
			before := proxy.Writes()
			e.CreateGang("claimant", 1, 1, ofClass(high))
			e.AwaitBound("claimant", 1, harness.Soon)
			remains(e, calm/2, func() error {
				return counts(e, before, each.asked, []string{"second-choice"},
					map[string]int{"claimant": 1})
			})
		})
	}
}

// Both are in the budget: nobody leaves, and the claimant says why it waits. When the budget allows
// one to leave, one does.
func TestNobodyLeavesBeyondTheBudget(t *testing.T) {
	e, high := beginWithBudget(t, []string{"first-choice", "second-choice"})
	before := proxy.Writes()
	e.CreateGang("claimant", 1, 1, ofClass(high))
	e.AwaitWaits("claimant", "disruption budget")
	remains(e, calm/2, func() error {
		return counts(e, before, 0, []string{}, map[string]int{"claimant": 0})
	})
	e.AllowDisruptions("budget", 1)
	e.AwaitBound("claimant", 1, harness.Soon)
	e.CreateGang("next", 1, 1, ofClass(high))
	e.AwaitWaits("next", "preempt evicts nobody for it")
	remains(e, calm/2, func() error {
		return counts(e, before, 1, []string{"first-choice"},
			map[string]int{"claimant": 1, "next": 0})
	})
}

// The API server refuses both evictions: each is asked for once, and the claimant says why it
// waits.
func TestRefusedEvictionsAreNotRepeatedAtOnce(t *testing.T) {
	e, high := beginWithBudget(t, []string{"first-choice", "second-choice"}, "pdb")
	before := proxy.Writes()
	e.CreateGang("claimant", 1, 1, ofClass(high))
	e.AwaitWaits("claimant", "refused to evict")
	remains(e, calm/2, func() error {
		return counts(e, before, 2, []string{}, map[string]int{"claimant": 0})
	})
}
