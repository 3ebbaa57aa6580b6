package oracle

import (
	"fmt"
	"math/rand/v2"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Few values, so that pods, nodes and volumes meet (ORACLE-6).
var (
	spaces  = []string{"blue", "green", "red"}
	zones   = []string{"a", "b", "c"}
	regions = []string{"a", "b"}
	racks   = []string{"r1", "r2", "r3", "r4"}
	keys    = []string{v1.LabelTopologyZone, "rack", v1.LabelHostname, "none"}
	labels  = []string{"app", "tier", "job"}
	values  = []string{"x", "y", "z"}
	effects = []v1.TaintEffect{v1.TaintEffectNoSchedule, v1.TaintEffectNoExecute,
		v1.TaintEffectPreferNoSchedule}
)

const hugePages = v1.ResourceHugePagesPrefix + "2Mi"

// PodsInCluster is how many pods wait in each generated cluster: so many cases it is.
const PodsInCluster = 8

// dice are all of the chance in a cluster.
type dice struct{ *rand.Rand }

func (d dice) chance(percent int) bool { return d.IntN(100) < percent }

func pick[T any](d dice, from []T) T { return from[d.IntN(len(from))] }

func (d dice) some(from []string) []string {
	var some []string
	for _, each := range from {
		if d.chance(50) {
			some = append(some, each)
		}
	}
	return some
}

func newRand(seed, number uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, number)) }

// Generate makes the cluster of this number. Equal seeds and numbers give equal clusters. Waiting
// pods have three features each; the triples follow each other over the numbers (ORACLE-5). With
// names, only these features are used.
func Generate(seed, number uint64, only ...string) *Cluster {
	d := dice{newRand(seed, number)}
	features := featuresOf(only)
	c := d.cluster()
	for i := range d.IntN(24) {
		d.there(c, i, features)
	}
	triples := triplesOf(len(features))
	for i := range PodsInCluster {
		pod := d.pod(fmt.Sprintf("waits-%d", i))
		at := (number*PodsInCluster + uint64(i)) % uint64(len(triples))
		for _, feature := range triples[at] {
			features[feature].add(d, c, pod)
		}
		c.Pods = append(c.Pods, pod)
	}
	admitAll(c)
	return c
}

// cluster has no pods yet. A namespace may be missing in a dump, and its pods not.
func (d dice) cluster() *Cluster {
	c := &Cluster{}
	for _, name := range spaces {
		space := &v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name,
			Labels: map[string]string{v1.LabelMetadataName: name}}}
		if d.chance(70) {
			space.Labels["team"] = pick(d, values)
		}
		if d.chance(95) {
			c.Namespaces = append(c.Namespaces, space)
		}
	}
	for i := range 3 + d.IntN(8) {
		c.Nodes = append(c.Nodes, d.node(i))
	}
	d.storage(c)
	return c
}

// there adds a pod that is there, terminates, has ended, or is on a node that does not exist.
func (d dice) there(c *Cluster, number int, features []feature) *v1.Pod {
	pod := d.pod(fmt.Sprintf("there-%d", number))
	pod.Spec.NodeName = pick(d, c.Nodes).Name
	for range d.IntN(3) {
		pick(d, features).add(d, c, pod)
	}
	switch d.IntN(20) {
	case 0:
		pod.Status.Phase = pick(d, []v1.PodPhase{v1.PodSucceeded, v1.PodFailed})
	case 1:
		pod.Spec.NodeName = "gone"
	case 2, 3:
		pod.Status.Phase = v1.PodUnknown
	}
	if d.chance(15) {
		now := metav1.Unix(1_700_000_000, 0)
		pod.DeletionTimestamp, pod.Finalizers = &now, []string{"test/kept"}
	}
	c.Pods = append(c.Pods, pod)
	return pod
}

// admitAll does what the API server does to pods. It has stored those that are there.
func admitAll(c *Cluster) {
	for i, pod := range c.Pods {
		Admit(pod)
		if pod.Spec.NodeName != "" {
			c.Pods[i] = withDefaults(pod)
		}
	}
}

func triplesOf(count int) [][3]int {
	var triples [][3]int
	for a := range count {
		for b := a + 1; b < count; b++ {
			for c := b + 1; c < count; c++ {
				triples = append(triples, [3]int{a, b, c})
			}
		}
	}
	return triples
}

