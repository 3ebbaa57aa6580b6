// Package dashboard tests deploy/monitoring/dashboard.json: by Grafana's schema, and by a
// Prometheus that scrapes a berthd of an embedded cluster. It needs no control plane.
package dashboard

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

type position struct{ X, Y, W, H int }

type target struct {
	RefID        string
	Expr         string
	LegendFormat string
	Datasource   struct{ Type, UID string }
}

type panel struct {
	ID                       int
	Type, Title, Description string
	Collapsed                bool
	GridPos                  position
	Targets                  []target
	Panels                   []panel // of a row that is collapsed
}

type variable struct {
	Name, Type, Definition string
	Query                  any
}

type file struct {
	UID           string
	SchemaVersion int
	Templating    struct{ List []variable }
	Panels        []panel
}

func inRepository(parts ...string) string {
	return filepath.Join(append([]string{"..", "..", ".."}, parts...)...)
}

func readAll(t *testing.T, parts ...string) []byte {
	t.Helper()
	text, err := os.ReadFile(inRepository(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func shipped(t *testing.T) file {
	t.Helper()
	var read file
	if err := json.Unmarshal(readAll(t, "deploy", "monitoring", "dashboard.json"), &read); err != nil {
		t.Fatal(err)
	}
	return read
}

// all are the panels without rows, in their order.
func (f file) all() []panel {
	var panels []panel
	for _, each := range f.Panels {
		if each.Type != "row" {
			panels = append(panels, each)
		}
		panels = append(panels, each.Panels...)
	}
	return panels
}

var (
	metricName = regexp.MustCompile(`\bberth_[a-z_]+`)
	selector   = regexp.MustCompile(`\b(berth_[a-z_]+)\{([^}]*)\}`)
	matcher    = regexp.MustCompile(`([a-z_]+)(=~|!~|!=|=)"([^"]*)"`)
	placed     = regexp.MustCompile(`\{\{([a-z_]+)\}\}`)
	ofSeries   = regexp.MustCompile("_seconds_(bucket|count|sum)$")
	quoted     = regexp.MustCompile("`[a-z._]+`")
)

// familyOf is the name that docs/metrics.md has.
func familyOf(metric string) string { return ofSeries.ReplaceAllString(metric, "_seconds") }

// documentedMetrics are the lines of docs/metrics.md by metric.
func documentedMetrics(t *testing.T) map[string]string {
	t.Helper()
	lines := map[string]string{}
	for line := range strings.Lines(string(readAll(t, "docs", "metrics.md"))) {
		if !strings.HasPrefix(line, "| `berth_") {
			continue
		}
		cell, _, _ := strings.Cut(strings.TrimPrefix(line, "| "), "|")
		base := ""
		for _, quotedName := range quoted.FindAllString(cell, -1) {
			name := strings.Trim(quotedName, "`")
			end, isEnd := strings.CutPrefix(name, "...")
			if !isEnd {
				base = strings.TrimSuffix(name, "_total")
				lines[name] = line
				continue
			}
			lines[base+end] = line // requests_total: requests_failed_total
			lines[base[:strings.LastIndexByte(base, '_')]+end] = line
		}
	}
	return lines
}
