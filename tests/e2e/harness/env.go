package harness

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	core "k8s.io/api/core/v1"
	scheduling "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// Soon is the deadline for what takes a second on an idle machine, also where kube-scheduler's client
// has backed off after many restarts of berthd: by up to a minute.
const Soon = 120 * time.Second

// Env is a namespace with nodes of its own for one test. Its methods end the test on error.
type Env struct {
	testing.TB
	*Cluster
	Namespace string
	Context   context.Context
	nodes     []string
	shown     []shownLog // when the test fails
}

var notInNames = regexp.MustCompile(`[^a-z0-9]+`)

// Begin gives the test a namespace, and clears it up afterwards.
func (c *Cluster) Begin(t testing.TB) *Env {
	t.Helper()
	c.spaces++
	name := strings.Trim(notInNames.ReplaceAllString(strings.ToLower(t.Name()), "-"), "-")
	return c.BeginIn(t, fmt.Sprintf("%.40s-%d", strings.TrimPrefix(name, "test"), c.spaces))
}

// BeginIn is Begin in a namespace of this name, which may be there.
func (c *Cluster) BeginIn(t testing.TB, namespace string) *Env {
	t.Helper()
	e := &Env{TB: t, Cluster: c, Context: context.Background(), Namespace: namespace}
	e.Must(c.Repair(e.Context))
	e.Show(c.APIServer, 5)
	for _, scheduler := range []*KubeScheduler{c.Scheduler, c.Others} {
		if scheduler != nil {
			e.Show(scheduler.Process, 30)
		}
	}
	_, err := c.Client.CoreV1().Namespaces().Create(e.Context,
		&core.Namespace{ObjectMeta: meta.ObjectMeta{Name: e.Namespace}}, meta.CreateOptions{})
	if !errors.IsAlreadyExists(err) {
		e.Must(err)
	}
	t.Cleanup(e.end)
	return e
}

// BeginWithBerth is Begin, with a berthd of these options.
func (c *Cluster) BeginWithBerth(t testing.TB, options BerthOptions) *Env {
	t.Helper()
	e := c.Begin(t)
	e.WithBerth(options)
	return e
}

// WithBerth sees to it that a berthd of these options runs, and shows its log if the test fails.
func (e *Env) WithBerth(options BerthOptions) {
	e.Helper()
	c := e.Cluster
	if !c.HasBerth() {
		e.Fatal(LacksBerthd)
	}
	from := int64(0)
	if c.Berth != nil {
		from = c.Berth.LogSize()
	}
	e.Must(c.RunBerth(e.Context, options))
	e.shown = append(e.shown, shownLog{c.Berth.Process, from, 60})
}

type shownLog struct {
	process *Process
	from    int64
	lines   int
}

// Show shows the last lines that the process logs from now on, if the test fails.
func (e *Env) Show(process *Process, lines int) {
	e.shown = append(e.shown, shownLog{process, process.LogSize(), lines})
}

// Must ends the test if there is an error.
func (e *Env) Must(err error) {
	e.Helper()
	if err != nil {
		e.Fatal(err)
	}
}

// AddNodes makes nodes for this test's pods, of cpu cores and 8 GPUs each, and names them.
func (e *Env) AddNodes(count int, cpu string) []string {
	e.Helper()
	return e.addNodes(count, Capacity(cpu, "64Gi", 110, 8))
}

// AddNodesIn is AddNodes, in a zone.
func (e *Env) AddNodesIn(zone string, count int, cpu string) []string {
	e.Helper()
	var added []string
	for range count {
		name := fmt.Sprintf("%s-n%d", e.Namespace, len(e.nodes))
		node := NodeOf(name, e.Namespace, Capacity(cpu, "64Gi", 110, 8))
		node.Labels[core.LabelTopologyZone] = zone
		_, err := e.Client.CoreV1().Nodes().Create(e.Context, node, meta.CreateOptions{})
		e.Must(err)
		e.nodes = append(e.nodes, name)
		added = append(added, name)
	}
	return added
}

