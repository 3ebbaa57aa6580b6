package e2e

import (
	"context"
	"fmt"
	"testing"

	core "k8s.io/api/core/v1"
	composites "k8s.io/api/scheduling/v1alpha3"
	scheduling "k8s.io/api/scheduling/v1beta1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/e2e/harness"
)

// Groups of groups: CompositePodGroups of scheduling.k8s.io/v1alpha3, alpha in 1.37. The control
// plane has the gates that they need.

var compositeGroups = composites.SchemeGroupVersion.WithResource("compositepodgroups")

func compositeOf(minGroups int32) composites.CompositePodGroupSpec {
	return composites.CompositePodGroupSpec{
		WorkloadRef: &composites.WorkloadReference{WorkloadName: "work", TemplateName: "all"},
		SchedulingPolicy: composites.CompositePodGroupSchedulingPolicy{
			Gang: &composites.CompositeGangSchedulingPolicy{MinGroupCount: minGroups}}}
}

// stageOf is a group of the composite, all of whose pods are on nodes with one value of the label.
func stageOf(parent string, minCount int32, label string) scheduling.PodGroupSpec {
	spec := ofPolicy(gangOf(minCount))
	spec.ParentCompositePodGroupName = &parent
	spec.WorkloadRef = &scheduling.WorkloadReference{WorkloadName: "work", TemplateName: "stage"}
	if label != "" {
		spec.SchedulingConstraints = &scheduling.PodGroupSchedulingConstraints{
			Topology: []scheduling.TopologyConstraint{{Key: label}}}
	}
	return spec
}

func awaitComposite(e *harness.Env, name string, status meta.ConditionStatus, words string) {
	e.Helper()
	awaitConditionOf(e, compositeGroups, name, "CompositePodGroupInitiallyScheduled", status, words)
}

func TestCompositePodGroups(t *testing.T) {
	own := startWithKubeGroups(t, []string{"GenericWorkload", "TopologyAwareWorkloadScheduling",
		"CompositePodGroup"}, composites.SchemeGroupVersion.String())

	t.Run("start whole, each group in one zone, and wait for their groups", func(t *testing.T) {
		e := own.BeginWithBerth(t, inZones())
		e.AddNodesIn("a", 1, "3")
		e.AddNodesIn("b", 1, "1")
		createOfKube(e, compositeGroups, "CompositePodGroup", "pipeline", ptr(compositeOf(2)))
		createKubeGroup(e, "first", stageOf("pipeline", 2, zone))
		pods := createMembers(e, "first", 2)
		awaitComposite(e, "pipeline", meta.ConditionFalse,
			"CompositePodGroup "+e.Namespace+"/pipeline has 1 of at least 2 groups")
		createKubeGroup(e, "second", stageOf("pipeline", 2, zone))
		pods = append(pods, createMembers(e, "second", 2)...)
		// 4 cpu in all, but 1 of each zone is left beside the first group.
		awaitComposite(e, "pipeline", meta.ConditionFalse, "2 needed, 1 at most")
		e.AddNodesIn("b", 1, "2")
		e.AwaitAllBound(harness.Soon, pods...)
		awaitComposite(e, "pipeline", meta.ConditionTrue, "")
		for _, group := range []string{"first", "second"} {
			zones := map[string]bool{}
			for _, pod := range e.Recorder.PodsOf(e.Namespace, memberOf(group)) {
				zones[zoneOf(e, pod)] = true
			}
			if len(zones) != 1 {
				t.Errorf("the pods of %s are in the zones %v, expected one", group, zones)
			}
		}
	})

	t.Run("start the groups beyond minGroupCount later", func(t *testing.T) {
		e := own.BeginWithBerth(t, harness.BerthOptions{})
		createOfKube(e, compositeGroups, "CompositePodGroup", "serve", ptr(compositeOf(1)))
		createKubeGroup(e, "replica-0", stageOf("serve", 2, ""))
		createKubeGroup(e, "replica-1", stageOf("serve", 2, ""))
		first := createMembers(e, "replica-0", 2)
		second := createMembers(e, "replica-1", 2)
		awaitGroupScheduled(e, "replica-1", meta.ConditionFalse,
			"CompositePodGroup "+e.Namespace+"/serve has not started yet")
		e.AddNodes(1, "3")
		e.AwaitAllBound(harness.Soon, first...)
		awaitComposite(e, "serve", meta.ConditionTrue, "")
		awaitGroupScheduled(e, "replica-1", meta.ConditionFalse, "1 of 2 members could be placed")
		e.AddNodes(1, "1")
		e.AwaitAllBound(harness.Soon, second...)
	})
}

func ptr[T any](value T) *T { return &value }

func zoneOf(e *harness.Env, pod *core.Pod) string {
	e.Helper()
	node, err := e.Client.CoreV1().Nodes().Get(context.Background(), pod.Spec.NodeName,
		meta.GetOptions{})
	e.Must(err)
	if node.Labels[zone] == "" {
		e.Must(fmt.Errorf("node %s has no zone", node.Name))
	}
	return node.Labels[zone]
}
