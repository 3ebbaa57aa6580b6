package dashboard

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/grafana/grafana-foundation-sdk/go/bargauge"
	"github.com/grafana/grafana-foundation-sdk/go/cog"
	grafana "github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
	"github.com/grafana/grafana-foundation-sdk/go/stat"
	"github.com/grafana/grafana-foundation-sdk/go/statetimeline"
	"github.com/grafana/grafana-foundation-sdk/go/table"
	"github.com/grafana/grafana-foundation-sdk/go/timeseries"
)

// register makes these kinds of panels known, all of which are part of Grafana.
func register() *cog.Runtime {
	runtime := cog.NewRuntime()
	runtime.RegisterPanelcfgVariant(bargauge.VariantConfig())
	runtime.RegisterPanelcfgVariant(stat.VariantConfig())
	runtime.RegisterPanelcfgVariant(statetimeline.VariantConfig())
	runtime.RegisterPanelcfgVariant(table.VariantConfig())
	runtime.RegisterPanelcfgVariant(timeseries.VariantConfig())
	runtime.RegisterDataqueryVariant(prometheus.VariantConfig())
	return runtime
}

// complaints of Grafana's schema about a dashboard, "" if there are none.
func complaints(text []byte) string {
	var read grafana.Dashboard
	if err := read.UnmarshalJSONStrict(text); err != nil && err.Error() != "" { // never nil
		return err.Error()
	}
	if err := read.Validate(); err != nil {
		return err.Error()
	}
	return ""
}

func TestGrafanasSchemaAcceptsTheDashboard(t *testing.T) {
	runtime := register()
	if found := complaints(readAll(t, "deploy", "monitoring", "dashboard.json")); found != "" {
		t.Error(found)
	}
	read := shipped(t)
	if newest := grafana.NewDashboard().SchemaVersion; read.SchemaVersion != int(newest) {
		t.Errorf("schemaVersion is %d, expected %d", read.SchemaVersion, newest)
	}
	for _, each := range read.all() {
		if _, is := runtime.ConfigForPanelcfgVariant(each.Type); !is {
			t.Errorf("panel %q is of type %q, which the test does not know", each.Title, each.Type)
		}
	}
}

// A schema that accepts everything would show nothing.
func TestGrafanasSchemaRefusesWhatIsWrong(t *testing.T) {
	register()
	shipped := string(readAll(t, "deploy", "monitoring", "dashboard.json"))
	for right, wrong := range map[string]string{
		`"schemaVersion": 42,`:   ``,
		`"colorMode": "value"`:   `"colourMode": "value"`,
		`"legendFormat": `:       `"legend": `,
		`"justifyMode": "auto"`:  `"justifyMode": 3`,
		`"showPoints": "never"`:  `"showPoint": "never"`,
		`"displayMode": "basic"`: `"displayMode": ["basic"]`,
		`"type": "datasource"`:   `"type": "datasource", "datasources": []`,
	} {
		if !strings.Contains(shipped, right) {
			t.Fatalf("the dashboard has no %s", right)
		}
		if complaints([]byte(strings.Replace(shipped, right, wrong, 1))) == "" {
			t.Errorf("%s is accepted in place of %s", wrong, right)
		}
	}
}

// Grafana moves panels that overlap, and confuses panels with one number.
func TestPanelsHavePlacesAndNumbersOfTheirOwn(t *testing.T) {
	numbers := map[int]string{}
	number := func(each panel) {
		if other, is := numbers[each.ID]; is || each.ID == 0 {
			t.Errorf("panel %q has the number %d, as %q has", each.Title, each.ID, other)
		}
		numbers[each.ID] = each.Title
	}
	check := func(level []panel) {
		cells := map[[2]int]string{}
		for _, each := range level {
			number(each)
			at := each.GridPos
			if at.X < 0 || at.W < 1 || at.H < 1 || at.X+at.W > 24 {
				t.Errorf("panel %q is at %+v, of 24 columns", each.Title, at)
			}
			for x := at.X; x < at.X+at.W; x++ {
				for y := at.Y; y < at.Y+at.H; y++ {
					if other, is := cells[[2]int{x, y}]; is {
						t.Fatalf("panels %q and %q overlap", each.Title, other)
					}
					cells[[2]int{x, y}] = each.Title
				}
			}
		}
	}
	read := shipped(t)
	check(read.Panels)
	for _, each := range read.Panels {
		if each.Type == "row" {
			check(each.Panels)
		}
	}
}

var (
	reference = regexp.MustCompile(`\bdocs/([a-z/-]+\.md)(?:#([a-z0-9-]+))?`)
	heading   = regexp.MustCompile(`(?m)^#+ (.*)$`)
	noLetter  = regexp.MustCompile("[^a-z0-9 -]")
)

func anchorsOf(document string) map[string]bool {
	anchors := map[string]bool{}
	for _, each := range heading.FindAllStringSubmatch(document, -1) {
		words := noLetter.ReplaceAllString(strings.ToLower(each[1]), "")
		anchors[strings.ReplaceAll(words, " ", "-")] = true
	}
	return anchors
}

func TestPanelsAreDescribedAndNameDocumentsThatAreThere(t *testing.T) {
	references := 0
	for _, each := range shipped(t).all() {
		if each.Title == "" || each.Description == "" || len(each.Targets) == 0 {
			t.Errorf("panel %d lacks a title, a description or a query", each.ID)
		}
		for _, found := range reference.FindAllStringSubmatch(each.Description, -1) {
			references++
			document := string(readAll(t, "docs", found[1]))
			if found[2] != "" && !anchorsOf(document)[found[2]] {
				t.Errorf("panel %q names %s, which is not there", each.Title, found[0])
			}
		}
	}
	if references < 30 {
		t.Errorf("the panels name %d documents", references)
	}
}

// The data source of a user has another name.
func TestQueriesAreOfTheChosenDataSource(t *testing.T) {
	read := shipped(t)
	for _, each := range read.all() {
		seen := map[string]bool{}
		for _, query := range each.Targets {
			if query.Datasource.UID != "${datasource}" || query.Datasource.Type != "prometheus" {
				t.Errorf("query %s of %q is of the data source %+v", query.RefID, each.Title,
					query.Datasource)
			}
			if seen[query.RefID] {
				t.Errorf("panel %q has two queries %s", each.Title, query.RefID)
			}
			seen[query.RefID] = true
		}
	}
	text, err := json.Marshal(read.Templating)
	if err != nil || !strings.Contains(string(text), `"Name":"datasource","Type":"datasource"`) {
		t.Errorf("no variable datasource: %s", text)
	}
}
