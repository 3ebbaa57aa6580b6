package oracle

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ORACLE-2. A node with room for one pod, and nobody who counts there.
func TestPodsThatAreNowhereTakeNoRoom(t *testing.T) {
	node := nodeOf("n1")
	node.Status.Allocatable[v1.ResourcePods] = resource.MustParse("1")
	ended, leaves := podOf("ended", "x", "n1"), podOf("leaves", "x", "")
	ended.Status.Phase = v1.PodFailed
	leaves.DeletionTimestamp = &metav1.Time{}
	c := &Cluster{Nodes: []*v1.Node{node}, Pods: []*v1.Pod{ended, podOf("elsewhere", "x", "gone"),
		podOf("also-waits", "x", ""), podOf("waits", "x", ""), leaves}}
	if waiting := c.Waiting(); len(waiting) != 2 || waiting[1].Name != "waits" {
		t.Errorf("%d wait", len(waiting))
	}
	filters := filtersFor(t)
	if got := text(ask(t, filters, c, c.Waiting()[1])); got != "n1 yes" {
		t.Error(got)
	}
	c.Pods = append(c.Pods, podOf("there", "x", "n1"))
	if got := text(ask(t, filters, c, c.Waiting()[1])); got != "n1 NodeResourcesFit" {
		t.Error(got)
	}
}

// ORACLE-1, ORACLE-4. kube-scheduler says yes to n1 and no to n2.
func TestOnlyAHintMayBeAllowedMore(t *testing.T) {
	closed := nodeOf("n2")
	closed.Spec.Taints = []v1.Taint{{Key: "k", Effect: v1.TaintEffectNoSchedule}}
	c := &Cluster{Nodes: []*v1.Node{nodeOf("n1"), closed}, Pods: []*v1.Pod{podOf("waits", "x", "")}}
	filters := filtersFor(t)
	for _, each := range []struct {
		hint        []string
		n1, n2      bool
		differences int
	}{
		{nil, true, false, 0},
		{nil, true, true, 1},
		{nil, false, true, 2},
		{[]string{"numericToleration"}, true, true, 0},
		{[]string{"numericToleration"}, false, true, 1},
		{[]string{"migratedVolume", "resourceClaims"}, true, true, 1}, // a toleration is no part of these
	} {
		berth := &Fits{Pods: []FitsForPod{{Pod: "red/waits", Hint: each.hint,
			Nodes: []FitsOnNode{{Node: "n1", Fits: each.n1}, {Node: "n2", Fits: each.n2}}}}}
		found, err := Differences(t.Context(), filters, berth, c)
		if err != nil || len(found) != each.differences {
			t.Errorf("%+v: %q, %v", each, found, err)
		}
	}
	found, err := Differences(t.Context(), filters, &Fits{}, c)
	if err != nil || len(found) != 2 {
		t.Errorf("without an answer: %q, %v", found, err)
	}
}

// Berth takes the kubelet's default, and kube-scheduler none. The cluster itself stays.
func TestANodeThatSaysNothingOfPodsTakesTheKubeletsDefault(t *testing.T) {
	silent, full := nodeOf("n1"), nodeOf("n2")
	silent.Status.Allocatable = nil
	full.Status.Allocatable[v1.ResourcePods] = resource.MustParse("0")
	c := &Cluster{Nodes: []*v1.Node{silent, full}}
	filters, waits := filtersFor(t), podOf("waits", "x", "")
	if got := text(ask(t, filters, c, waits)); got != "n1 NodeResourcesFit, n2 NodeResourcesFit" {
		t.Error(got)
	}
	if got := text(ask(t, filters, withPods(c), waits)); got != "n1 yes, n2 NodeResourcesFit" {
		t.Error(got)
	}
	if silent.Status.Allocatable != nil {
		t.Error(silent.Status.Allocatable)
	}
}
