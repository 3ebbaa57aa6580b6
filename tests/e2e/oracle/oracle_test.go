package oracle

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
)

const (
	seed     = 20261123
	clusters = 250
)

func filtersFor(t *testing.T) *Filters {
	t.Helper()
	filters, err := NewFilters(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return filters
}

func ask(t *testing.T, filters *Filters, c *Cluster, pod *v1.Pod) []Answer {
	t.Helper()
	if err := filters.Load(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	answers, err := filters.Ask(t.Context(), pod)
	if err != nil {
		t.Fatal(err)
	}
	return answers
}

// text of answers: "n1 yes, n2 PodTopologySpread".
func text(answers []Answer) string {
	var parts []string
	for _, each := range answers {
		verdict := each.Plugin
		if each.Fits {
			verdict = "yes"
		}
		parts = append(parts, each.Node+" "+verdict)
	}
	return strings.Join(parts, ", ")
}

func nodeOf(name string, labels ...string) *v1.Node {
	node := &v1.Node{ObjectMeta: named(name)}
	node.Labels = map[string]string{v1.LabelHostname: name}
	for i := 0; i+1 < len(labels); i += 2 {
		node.Labels[labels[i]] = labels[i+1]
	}
	node.Status.Allocatable = v1.ResourceList{v1.ResourcePods: resource.MustParse("10")}
	return node
}

func podOf(name, app, node string) *v1.Pod {
	pod := &v1.Pod{ObjectMeta: named(name)}
	pod.Namespace, pod.Labels = "red", map[string]string{"app": app}
	pod.Spec.NodeName = node
	return pod
}

func byApp(app string) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}}
}

func awayFrom(app string) *v1.Affinity {
	return &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{
			{LabelSelector: byApp(app), TopologyKey: v1.LabelHostname}}}}
}

