package oracle

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"slices"

	v1 "k8s.io/api/core/v1"
)

// Bind is an entry of the plan that `berth plan -o json` prints.
type Bind struct {
	Pod   string `json:"pod"`
	Job   string `json:"job"`
	Node  string `json:"node"`
	Order int    `json:"order"`
}

// run gives the cluster to `berth` on standard input, and reads the document that it prints.
func run(ctx context.Context, berth, command string, cluster *Cluster, into any, flags ...string) error {
	text, err := json.Marshal(cluster)
	if err != nil {
		return err
	}
	flags = append([]string{command, "--cluster", "-", "-o", "json"}, flags...)
	process := exec.CommandContext(ctx, berth, flags...)
	process.Stdin = bytes.NewReader(text)
	output, err := process.Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		return fmt.Errorf("%w: %s", err, failed.Stderr)
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(output, into)
}

// AskForPlan runs `berth plan`: what its first session binds, in its order.
func AskForPlan(ctx context.Context, berth string, cluster *Cluster) ([]Bind, error) {
	var plan struct {
		Cycles []struct{ Binds []Bind }
	}
	if err := run(ctx, berth, "plan", cluster, &plan); err != nil {
		return nil, err
	}
	if len(plan.Cycles) == 0 {
		return nil, errors.New("the plan has no session")
	}
	binds := plan.Cycles[0].Binds
	slices.SortFunc(binds, func(left, right Bind) int { return cmp.Compare(left.Order, right.Order) })
	return binds, nil
}

// Sequences asks kube-scheduler's filters about plans of gangs (ORACLE-9).
type Sequences struct {
	Filters *Filters
	Berth   string // the binary
	Seed    uint64
	First   uint64 // the number of the first cluster
	Cases   uint64 // a multiple of GangsInCluster, or rounded up to one

	Gangs, Whole, Pods, Nodes int // what was planned: gangs, those bound whole, pods, their nodes
}

// Clusters are how many are planned.
func (s *Sequences) Clusters() uint64 { return (s.Cases + GangsInCluster - 1) / GangsInCluster }

// Run plans until a bind is refused; nil: none is.
func (s *Sequences) Run(ctx context.Context) (*Difference, error) {
	for number := s.First; number < s.First+s.Clusters(); number++ {
		cluster := GenerateGangs(s.Seed, number)
		binds, err := AskForPlan(ctx, s.Berth, cluster)
		if err != nil {
			return nil, fmt.Errorf("seed %d, cluster %d: %w", s.Seed, number, err)
		}
		s.count(cluster, binds)
		found, err := Refusals(ctx, s.Filters, cluster, binds)
		if err != nil {
			return nil, fmt.Errorf("seed %d, cluster %d: %w", s.Seed, number, err)
		}
		if len(found) == 0 {
			continue
		}
		refused := func(each *Cluster) []string {
			binds, err := AskForPlan(ctx, s.Berth, each)
			if err != nil {
				return nil
			}
			found, err := Refusals(ctx, s.Filters, each, binds)
			if err != nil {
				return nil
			}
			return found
		}
		smaller := Smaller(cluster, func(each *Cluster) bool { return len(refused(each)) > 0 })
		return &Difference{number, refused(smaller), smaller}, nil
	}
	return nil, nil
}

func (s *Sequences) count(cluster *Cluster, binds []Bind) {
	pods, nodes := map[string]int{}, map[string]bool{}
	for _, bind := range binds {
		pods[bind.Job]++
		nodes[bind.Job+" on "+bind.Node] = true
	}
	for _, group := range cluster.Groups {
		bound := pods[group.GetNamespace()+"/"+group.GetName()]
		if bound == 0 {
			continue
		}
		s.Gangs++
		if bound == membersOf(cluster, group) {
			s.Whole++
		}
	}
	s.Pods += len(binds)
	s.Nodes += len(nodes)
}

// Refusals are the binds that kube-scheduler's filters refuse, each one with those before it in
// their places. After the first, nothing is asked: the others were planned beside it.
func Refusals(ctx context.Context, filters *Filters, c *Cluster, binds []Bind) ([]string, error) {
	if err := filters.Load(ctx, withPods(c)); err != nil {
		return nil, err
	}
	for i, bind := range binds {
		at := slices.IndexFunc(c.Pods, func(pod *v1.Pod) bool { return FullName(pod) == bind.Pod })
		if at < 0 {
			return nil, fmt.Errorf("the plan has pod %q, and the cluster has not", bind.Pod)
		}
		answer, err := filters.Place(ctx, c.Pods[at], bind.Node)
		if err != nil {
			return nil, err
		}
		if !answer.Fits {
			return []string{fmt.Sprintf("bind %d of %d, %s on %s: kube-scheduler %s, after %s", i+1,
				len(binds), bind.Pod, bind.Node, verdict(false, answer.why()), textOf(binds[:i]))}, nil
		}
	}
	return nil, nil
}

// Text says how much was planned.
func (s *Sequences) Text() string {
	return fmt.Sprintf("%d gangs in %d clusters: %d have places, %d of these all; %d pods on %d nodes",
		s.Clusters()*GangsInCluster, s.Clusters(), s.Gangs, s.Whole, s.Pods, s.Nodes)
}

func textOf(binds []Bind) string {
	text := ""
	for _, bind := range binds {
		text += fmt.Sprintf("%s on %s; ", bind.Pod, bind.Node)
	}
	return text
}
