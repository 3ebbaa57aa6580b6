package oracle

import (
	"context"
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
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
func AskBerth(ctx context.Context, berth string, cluster *Cluster, flags ...string) (*Fits, error) {
	fits := &Fits{}
	return fits, run(ctx, berth, "fits", cluster, fits, flags...)
}

// Comparison asks both about cases of a seed (ORACLE-7).
type Comparison struct {
	Filters  *Filters
	Berth    string // the binary
	Seed     uint64
	First    uint64 // the number of the first cluster
	Cases    uint64 // a multiple of PodsInCluster, or rounded up to one
	Features []string
	// Config is Berth's, with the default spreads of Filters; empty: none. The clusters have objects
	// that select pods then.
	Config string
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
		if c.Config != "" {
			addSelecting(c.Seed, number, cluster)
		}
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
	var flags []string
	if c.Config != "" {
		flags = []string{"--config", c.Config}
	}
	ours, err := AskBerth(ctx, c.Berth, cluster, flags...)
	if err != nil {
		return nil, err
	}
	return Differences(ctx, c.Filters, ours, cluster)
}

// hinted are the plugins whose answer Berth leaves to kube-scheduler, by what a hint names.
var hinted = map[string][]string{
	"lateBindingVolume": {names.VolumeRestrictions, names.NodeVolumeLimits, names.VolumeBinding,
		names.VolumeZone},
	"migratedVolume":    {names.NodeVolumeLimits}, // disks in the pod; there are no volumes of it
	"numericToleration": {names.TaintToleration},
	"resourceClaims":    {names.DynamicResources},
}

// mayRefuse: the pod is a hint because of something that this plugin decides (ORACLE-4).
func mayRefuse(plugin string, hint []string) bool {
	return slices.ContainsFunc(hint, func(name string) bool {
		return slices.Contains(hinted[name], plugin)
	})
}

// withPods is the cluster as a kubelet reports it. Each says how many pods it takes; in a manifest
// without that, Berth has the kubelet's default (src/kube/node.cpp), and kube-scheduler none at all.
func withPods(c *Cluster) *Cluster {
	reported := *c
	reported.Nodes = slices.Clone(c.Nodes)
	for i, node := range c.Nodes {
		if _, says := node.Status.Allocatable[v1.ResourcePods]; says {
			continue
		}
		reported.Nodes[i] = node.DeepCopy()
		if reported.Nodes[i].Status.Allocatable == nil {
			reported.Nodes[i].Status.Allocatable = v1.ResourceList{}
		}
		reported.Nodes[i].Status.Allocatable[v1.ResourcePods] = resource.MustParse("110")
	}
	return &reported
}

// Differences between the two, one line each. Of a hint, Berth may say more often yes (ORACLE-4).
func Differences(ctx context.Context, filters *Filters, berth *Fits, c *Cluster) ([]string, error) {
	if err := filters.Load(ctx, withPods(c)); err != nil {
		return nil, err
	}
	ours := map[string]FitsOnNode{}
	hints := map[string][]string{}
	for _, pod := range berth.Pods {
		hints[pod.Pod] = pod.Hint
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
			case here.Fits != theirs.Fits && !(here.Fits && mayRefuse(theirs.Plugin, hints[FullName(pod)])):
				different = append(different, fmt.Sprintf("%s: kube-scheduler %s, berth %s", place,
					verdict(theirs.Fits, theirs.why()),
					verdict(here.Fits, here.Reason+": "+here.Message)))
			}
		}
	}
	return different, nil
}

func (a Answer) why() string { return a.Plugin + ": " + strings.Join(a.Reasons, ", ") }

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
