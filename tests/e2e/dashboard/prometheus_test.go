package dashboard

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

const scrapeInterval = "500ms"

// onlyLive are metrics of connections to an API server and of the view, which an embedded cluster
// does not have.
var onlyLive = regexp.MustCompile(`^berth_(api_(requests|silent|writes_outdated)|lease|view)_`)

// choice are values of the dashboard's variables.
type choice struct{ namespace, pod, queue, resource string }

var everything = choice{".*", ".*", ".*", "cpu"}

// as is the query that Grafana sends.
func (c choice) as(expression string) string {
	return strings.NewReplacer("$__rate_interval", "2s", "$__range", "1m", "$namespace", c.namespace,
		"$pod", c.pod, "$queue", c.queue, "$resource", c.resource).Replace(expression)
}

func isOnlyLive(expression string) bool {
	return slices.ContainsFunc(metricName.FindAllString(expression, -1), onlyLive.MatchString)
}

type query struct {
	panel string
	target
}

func (q query) String() string { return fmt.Sprintf("query %s of %q", q.RefID, q.panel) }

func queries(t *testing.T) []query {
	t.Helper()
	var all []query
	for _, each := range shipped(t).all() {
		for _, one := range each.Targets {
			all = append(all, query{each.Title, one})
		}
	}
	if len(all) < 50 {
		t.Fatalf("the dashboard has %d queries", len(all))
	}
	return all
}

// world is a berthd at work and a Prometheus that has seen it from the beginning.
type world struct {
	server
	from time.Time
}

func begin(t *testing.T) world {
	t.Helper()
	manifests := t.TempDir()
	from := time.Now()
	testdata := func(name string) string {
		return string(readAll(t, "tests", "e2e", "dashboard", "testdata", name))
	}
	write(t, testdata("cluster.yaml"), manifests, "1-cluster.yaml")
	extender, pages := berthd(t, manifests)
	w := world{startPrometheus(t, pages), from}
	w.await(t, func() error { // a rate needs what was there before
		found, err := w.evaluate(`berth_state{what="ready"} == 1`, from)
		if err == nil && len(found) == 0 {
			err = fmt.Errorf("berthd is not scraped")
		}
		return err
	})
	call(t, extender)
	write(t, testdata("jobs.yaml"), manifests, "2-jobs.yaml")
	return w
}

func (w world) await(t *testing.T, condition func() error) {
	t.Helper()
	ticker := time.NewTicker(200 * time.Millisecond)
	defer ticker.Stop()
	last := time.After(time.Minute)
	for {
		err := condition()
		if err == nil {
			return
		}
		select {
		case <-ticker.C:
		case <-last:
			t.Fatal(err)
		}
	}
}

// numbers are the series of a query that have numbers, with each resource in turn.
func (w world) numbers(t *testing.T, q query, chosen choice) []sample {
	t.Helper()
	for _, resource := range []string{"cpu", "memory"} {
		chosen.resource = resource
		expression := chosen.as(q.Expr)
		if strings.Contains(expression, "$") {
			t.Fatalf("%v has a variable that is not there: %s", q, expression)
		}
		found, err := w.evaluate(expression, w.from)
		if err != nil {
			t.Fatalf("%v: %v\n%s", q, err, expression)
		}
		found = slices.DeleteFunc(found, func(each sample) bool { return !each.isNumber() })
		if len(found) > 0 {
			return found
		}
	}
	return nil
}

func TestPrometheusHasAllThatThePanelsAskFor(t *testing.T) {
	w := begin(t)
	all := queries(t)
	w.await(t, func() error {
		var empty []string
		for _, each := range all {
			if !isOnlyLive(each.Expr) && w.numbers(t, each, everything) == nil {
				empty = append(empty, fmt.Sprintf("%v has no number: %s", each, each.Expr))
			}
		}
		if empty != nil {
			return fmt.Errorf("%s", strings.Join(empty, "\n"))
		}
		return nil
	})
	for _, each := range all {
		w.checkFilters(t, each)
		w.checkLegend(t, each)
		w.checkSelectors(t, each)
	}
	w.checkVariables(t)
	w.checkLive(t, all)
}

// checkFilters shows that the choice of a namespace, a replica and a queue counts.
func (w world) checkFilters(t *testing.T, q query) {
	t.Helper()
	one := choice{namespace: "berth-system", pod: "berth-0", queue: "batch|vision|research"}
	if !isOnlyLive(q.Expr) && w.numbers(t, q, one) == nil {
		t.Errorf("%v has no number for %+v", q, one)
	}
	for _, other := range []choice{{"elsewhere", ".*", ".*", ""}, {".*", "elsewhere", ".*", ""},
		{".*", ".*", "elsewhere", ""}} {
		if other.queue == "elsewhere" && !strings.Contains(q.Expr, "$queue") {
			continue
		}
		if found := w.numbers(t, q, other); found != nil {
			t.Errorf("%v has %v for %+v: %s", q, found[0].Metric, other, q.Expr)
		}
	}
}

