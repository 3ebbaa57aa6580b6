package e2e

import (
	"encoding/json"
	"path/filepath"
	"testing"
	"time"

	"berth.dev/berth/tests/e2e/harness"
)

// simulatedJob is one of a run of `berth simulate`.
type simulatedJob struct {
	ID    string   `json:"id"`
	Start *float64 `json:"start"`
	End   *float64 `json:"end"`
	Pods  int      `json:"pods"`
	Limit *float64 `json:"limit"`
}

// simulate runs `berth simulate` with these words. The jobs are by name, without the namespace.
func simulate(e *harness.Env, person *harness.Person, words string) map[string]simulatedJob {
	e.Helper()
	output, err := person.Runs(e.Context, "berth simulate "+words+
		" --config config/examples/easy.yaml -o json 2>/dev/null")
	if err != nil {
		e.Fatalf("berth simulate %s: %v\n%s", words, err, output)
	}
	document := struct {
		Runs []struct {
			Nodes int            `json:"nodes"`
			Jobs  []simulatedJob `json:"jobs"`
		} `json:"runs"`
	}{}
	e.Must(json.Unmarshal([]byte(output), &document))
	if len(document.Runs) != 1 || document.Runs[0].Nodes != 2 {
		e.Fatalf("one run on two nodes was expected:\n%s", output)
	}
	jobs := map[string]simulatedJob{}
	for _, job := range document.Runs[0].Jobs {
		jobs[filepath.Base(job.ID)] = job
	}
	return jobs
}

// HISTORY-4, HISTORY-13, HISTORY-15: what a real cluster has done and will do.
func TestARealClusterIsRecordedAndSimulated(t *testing.T) {
	directory := filepath.Join(t.TempDir(), "history")
	e := cluster.BeginWithBerth(t, harness.BerthOptions{Configuration: map[string]any{
		"history": map[string]any{"directory": directory, "size": "8Mi"},
	}})
	person := e.Administrator(t)
	e.AddNodes(2, "4")
	// Times of creation are in whole seconds: each comes in a second of its own.
	time.Sleep(2 * time.Second)
	e.AwaitRunning(limited{name: "first", count: 2, limit: "1h"}.create(e)...)
	time.Sleep(1100 * time.Millisecond)
	second := limited{name: "second", count: 2, limit: "30m"}.create(e)
	e.AwaitWaits("second", "insufficient cpu")
	dump := filepath.Join(t.TempDir(), "now.json")
	if output, err := person.Runs(e.Context, "kubectl get nodes,pods,podgroups,queues -n "+
		e.Namespace+" -o json > "+dump); err != nil {
		e.Fatalf("kubectl get: %v\n%s", err, output)
	}
	ahead := simulate(e, person, "--snapshot "+dump)
	if start := ahead["second"].Start; start == nil || *start < 3000 || *start > 3700 {
		t.Errorf("the second waits for the hour of the first: %+v", ahead)
	}

	finish(e, "first")
	e.AwaitRunning(second...)
	limited{name: "large", count: 3, limit: "30m"}.create(e)
	e.AwaitWaits("large", "at most 8")
	finish(e, "second")
	e.AwaitPhase("second", "Completed", harness.Soon)
	e.Must(e.StopBerth())

	past := simulate(e, person, "--trace "+directory)
	first, next, large := past["first"], past["second"], past["large"]
	// Starts are in whole seconds, ends are not: that of the second may be of the same second as the
	// end of the first, and the first may count as one that ran at the beginning already.
	if first.Start == nil || first.End == nil || next.Start == nil || *next.Start+1 <= *first.End {
		text, _ := json.Marshal(past)
		t.Errorf("the second ran after the first: %s", text)
	}
	if first.Limit == nil || *first.Limit < 3590 || *first.Limit > 3600 || first.Pods != 2 {
		t.Errorf("a job of two pods with a limit of an hour was recorded: %+v", first)
	}
	if large.Pods != 3 || large.Start != nil {
		t.Errorf("a job that fits nowhere was recorded, and waits: %+v", large)
	}
}
