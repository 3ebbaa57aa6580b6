package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"berth.dev/berth/tests/e2e/harness"
)

type alertRule struct {
	Alert       string            `json:"alert"`
	Expr        string            `json:"expr"`
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
}

func alertRules(t *testing.T) []alertRule {
	t.Helper()
	text, err := os.ReadFile(harness.Deploy("helm", "berth", "files", "alerts.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Groups []struct {
			Rules []alertRule `json:"rules"`
		} `json:"groups"`
	}
	if err := yaml.Unmarshal(text, &file); err != nil || len(file.Groups) != 1 {
		t.Fatalf("no group of rules: %v", err)
	}
	return file.Groups[0].Rules
}

func document(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(harness.Repository(), "docs", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// docs/sizing.md has a line for each alert, made of the rule itself.
func TestEachAlertHasALineInTheDocuments(t *testing.T) {
	var table strings.Builder
	table.WriteString("| alert | it means | what to do |\n|---|---|---|\n")
	for _, rule := range alertRules(t) {
		said := rule.Annotations
		fmt.Fprintf(&table, "| `%s` (%s) | %s. %s | %s |\n", rule.Alert, rule.Labels["severity"],
			said["summary"], said["description"], said["runbook"])
	}
	if !strings.HasSuffix(document(t, "sizing.md"), table.String()) {
		t.Errorf("docs/sizing.md must end with:\n%s", table.String())
	}
}

// A metric that berthd does not have would keep an alert silent for ever.
func TestAlertsAndQueriesNameMetricsThatThereAre(t *testing.T) {
	metrics := document(t, "metrics.md")
	name := regexp.MustCompile(`\bberth_[a-z_]+`)
	queries := document(t, "sizing.md")
	for _, rule := range alertRules(t) {
		queries += rule.Expr + "\n"
	}
	for _, metric := range name.FindAllString(queries, -1) {
		metric = strings.TrimSuffix(strings.TrimSuffix(metric, "_count"), "_bucket")
		if !strings.Contains(metrics, "`"+metric+"`") {
			t.Errorf("docs/metrics.md has no metric %s", metric)
		}
	}
}

func promtool(t *testing.T, arguments ...string) {
	t.Helper()
	output, err := exec.Command("promtool", arguments...).CombinedOutput()
	if err != nil {
		t.Fatalf("promtool %v (scripts/install-deps installs it): %v\n%s", arguments, err, output)
	}
}

// Prometheus' own program evaluates each rule, and each query of docs/sizing.md.
func TestAlertsFireAndAreSilent(t *testing.T) {
	rules := harness.Deploy("monitoring", "alerts.yaml")
	tests := harness.Deploy("monitoring", "tests", "alerts.yaml")
	promtool(t, "check", "rules", rules)
	promtool(t, "test", "rules", tests)
	text, err := os.ReadFile(tests)
	if err != nil {
		t.Fatal(err)
	}
	for _, rule := range alertRules(t) {
		fires := `labels: 'ALERTS{alertname="` + rule.Alert + `", alertstate="firing", severity="` +
			rule.Labels["severity"] + `"`
		silent := `alertname="` + rule.Alert + `"}', eval_time: [0-9hm]+, exp_samples: \[\]`
		if !strings.Contains(string(text), fires) || !regexp.MustCompile(silent).Match(text) {
			t.Errorf("%s: %s is not shown to fire and to be silent", tests, rule.Alert)
		}
		label := regexp.MustCompile(`\$labels\.([a-z]+)`)
		for _, used := range label.FindAllStringSubmatch(fmt.Sprint(rule.Annotations), -1) {
			firing := regexp.MustCompile(regexp.QuoteMeta(fires) + `.*\b` + used[1] + `="`)
			if !firing.Match(text) {
				t.Errorf("%s: %s has no label %s when it fires", tests, rule.Alert, used[1])
			}
		}
	}
	queries := regexp.MustCompile("(?m)^\\| [^|]*\\? \\| `([^`]+)`").FindAllStringSubmatch(
		document(t, "sizing.md"), -1)
	if len(queries) < 6 {
		t.Errorf("docs/sizing.md has %d queries", len(queries))
	}
	for _, query := range queries {
		if !strings.Contains(string(text), "expr: '"+query[1]+"'\n") {
			t.Errorf("%s has no query %s", tests, query[1])
		}
	}
}
