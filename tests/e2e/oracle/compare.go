package oracle

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
)

// Fits is what `berth fits -o json` prints.
type Fits struct {
	APIVersion string       `json:"apiVersion"`
	Kind       string       `json:"kind"`
	Pods       []FitsForPod `json:"pods"`
}

// FitsForPod has an entry for each node, by name.
type FitsForPod struct {
	Pod   string       `json:"pod"`
	Hint  []string     `json:"hint,omitempty"` // constraints that are not modelled
	Nodes []FitsOnNode `json:"nodes"`
}

// FitsOnNode is Berth's answer for one node.
type FitsOnNode struct {
	Node    string `json:"node"`
	Fits    bool   `json:"fits"`
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
}

// AskBerth runs `berth fits` for all waiting pods of the cluster.
func AskBerth(ctx context.Context, berth string, cluster *Cluster) (*Fits, error) {
	text, err := json.Marshal(cluster)
	if err != nil {
		return nil, err
	}
	command := exec.CommandContext(ctx, berth, "fits", "--cluster", "-", "-o", "json")
	command.Stdin = bytes.NewReader(text)
	output, err := command.Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		return nil, fmt.Errorf("%w: %s", err, failed.Stderr)
	}
	if err != nil {
		return nil, err
	}
	fits := &Fits{}
	return fits, json.Unmarshal(output, fits)
}

// Comparison asks both about cases of a seed (ORACLE-7).
type Comparison struct {
	Filters  *Filters
	Berth    string // the binary
	Seed     uint64
	First    uint64 // the number of the first cluster
	Cases    uint64 // a multiple of PodsInCluster, or rounded up to one
	Features []string
}

// Difference is the first one of a Comparison.
type Difference struct {
	Number  uint64   // of the cluster
	Lines   []string // of the smaller cluster
	Cluster *Cluster // the smallest one in which they still differ
}

// Clusters are how many are asked about.
func (c *Comparison) Clusters() uint64 { return (c.Cases + PodsInCluster - 1) / PodsInCluster }

// Run compares until the two differ; nil: nowhere.
func (c *Comparison) Run(ctx context.Context) (*Difference, error) {
	for number := c.First; number < c.First+c.Clusters(); number++ {
		cluster := Generate(c.Seed, number, c.Features...)
		found, err := c.differences(ctx, cluster)
		if err != nil {
			return nil, fmt.Errorf("seed %d, cluster %d: %w", c.Seed, number, err)
		}
		if len(found) == 0 {
			continue
		}
		smaller := Smaller(cluster, func(each *Cluster) bool {
			found, err := c.differences(ctx, each)
			return err == nil && len(found) > 0
		})
		found, err = c.differences(ctx, smaller)
		return &Difference{number, found, smaller}, err
	}
	return nil, nil
}

func (c *Comparison) differences(ctx context.Context, cluster *Cluster) ([]string, error) {
	ours, err := AskBerth(ctx, c.Berth, cluster)
	if err != nil {
		return nil, err
	}
	return Differences(ctx, c.Filters, ours, cluster)
}

// Differences between the two, one line each. Of a hint, Berth may say more often yes (ORACLE-4).
func Differences(ctx context.Context, filters *Filters, berth *Fits, c *Cluster) ([]string, error) {
	if err := filters.Load(ctx, c); err != nil {
		return nil, err
	}
	ours := map[string]FitsOnNode{}
	hints := map[string]bool{}
	for _, pod := range berth.Pods {
		hints[pod.Pod] = len(pod.Hint) > 0
		for _, node := range pod.Nodes {
			ours[pod.Pod+" on "+node.Node] = node
		}
	}
	var different []string
	for _, pod := range c.Waiting() {
		answers, err := filters.Ask(ctx, pod)
		if err != nil {
			return nil, err
		}
		for _, theirs := range answers {
			place := FullName(pod) + " on " + theirs.Node
			here, isThere := ours[place]
			switch {
			case !isThere:
				different = append(different, place+": berth has no answer")
			case here.Fits != theirs.Fits && !(hints[FullName(pod)] && here.Fits):
				different = append(different, fmt.Sprintf("%s: kube-scheduler %s, berth %s", place,
					verdict(theirs.Fits, theirs.Plugin+": "+strings.Join(theirs.Reasons, ", ")),
					verdict(here.Fits, here.Reason+": "+here.Message)))
			}
		}
	}
	return different, nil
}

func verdict(fits bool, why string) string {
	if fits {
		return "yes"
	}
	return "no (" + why + ")"
}

// Smaller takes objects out of the cluster as long as `isBad` still holds (ORACLE-8).
func Smaller(c *Cluster, isBad func(*Cluster) bool) *Cluster {
	for position := len(c.Objects()) - 1; position >= 0; position-- {
		if smaller := c.Without(position); isBad(smaller) {
			c = smaller
		}
	}
	return c
}