// AddGPUNodes makes nodes with so many GPUs each, and more of the rest than GPUs.
func (e *Env) AddGPUNodes(count int, gpus int64) []string {
	e.Helper()
	return e.addNodes(count, Capacity("64", "64Gi", 110, gpus))
}

func (e *Env) addNodes(count int, capacity core.ResourceList) []string {
	e.Helper()
	first := len(e.nodes)
	for i := range count {
		e.nodes = append(e.nodes, fmt.Sprintf("%s-n%d", e.Namespace, first+i))
	}
	added := e.nodes[first:]
	e.Must(e.CreateNodes(e.Context, e.Namespace, added, capacity))
	return added
}

// Create makes pods, in parallel, on this test's nodes.
func (e *Env) Create(pods ...*core.Pod) {
	e.Helper()
	e.Must(e.CreatePods(e.Context, e.onOwnNodes(pods)))
}

func (e *Env) onOwnNodes(pods []*core.Pod) []*core.Pod {
	var kept []*core.Pod
	for _, pod := range pods {
		pod = pod.DeepCopy()
		pod.Spec.NodeSelector = map[string]string{PoolLabel: e.Namespace}
		kept = append(kept, pod)
	}
	return kept
}

// CreateGroup makes a PodGroup and begins to measure for how long it is bound in part.
func (e *Env) CreateGroup(name string, minMember int) {
	e.Helper()
	e.Recorder.WatchGang(e.Namespace, name, minMember)
	e.CreateObject(NewPodGroup(e.Namespace, name, int64(minMember)))
}

// CreateObject makes a PodGroup, Queue or PriorityClass; the latter two go with the test.
func (e *Env) CreateObject(object *unstructured.Unstructured) {
	e.Helper()
	resource := map[string]schema.GroupVersionResource{"PodGroup": PodGroups, "Queue": Queues,
		"PriorityClass": scheduling.SchemeGroupVersion.WithResource("priorityclasses"),
	}[object.GetKind()]
	where := e.Dynamic.Resource(resource).Namespace(object.GetNamespace())
	_, err := where.Create(e.Context, object, meta.CreateOptions{})
	e.Must(err)
	if object.GetNamespace() == "" {
		e.Cleanup(func() {
			if err := where.Delete(e.Context, object.GetName(), meta.DeleteOptions{}); err != nil {
				e.Error(err)
			}
		})
	}
}

// CreateGang makes a PodGroup and `count` members of it.
func (e *Env) CreateGang(name string, minMember, count int,
	word func(PodBuilder) PodBuilder) []*core.Pod {
	e.Helper()
	e.CreateGroup(name, minMember)
	pods := Members(e.Namespace, name, count, word)
	e.Create(pods...)
	return pods
}

// Delete deletes a pod without grace.
func (e *Env) Delete(name string) {
	e.Helper()
	err := e.Client.CoreV1().Pods(e.Namespace).Delete(e.Context, name,
		meta.DeleteOptions{GracePeriodSeconds: new(int64)})
	if !errors.IsNotFound(err) {
		e.Must(err)
	}
}

// DeleteNode deletes one of this test's nodes.
func (e *Env) DeleteNode(name string) {
	e.Helper()
	e.Must(e.Client.CoreV1().Nodes().Delete(e.Context, name, meta.DeleteOptions{}))
}

// Ungate takes our gate off by hand.
func (e *Env) Ungate(name string) {
	e.Helper()
	_, err := e.Client.CoreV1().Pods(e.Namespace).Patch(e.Context, name, types.JSONPatchType,
		[]byte(`[{"op":"remove","path":"/spec/schedulingGates"}]`), meta.PatchOptions{})
	e.Must(err)
}

// BindByHand binds a pod to a node, as a kube-scheduler would.
func (e *Env) BindByHand(pod, node string) {
	e.Helper()
	e.Must(e.Client.CoreV1().Pods(e.Namespace).Bind(e.Context, &core.Binding{
		ObjectMeta: meta.ObjectMeta{Namespace: e.Namespace, Name: pod},
		Target:     core.ObjectReference{Kind: "Node", Name: node},
	}, meta.CreateOptions{}))
}