func (d dice) node(number int) *v1.Node {
	name := fmt.Sprintf("n%02d", number)
	node := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("node-" + name),
		Labels: map[string]string{}}}
	if d.chance(90) {
		node.Labels[v1.LabelHostname] = name
	}
	if d.chance(85) {
		node.Labels[v1.LabelTopologyZone] = pick(d, zones)
	}
	if d.chance(10) {
		node.Labels[v1.LabelFailureDomainBetaZone] = pick(d, zones)
	}
	if d.chance(20) {
		node.Labels[v1.LabelTopologyRegion] = pick(d, regions)
	}
	if d.chance(5) {
		node.Labels[v1.LabelFailureDomainBetaRegion] = pick(d, regions)
	}
	if d.chance(80) {
		node.Labels["rack"] = pick(d, racks)
	}
	if d.chance(70) {
		node.Labels["size"] = d.size()
	}
	for range d.IntN(2) * d.IntN(2) * d.IntN(3) {
		node.Spec.Taints = append(node.Spec.Taints,
			v1.Taint{Key: pick(d, labels), Value: pick(d, values), Effect: pick(d, effects)})
	}
	if node.Spec.Unschedulable = d.chance(5); node.Spec.Unschedulable && d.chance(50) {
		node.Spec.Taints = append(node.Spec.Taints,
			v1.Taint{Key: v1.TaintNodeUnschedulable, Effect: v1.TaintEffectNoSchedule})
	}
	node.Status.Allocatable = v1.ResourceList{
		v1.ResourceCPU:    *resource.NewMilliQuantity(int64(1000*(1+d.IntN(8))), resource.DecimalSI),
		v1.ResourceMemory: *resource.NewQuantity(int64(1+d.IntN(8))<<30, resource.BinarySI),
		v1.ResourcePods:   *resource.NewQuantity(int64(3+d.IntN(12)), resource.DecimalSI),
	}
	if d.chance(3) { // Berth takes the kubelet's default; see withPods
		delete(node.Status.Allocatable, v1.ResourcePods)
	}
	if d.chance(50) {
		node.Status.Allocatable[v1.ResourceEphemeralStorage] =
			*resource.NewQuantity(int64(d.IntN(4))<<30, resource.BinarySI)
	}
	if d.chance(30) {
		node.Status.Allocatable["example.com/gpu"] =
			*resource.NewQuantity(int64(d.IntN(5)), resource.DecimalSI)
	}
	if d.chance(30) {
		node.Status.Allocatable[hugePages] =
			*resource.NewQuantity(int64(d.IntN(4))<<21, resource.BinarySI)
	}
	node.Status.Capacity = node.Status.Allocatable.DeepCopy()
	return node
}

func (d dice) labels() map[string]string {
	some := map[string]string{}
	for _, key := range d.some(labels) {
		some[key] = pick(d, values)
	}
	return some
}

func (d dice) pod(name string) *v1.Pod {
	space := pick(d, spaces)
	pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: space, Labels: d.labels(),
		UID: types.UID(space + "-" + name)}}
	pod.Spec.SchedulerName = "berth"
	pod.Spec.Containers = []v1.Container{{Name: "main", Image: "image"}}
	if d.chance(80) {
		pod.Spec.Containers[0].Resources.Requests = v1.ResourceList{
			v1.ResourceCPU:    *resource.NewMilliQuantity(int64(100*d.IntN(6)), resource.DecimalSI),
			v1.ResourceMemory: *resource.NewQuantity(int64(d.IntN(4))<<28, resource.BinarySI),
		}
	}
	return pod
}

// selector is a label selector: none, empty, or with requirements, odd ones too.
func (d dice) selector() *metav1.LabelSelector {
	switch d.IntN(10) {
	case 0:
		return nil
	case 1:
		return &metav1.LabelSelector{}
	}
	selector := &metav1.LabelSelector{}
	if d.chance(60) {
		selector.MatchLabels = map[string]string{pick(d, labels): pick(d, values)}
	}
	for range d.IntN(3) {
		selector.MatchExpressions = append(selector.MatchExpressions,
			d.requirement(append(labels, "absent"), values))
	}
	return selector
}

// requirement has any of the operators.
func (d dice) requirement(keys, values []string) metav1.LabelSelectorRequirement {
	requirement := metav1.LabelSelectorRequirement{Key: pick(d, keys)}
	switch d.IntN(4) {
	case 0:
		requirement.Operator = metav1.LabelSelectorOpExists
	case 1:
		requirement.Operator = metav1.LabelSelectorOpDoesNotExist
	case 2:
		requirement.Operator, requirement.Values = metav1.LabelSelectorOpIn,
			[]string{pick(d, values), pick(d, values)}
	case 3:
		requirement.Operator, requirement.Values = metav1.LabelSelectorOpNotIn,
			[]string{pick(d, values)}
	}
	return requirement
}

// spaceSelector is a selector of namespaces: empty, by team, by name, or one that holds for none.
func (d dice) spaceSelector() *metav1.LabelSelector {
	selector := &metav1.LabelSelector{}
	if d.chance(25) {
		return selector
	}
	if d.chance(40) {
		selector.MatchLabels = map[string]string{"team": pick(d, values)}
	}
	if d.chance(15) {
		selector.MatchLabels = map[string]string{v1.LabelMetadataName: pick(d, spaces)}
	}
	for range d.IntN(3) {
		requirement := d.requirement([]string{"team", "absent"}, values)
		if d.chance(30) {
			requirement = d.requirement([]string{v1.LabelMetadataName}, spaces)
		}
		selector.MatchExpressions = append(selector.MatchExpressions, requirement)
	}
	return selector
}

// otherKeys are labels that the selector does not have: the API server refuses those that it has,
// and all of them where there is no selector.
func (d dice) otherKeys(selector *metav1.LabelSelector) []string {
	if selector == nil {
		return nil
	}
	return slices.DeleteFunc(d.some(labels), func(key string) bool {
		isIt := func(each metav1.LabelSelectorRequirement) bool { return each.Key == key }
		_, has := selector.MatchLabels[key]
		return has || slices.ContainsFunc(selector.MatchExpressions, isIt)
	})
}
