package e2e

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"berth.dev/berth/tests/e2e/harness"
)

// A browser sees a gang wait, and start, on the page of a berthd beside kube-scheduler. Nothing is
// in its console.
func TestThePageShowsAGangThatWaitsAndStarts(t *testing.T) {
	if os.Getenv("BERTH_PAGE_PACKAGES") == "" {
		t.Fatal("BERTH_PAGE_PACKAGES is not set; it is what scripts/page --packages prints")
	}
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	e.AddNodes(2, "4")
	e.CreateGang("gang", 8, 8, cpu("2"))
	e.AwaitCondition("gang", "Unschedulable", harness.Soon)
	browser := exec.CommandContext(e.Context, "node", "tests/page/browser/beside.mjs",
		e.Berth.Pages+"/page/", e.Namespace+"/gang")
	browser.Dir = harness.Repository()
	log := filepath.Join(t.TempDir(), "browser.log")
	faults, err := os.Create(log)
	e.Must(err)
	browser.Stderr = faults
	output, err := browser.StdoutPipe()
	e.Must(err)
	e.Must(browser.Start())
	lines := bufio.NewScanner(output)
	expect := func(words string) {
		t.Helper()
		if lines.Scan() && lines.Text() == words {
			return
		}
		browser.Process.Kill()
		browser.Wait()
		text, _ := os.ReadFile(log)
		t.Fatalf("the browser says %q, expected %q: %s", lines.Text(), words, text)
	}
	expect("waits")
	e.AddNodes(2, "4")
	e.AwaitBound("gang", 8, harness.Soon)
	expect("runs")
	expect("without a fault")
	e.Must(browser.Wait())
}