func TestAGangOfOneAPodANodeFillsTheNodes(t *testing.T) {
	filters := filtersFor(t)
	c := &Cluster{Nodes: []*v1.Node{nodeOf("n1"), nodeOf("n2"), nodeOf("n3")}}
	if err := filters.Load(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	for i, node := range []string{"n1", "n2", "n3", "n1"} {
		worker := podOf(fmt.Sprintf("w-%d", i), "x", "")
		worker.Spec.Affinity = awayFrom("x")
		got, err := filters.Place(t.Context(), worker, node)
		if err != nil {
			t.Fatal(err)
		}
		want := Answer{Node: node, Fits: true}
		if i == 3 {
			want = Answer{Node: node, Plugin: names.InterPodAffinity,
				Reasons: []string{"node(s) didn't match pod anti-affinity rules"}}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("worker %d: %s", i, diff)
		}
	}
}

// Four pods over two zones of a node each, in an order that the skew allows. The sibling that waits
// for the same node counts there, and no pod of the other zone does.
func TestNominatedMembersOfASpreadRefuseEachOther(t *testing.T) {
	filters := filtersFor(t)
	c := &Cluster{Nodes: []*v1.Node{nodeOf("n1", "zone", "a"), nodeOf("n2", "zone", "b")}}
	place := func(nominate func(left []*v1.Pod)) string {
		if err := filters.Load(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		var pods []*v1.Pod
		for i := range 4 {
			pod := podOf(fmt.Sprintf("w-%d", i), "x", "")
			pod.UID = types.UID(pod.Name)
			pod.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{{MaxSkew: 1,
				TopologyKey: "zone", WhenUnsatisfiable: v1.DoNotSchedule, LabelSelector: byApp("x")}}
			pods = append(pods, pod)
		}
		var answers []Answer
		for i, pod := range pods {
			nominate(pods[i:])
			answer, err := filters.Place(t.Context(), pod, nodeOfMember(pod))
			if err != nil {
				t.Fatal(err)
			}
			answers = append(answers, answer)
		}
		return text(answers)
	}
	nominate := func(pods []*v1.Pod) {
		for _, pod := range pods {
			if err := filters.Nominate(pod, nodeOfMember(pod)); err != nil {
				t.Fatal(err)
			}
		}
	}
	none := place(func([]*v1.Pod) {})
	all := place(nominate)
	one := place(func(left []*v1.Pod) { nominate(left[:min(2, len(left))]) }) // on different nodes
	if want := "n1 yes, n2 yes, n1 yes, n2 yes"; none != want || one != want {
		t.Errorf("got %q and %q, want %q", none, one, want)
	}
	if !strings.HasPrefix(all, "n1 PodTopologySpread, n2 PodTopologySpread") {
		t.Errorf("got %q", all)
	}
}

func nodeOfMember(pod *v1.Pod) string {
	if pod.Name == "w-0" || pod.Name == "w-2" {
		return "n1"
	}
	return "n2"
}

func TestAPodThatIsThereKeepsOthersAway(t *testing.T) {
	there := podOf("there", "y", "n1")
	there.Spec.Affinity = awayFrom("x")
	c := &Cluster{Nodes: []*v1.Node{nodeOf("n1"), nodeOf("n2")}, Pods: []*v1.Pod{there}}
	got := text(ask(t, filtersFor(t), c, podOf("waits", "x", "")))
	if want := "n1 InterPodAffinity, n2 yes"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAnEmptySelectorOfASpreadCountsNobody(t *testing.T) {
	c := &Cluster{Nodes: []*v1.Node{nodeOf("n1", "rack", "r1"), nodeOf("n2", "rack", "r2"),
		nodeOf("n3")}}
	for i := range 5 {
		c.Pods = append(c.Pods, podOf(fmt.Sprintf("there-%d", i), "x", "n1"))
	}
	waits := podOf("waits", "x", "")
	spread := v1.TopologySpreadConstraint{MaxSkew: 1, TopologyKey: "rack",
		WhenUnsatisfiable: v1.DoNotSchedule, LabelSelector: byApp("x")}
	waits.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{spread}
	filters := filtersFor(t)
	got := text(ask(t, filters, c, waits))
	if want := "n1 PodTopologySpread, n2 yes, n3 PodTopologySpread"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	waits.Spec.TopologySpreadConstraints[0].LabelSelector = &metav1.LabelSelector{}
	got = text(ask(t, filters, c, waits))
	if want := "n1 yes, n2 yes, n3 PodTopologySpread"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAFreeVolumeIsTakenOnce(t *testing.T) {
	filters := filtersFor(t)
	c := &Cluster{Nodes: []*v1.Node{nodeOf("n1")}}
	c.Classes = Generate(seed, 0).Classes
	volume := &v1.PersistentVolume{ObjectMeta: named("disk")}
	volume.Spec.Capacity = v1.ResourceList{v1.ResourceStorage: gibibytes(2)}
	volume.Spec.AccessModes = []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce}
	volume.Spec.StorageClassName, volume.Status.Phase = "local", v1.VolumeAvailable
	c.Volumes = []*v1.PersistentVolume{volume}
	var pods []*v1.Pod
	for _, name := range []string{"first", "second"} {
		claim := &v1.PersistentVolumeClaim{ObjectMeta: named(name)}
		claim.Namespace = "red"
		claim.Spec.StorageClassName = &volume.Spec.StorageClassName
		claim.Spec.AccessModes = volume.Spec.AccessModes
		claim.Spec.Resources.Requests = v1.ResourceList{v1.ResourceStorage: gibibytes(1)}
		c.Claims = append(c.Claims, claim)
		pod := podOf(name, "x", "")
		pod.Spec.Volumes = []v1.Volume{{Name: "v", VolumeSource: v1.VolumeSource{
			PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: name}}}}
		pods = append(pods, pod)
	}
	for round := range 2 { // the second Load gives the volume back
		if err := filters.Load(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		for i, pod := range pods {
			got, err := filters.Place(t.Context(), pod, "n1")
			if err != nil || got.Fits != (i == 0) {
				t.Errorf("round %d, %s: %+v, %v", round, pod.Name, got, err)
			}
		}
	}
}

func TestEqualSeedsGiveEqualClusters(t *testing.T) {
	write := func(seed, number uint64) string {
		text, err := json.Marshal(Generate(seed, number))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if write(seed, 3) != write(seed, 3) {
		t.Error("cluster 3 differs from itself")
	}
	if write(seed, 3) == write(seed+1, 3) {
		t.Error("another seed gives the same cluster")
	}
}

// A newer kube-scheduler with another filter must be looked at (docs/design/hints.md).
func TestTheseAreAllFilters(t *testing.T) {
	want := []string{names.NodeName, names.NodeUnschedulable, names.TaintToleration,
		names.NodeAffinity, names.NodePorts, names.NodeResourcesFit, names.VolumeRestrictions,
		names.NodeVolumeLimits, names.VolumeBinding, names.VolumeZone, names.PodTopologySpread,
		names.InterPodAffinity, names.NodeDeclaredFeatures}
	if diff := cmp.Diff(want, filtersFor(t).Plugins()); diff != "" {
		t.Error(diff)
	}
}

// ORACLE-6. Each filter must refuse and the whole must accept often, or the comparison shows little.
func TestEveryFilterRefusesSomewhere(t *testing.T) {
	plugins := []string{names.NodeUnschedulable, names.TaintToleration, names.NodeAffinity,
		names.NodePorts, names.NodeResourcesFit, names.VolumeRestrictions, names.NodeVolumeLimits,
		names.VolumeBinding, names.VolumeZone, names.PodTopologySpread, names.InterPodAffinity}
	filters := filtersFor(t)
	places, yes := 0, 0
	refusals := map[string]int{}
	for number := range uint64(clusters) {
		c := Generate(seed, number, Decided()...)
		if len(c.Waiting()) != PodsInCluster {
			t.Fatalf("cluster %d has %d waiting pods", number, len(c.Waiting()))
		}
		for _, pod := range c.Waiting() {
			for _, answer := range ask(t, filters, c, pod) {
				places++
				if answer.Fits {
					yes++
				} else {
					refusals[answer.Plugin]++
				}
			}
		}
	}
	t.Logf("seed %d: %d cases, %d of %d places fit, refusals: %v", seed, clusters*PodsInCluster, yes,
		places, refusals)
	for _, plugin := range plugins {
		if refusals[plugin] < 10 {
			t.Errorf("%s refuses %d times", plugin, refusals[plugin])
		}
	}
	if yes*10 < places || yes*10 > 9*places {
		t.Errorf("%d of %d places fit", yes, places)
	}
}

// The List that berth reads says all that the filters read.
// SPREAD-8. Of pods without spreads, only defaults can refuse any.
func TestDefaultSpreadsRefuseSomewhere(t *testing.T) {
	filters, err := NewFilters(t.Context(), DefaultSpreads()...)
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	for number := range uint64(50) {
		c := Generate(seed, number, "nodeSelector", "tolerations", "ports")
		addSelecting(seed, number, c)
		for _, pod := range c.Waiting() {
			if strings.Contains(text(ask(t, filters, c, pod)), names.PodTopologySpread) {
				refused++
			}
		}
	}
	if refused < 40 || refused > 360 {
		t.Errorf("defaults refuse nodes to %d of 400 pods, expected 40 to 360", refused)
	}
}

func TestAListThatIsReadBackHasTheSameAnswers(t *testing.T) {
	filters := filtersFor(t)
	for number := range uint64(20) {
		c := Generate(seed, number)
		written, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		again := &Cluster{}
		if err := json.Unmarshal(written, again); err != nil {
			t.Fatal(err)
		}
		for i, pod := range c.Waiting() {
			want, got := ask(t, filters, c, pod), ask(t, filters, again, again.Waiting()[i])
			if diff := cmp.Diff(text(want), text(got)); diff != "" {
				t.Errorf("cluster %d, %s: %s", number, FullName(pod), diff)
			}
		}
	}
}

// ORACLE-8. A berth that knows no pod affinity is found out, and the example is small.
func TestADifferenceIsFoundAndMadeSmall(t *testing.T) {
	filters := filtersFor(t)
	differences := func(c *Cluster) []string {
		berth := &Fits{}
		for _, pod := range c.Waiting() {
			mine := FitsForPod{Pod: FullName(pod)}
			for _, each := range ask(t, filters, c, pod) {
				fits := each.Fits || each.Plugin == names.InterPodAffinity
				mine.Nodes = append(mine.Nodes, FitsOnNode{Node: each.Node, Fits: fits})
			}
			berth.Pods = append(berth.Pods, mine)
		}
		found, err := Differences(context.Background(), filters, berth, c)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	for number := range uint64(clusters) {
		c := Generate(seed, number, "podAffinity", "podAntiAffinity", "spread")
		if len(differences(c)) == 0 {
			continue
		}
		smaller := Smaller(c, func(each *Cluster) bool { return len(differences(each)) > 0 })
		if len(differences(smaller)) == 0 || len(smaller.Objects()) > 4 {
			var kinds bytes.Buffer
			for _, object := range smaller.Objects() {
				fmt.Fprintf(&kinds, " %T", object)
			}
			t.Errorf("cluster %d is still large:%s", number, kinds.String())
		}
		return
	}
	t.Error("no difference in any cluster")
}

// ORACLE-5.
func TestFeaturesHaveNamesOfTheirOwn(t *testing.T) {
	seen := map[string]bool{}
	for _, each := range features {
		seen[each.name] = true
	}
	if len(seen) != len(features) {
		t.Error(slices.Sorted(maps.Keys(seen)))
	}
	if got := len(triplesOf(len(features))); got != 165 {
		t.Errorf("%d triples of %d features", got, len(features))
	}
}
