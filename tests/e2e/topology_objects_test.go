package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	core "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"berth.dev/berth/tests/e2e/harness"
)

// Topology by the objects of others: Volcano's HyperNodes and Kueue's Topology. They change, and so
// do labels of nodes, while jobs wait.

var (
	hyperNodes = schema.GroupVersionResource{Group: "topology.volcano.sh", Version: "v1alpha1",
		Resource: "hypernodes"}
	kueueTopologies = schema.GroupVersionResource{Group: "kueue.x-k8s.io", Version: "v1beta2",
		Resource: "topologies"}
)

// defineTopologies installs both kinds. They stay, as where Volcano and Kueue were.
func defineTopologies(t *testing.T) {
	t.Helper()
	define(t, "topologies.yaml", hyperNodes, kueueTopologies)
}

// createForAll makes an object without namespace, for the time of the test.
func createForAll(e *harness.Env, kind schema.GroupVersionResource, name string,
	object map[string]any) {
	e.Helper()
	object["apiVersion"] = kind.GroupVersion().String()
	object["metadata"] = map[string]any{"name": name}
	_, err := e.Dynamic.Resource(kind).Create(e.Context, &unstructured.Unstructured{Object: object},
		meta.CreateOptions{})
	e.Must(err)
	e.Cleanup(func() {
		err := e.Dynamic.Resource(kind).Delete(e.Context, name, meta.DeleteOptions{})
		if !apierrors.IsNotFound(err) {
			e.Must(err)
		}
	})
}

func hyperNode(tier int64, members ...map[string]any) map[string]any {
	var all []any
	for _, member := range members {
		all = append(all, member)
	}
	return map[string]any{"kind": "HyperNode",
		"spec": map[string]any{"tier": tier, "members": all}}
}

func nodesLike(pattern string) map[string]any {
	return map[string]any{"type": "Node", "selector": map[string]any{
		"regexMatch": map[string]any{"pattern": pattern}}}
}

func hyperNodeNamed(name string) map[string]any {
	return map[string]any{"type": "HyperNode", "selector": map[string]any{
		"exactMatch": map[string]any{"name": name}}}
}

// startKnowing starts a berthd that finds these kinds and objects at once. Events of two kinds have
// no order, so that a level could come after the job that names it.
func startKnowing(e *harness.Env) {
	e.Helper()
	e.Must(cluster.StopBerth())
	e.WithBerth(harness.BerthOptions{})
}

// podsByNode are the gang's pods that have a node.
func podsByNode(e *harness.Env, gang string) map[string][]string {
	names := map[string][]string{}
	for _, pod := range e.Recorder.PodsOf(e.Namespace, func(pod *core.Pod) bool {
		return strings.HasPrefix(pod.Name, gang+"-") && pod.Spec.NodeName != ""
	}) {
		names[pod.Spec.NodeName] = append(names[pod.Spec.NodeName], pod.Name)
	}
	return names
}

// A gang that must be in one HyperNode of tier 1 waits while none has room for it, starts when one
// gets another node, and stays in it when a node of it is lost.
func TestAGangIsInOneHyperNode(t *testing.T) {
	defineTopologies(t)
	e := cluster.Begin(t)
	nodes := e.AddNodes(4, "2")
	leaf, other, spine := e.Namespace+"-leaf", e.Namespace+"-other", e.Namespace+"-spine"
	createForAll(e, hyperNodes, leaf, hyperNode(1, nodesLike("^"+nodes[0]+"$")))
	createForAll(e, hyperNodes, other, hyperNode(1, nodesLike("^"+nodes[3]+"$")))
	createForAll(e, hyperNodes, spine, hyperNode(2, hyperNodeNamed(leaf), hyperNodeNamed(other)))
	startKnowing(e)
	group := harness.NewPodGroup(e.Namespace, "near", 4)
	group.Object["spec"].(map[string]any)["networkTopology"] = map[string]any{
		"mode": "hard", "highestTierAllowed": int64(1)}
	e.CreateObject(group)
	pods := harness.Members(e.Namespace, "near", 4, cpu("1"))
	e.Create(pods...)
	e.AwaitWaits("near", "tier 1")
	patch := fmt.Sprintf(`{"spec":{"members":[{"type":"Node","selector":{"regexMatch":{"pattern":"^(%s)$"}}}]}}`,
		strings.Join(nodes[:3], "|"))
	_, err := e.Dynamic.Resource(hyperNodes).Patch(e.Context, leaf, types.MergePatchType,
		[]byte(patch), meta.PatchOptions{})
	e.Must(err)
	awaitWhole(e, "near", 4)

	lost := ""
	placed := podsByNode(e, "near")
	for node := range placed {
		lost = node
	}
	e.DeleteNode(lost)
	for _, pod := range pods {
		if slices.Contains(placed[lost], pod.Name) {
			e.Delete(pod.Name)
			e.Recreate(pod)
		}
	}
	e.Await(harness.Soon, func() error {
		found, count := podsByNode(e, "near"), 0
		for _, node := range nodes[:3] {
			count += len(found[node])
		}
		if len(found[lost]) > 0 || count != 4 {
			return fmt.Errorf("pods by node: %v, expected 4 on the nodes of %s but %s", found, leaf, lost)
		}
		return nil
	})
}

// Pods with Kueue's annotation, by a Topology of Kueue: the label of a node is written while they
// wait.
func TestAGangIsInOneRackOfKueue(t *testing.T) {
	defineTopologies(t)
	e := cluster.Begin(t)
	block, rack := e.Namespace+"/block", e.Namespace+"/rack"
	createForAll(e, kueueTopologies, e.Namespace, map[string]any{"kind": "Topology",
		"spec": map[string]any{"levels": []any{map[string]any{"nodeLabel": block},
			map[string]any{"nodeLabel": rack}}}})
	label := func(node, ofBlock, ofRack string) {
		e.PatchNode(node, fmt.Sprintf(`{"metadata":{"labels":{%q:%q,%q:%q}}}`, block, ofBlock, rack, ofRack))
	}
	nodes := e.AddNodes(3, "2")
	label(nodes[0], "b1", "r1")
	label(nodes[1], "b1", "r2")
	label(nodes[2], "b2", "r1") // another rack, in spite of its name
	startKnowing(e)
	e.CreateGroup("near", 4)
	pods := harness.Members(e.Namespace, "near", 4, func(pod harness.PodBuilder) harness.PodBuilder {
		return pod.CPU("1").Annotate("kueue.x-k8s.io/podset-required-topology", rack)
	})
	e.Create(pods...)
	e.AwaitWaits("near", rack)
	label(nodes[2], "b1", "r1")
	awaitWhole(e, "near", 4)
	if found := podsByNode(e, "near"); len(found[nodes[1]]) > 0 {
		t.Errorf("pods by node: %v, expected none on %s", found, nodes[1])
	}
}