// checkLegend shows that each label in the name of a line is there.
func (w world) checkLegend(t *testing.T, q query) {
	t.Helper()
	for _, each := range w.numbers(t, q, everything) {
		for _, label := range placed.FindAllStringSubmatch(q.LegendFormat, -1) {
			if each.Metric[label[1]] == "" {
				t.Errorf("%v names its lines %q and has %v", q, q.LegendFormat, each.Metric)
			}
		}
	}
}

// checkSelectors shows that metrics, labels and values that are written in a query are known:
// berthd has them now, or docs/metrics.md has them.
func (w world) checkSelectors(t *testing.T, q query) {
	t.Helper()
	documented := documentedMetrics(t)
	for _, metric := range metricName.FindAllString(q.Expr, -1) {
		if documented[familyOf(metric)] == "" {
			t.Errorf("%v asks for %s, which docs/metrics.md does not have", q, metric)
		}
	}
	if selected := selector.FindAllString(q.Expr, -1); len(selected) !=
		len(metricName.FindAllString(q.Expr, -1)) {
		t.Errorf("%v has a metric without a selection: %s", q, q.Expr)
	}
	for _, selected := range selector.FindAllStringSubmatch(q.Expr, -1) {
		series, err := w.series(selected[1])
		if err != nil {
			t.Fatal(err)
		}
		line := documented[familyOf(selected[1])]
		for _, each := range matcher.FindAllStringSubmatch(selected[2], -1) {
			label, value := each[1], each[3]
			if label == "namespace" || label == "pod" {
				continue
			}
			if !strings.Contains(line, "`"+label+"`") {
				t.Errorf("%v: docs/metrics.md has no label %s of %s", q, label, selected[1])
			}
			if strings.HasPrefix(value, "$") || label == "resource" { // resources differ by cluster
				continue
			}
			for _, one := range strings.Split(value, "|") {
				is := slices.ContainsFunc(series, func(labels map[string]string) bool {
					return labels[label] == one
				})
				if !is && !regexp.MustCompile(`\b`+regexp.QuoteMeta(one)+`\b`).MatchString(line) {
					t.Errorf("%v: no %s of %s is %q", q, label, selected[1], one)
				}
			}
		}
	}
}

// checkVariables shows that the lists to choose from have the values of this cluster.
func (w world) checkVariables(t *testing.T) {
	t.Helper()
	wanted := map[string]string{"namespace": "berth-system", "pod": "berth-0", "queue": "vision",
		"resource": "nvidia.com/gpu"}
	values := regexp.MustCompile(`^label_values\((.*),([a-z]+)\)$`)
	for _, each := range shipped(t).Templating.List {
		if each.Type != "query" {
			continue
		}
		parts := values.FindStringSubmatch(each.Definition)
		of, _ := each.Query.(map[string]any)
		if parts == nil || of["query"] != each.Definition {
			t.Errorf("variable %s has the query %v and the definition %q", each.Name, each.Query,
				each.Definition)
			continue
		}
		series, err := w.series(everything.as(parts[1]))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(series, func(labels map[string]string) bool {
			return labels[parts[2]] == wanted[each.Name]
		}) {
			t.Errorf("variable %s has no value %q", each.Name, wanted[each.Name])
		}
		delete(wanted, each.Name)
	}
	if len(wanted) > 0 {
		t.Errorf("no variables %v", slices.Collect(maps.Keys(wanted)))
	}
}

// checkLive shows that onlyLive has no more than it must, and that the code has these metrics.
func (w world) checkLive(t *testing.T, all []query) {
	t.Helper()
	code := string(readAll(t, "src", "daemon", "live_environment.cpp")) +
		string(readAll(t, "src", "daemon", "view.cpp"))
	asked := 0
	for _, each := range all {
		for _, metric := range metricName.FindAllString(each.Expr, -1) {
			if !onlyLive.MatchString(metric) {
				continue
			}
			asked++
			if !strings.Contains(code, `"`+metric+`"`) {
				t.Errorf("%v asks for %s, which berthd does not have", each, metric)
			}
			if series, err := w.series(metric); err != nil || len(series) > 0 {
				t.Errorf("%s is not only of a live cluster: %v, %v", metric, series, err)
			}
		}
	}
	if asked == 0 {
		t.Error("onlyLive is of no use")
	}
}
