package e2e

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"berth.dev/berth/tests/e2e/harness"
)

// forecastJob is a row of `berth when -o json`.
type forecastJob struct {
	Job     string   `json:"job"`
	Start   *float64 `json:"startsInSeconds"`
	Changed *struct {
		Start *float64 `json:"startsInSeconds"`
	} `json:"changed"`
}

// forecast runs `berth when` with these words. The jobs are by name, without the namespace.
func forecast(e *harness.Env, person *harness.Person, words string) map[string]forecastJob {
	e.Helper()
	output, err := person.Runs(e.Context, "berth when -n "+e.Namespace+" -o json "+words+" 2>/dev/null")
	if err != nil {
		e.Fatalf("berth when %s: %v\n%s", words, err, output)
	}
	document := struct {
		Jobs []forecastJob `json:"jobs"`
	}{}
	e.Must(json.Unmarshal([]byte(output), &document))
	jobs := map[string]forecastJob{}
	for _, job := range document.Jobs {
		jobs[filepath.Base(job.Job)] = job
	}
	return jobs
}

// docs/when.md: the start of a gang that waits for another's limit, and what two more nodes change.
func TestTheStartOfAWaitingGangIsForecast(t *testing.T) {
	e := cluster.BeginWithBerth(t, harness.BerthOptions{Configuration: byLimits})
	person := e.Administrator(t)
	nodes := e.AddNodes(2, "4")
	e.AwaitRunning(limited{name: "first", count: 2, limit: "1h"}.create(e)...)
	limited{name: "second", count: 2, limit: "30m"}.create(e)
	e.AwaitWaits("second", "insufficient cpu")

	start := forecast(e, person, "")["second"].Start
	if start == nil || *start < 3000 || *start > 3700 {
		t.Errorf("the second waits for the hour of the first, and not for %v s", start)
	}
	second := forecast(e, person, "--add-nodes 2:like="+nodes[0])["second"]
	if second.Changed == nil || second.Changed.Start == nil || *second.Changed.Start != 0 {
		t.Errorf("with two more nodes it starts at once: %+v", second)
	}
}

// docs/when.md: the same of a running berthd, by its page /snapshot; and one that is gone.
func TestTheStartOfAWaitingGangIsForecastOfBerthd(t *testing.T) {
	e := cluster.BeginWithBerth(t, harness.BerthOptions{Configuration: byLimits})
	person := e.Administrator(t)
	nodes := e.AddNodes(2, "4")
	e.AwaitRunning(limited{name: "first", count: 2, limit: "1h"}.create(e)...)
	limited{name: "second", count: 2, limit: "30m"}.create(e)
	e.AwaitWaits("second", "insufficient cpu")

	server := "--server " + e.Berth.Pages
	start := forecast(e, person, server)["second"].Start
	if start == nil || *start < 3000 || *start > 3700 {
		t.Errorf("the second waits for the hour of the first, and not for %v s", start)
	}
	second := forecast(e, person, server+" --add-nodes 2:like="+nodes[0])["second"]
	if second.Changed == nil || second.Changed.Start == nil || *second.Changed.Start != 0 {
		t.Errorf("with two more nodes it starts at once: %+v", second)
	}

	e.Must(e.StopBerth())
	output, err := person.Runs(e.Context, "berth when "+server)
	if err == nil || !strings.Contains(output, "expected a berthd there (--server)") {
		t.Errorf("berth when of a berthd that is gone: %v\n%s", err, output)
	}
}
