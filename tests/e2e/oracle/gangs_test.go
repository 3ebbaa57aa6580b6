package oracle

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
)

// ORACLE-9.
func TestGangsArePlacedAsPlanned(t *testing.T) {
	filters, berth := filtersFor(t), berthFor(t)
	for _, each := range []struct {
		seed, cases uint64
		isEnough    bool // chance decides how much a few gangs of another seed show
	}{
		{seed, 500, true}, {uint64(time.Now().UnixNano()), 100, false},
	} {
		t.Run(fmt.Sprintf("seed %d", each.seed), func(t *testing.T) {
			sequences := Sequences{Filters: filters, Berth: berth, Seed: each.seed, Cases: each.cases}
			found, err := sequences.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			t.Log(sequences.Text())
			if found == nil {
				if each.isEnough {
					sequences.expectEnough(t)
				}
				return
			}
			cluster, err := json.Marshal(found.Cluster)
			t.Errorf("seed %d, cluster %d: %q in %s (%v)", each.seed, found.Number, found.Lines, cluster,
				err)
		})
	}
}

// Of all gangs, a third starts at least, and those that start are on two nodes or more on average.
func (s *Sequences) expectEnough(t *testing.T) {
	t.Helper()
	gangs := int(s.Clusters()) * GangsInCluster
	if s.Gangs*3 < gangs || s.Whole*4 < gangs || s.Nodes < 2*s.Gangs {
		t.Errorf("too little is planned: %s", s.Text())
	}
}

// A plan that is out of order is found out: the workers need their launcher.
func TestABindThatIsRefusedIsFound(t *testing.T) {
	launcher, worker := podOf("launcher", "x", ""), podOf("worker", "y", "")
	near(worker, term("rack", byApp("x")))
	c := &Cluster{Nodes: racked(), Pods: []*v1.Pod{launcher, worker}}
	filters := filtersFor(t)
	right := []Bind{{Pod: "red/launcher", Node: "n1"}, {Pod: "red/worker", Node: "n1"}}
	for _, each := range []struct {
		binds []Bind
		want  int
	}{
		{right, 0},
		{[]Bind{right[1], right[0]}, 1},
		{[]Bind{right[0], {Pod: "red/worker", Node: "n2"}}, 1},
	} {
		found, err := Refusals(t.Context(), filters, c, each.binds)
		if err != nil || len(found) != each.want {
			t.Errorf("%v: %q, %v", each.binds, found, err)
		}
	}
}

// The gangs are such that the order counts: backwards, some of their plans are refused.
func TestTheOrderOfAPlanCounts(t *testing.T) {
	filters, berth, refused := filtersFor(t), berthFor(t), 0
	for number := range uint64(40) {
		c := GenerateGangs(seed, number)
		binds, err := AskForPlan(t.Context(), berth, c)
		if err != nil {
			t.Fatal(err)
		}
		slices.Reverse(binds)
		found, err := Refusals(t.Context(), filters, c, binds)
		if err != nil {
			t.Fatal(err)
		}
		refused += len(found)
	}
	t.Logf("%d of 40 plans are refused backwards", refused)
	if refused == 0 {
		t.Error("none is refused backwards")
	}
}
