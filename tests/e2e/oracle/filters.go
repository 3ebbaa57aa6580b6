package oracle

import (
	"context"
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/cache"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/latest"
	schedulercache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodevolumelimits"
	schedulerruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
)

// leftOut needs managers that only a whole kube-scheduler has. DefaultPreemption filters nothing,
// and pods with claims on devices are hints.
var leftOut = []string{names.DefaultPreemption, names.DynamicResources}

// Answer says whether a node takes a pod, and else which plugin refuses it, in its words.
type Answer struct {
	Node    string   `json:"node"`
	Fits    bool     `json:"fits"`
	Plugin  string   `json:"plugin,omitempty"`
	Reasons []string `json:"reasons,omitempty"`
	// The plugin has failed. kube-scheduler then tries no other node.
	IsError bool `json:"isError,omitempty"`
}

// snapshot is exchanged for each cluster: plugins keep the lister that they are made with.
type snapshot struct{ fwk.SharedLister }

// Filters are the filter plugins of kube-scheduler's default profile. One goroutine.
type Filters struct {
	framework framework.Framework
	snapshot  *snapshot
	nominator *nominator
	stores    []store
	nodes     []*v1.Node
	pods      []*v1.Pod
	reserved  []reservation
}

type store struct {
	indexer cache.Indexer
	of      func(*Cluster) []runtime.Object
}

type reservation struct {
	state fwk.CycleState
	pod   *v1.Pod
	node  string
}

// NewFilters makes the plugins once. Their informers are never started: Load fills their stores. Pods
// without spreads have the defaults.
func NewFilters(ctx context.Context, spreads ...v1.TopologySpreadConstraint) (*Filters, error) {
	metrics.Register()
	defaults, err := latest.Default()
	if err != nil {
		return nil, err
	}
	profile := defaults.Profiles[0]
	profile.Plugins.MultiPoint.Enabled = slices.DeleteFunc(profile.Plugins.MultiPoint.Enabled,
		func(each config.Plugin) bool { return slices.Contains(leftOut, each.Name) })
	if len(spreads) > 0 {
		setDefaultSpreads(&profile, spreads)
	}
	client := fake.NewClientset()
	factory := informers.NewSharedInformerFactory(client, 0)
	filters := &Filters{snapshot: &snapshot{schedulercache.NewEmptySnapshot()},
		nominator: &nominator{waiting: map[string][]fwk.PodInfo{}}}
	filters.stores = storesOf(factory)
	filters.framework, err = schedulerruntime.NewFramework(ctx, plugins.NewInTreeRegistry(), &profile,
		schedulerruntime.WithClientSet(client), schedulerruntime.WithInformerFactory(factory),
		schedulerruntime.WithSnapshotSharedLister(filters.snapshot),
		schedulerruntime.WithParallelism(1), schedulerruntime.WithPodNominator(filters.nominator),
		schedulerruntime.WithSharedCSIManager(
			nodevolumelimits.NewCSIManager(factory.Storage().V1().CSINodes().Lister())))
	return filters, err
}

func storesOf(factory informers.SharedInformerFactory) []store {
	core, apps, storage := factory.Core().V1(), factory.Apps().V1(), factory.Storage().V1()
	return []store{
		{core.Namespaces().Informer().GetIndexer(),
			func(c *Cluster) []runtime.Object { return objects(c.Namespaces) }},
		{core.PersistentVolumeClaims().Informer().GetIndexer(),
			func(c *Cluster) []runtime.Object { return objects(c.Claims) }},
		{core.PersistentVolumes().Informer().GetIndexer(),
			func(c *Cluster) []runtime.Object { return objects(c.Volumes) }},
		{storage.StorageClasses().Informer().GetIndexer(),
			func(c *Cluster) []runtime.Object { return objects(c.Classes) }},
		{storage.CSINodes().Informer().GetIndexer(),
			func(c *Cluster) []runtime.Object { return objects(c.CSINodes) }},
		{storage.CSIDrivers().Informer().GetIndexer(),
			func(c *Cluster) []runtime.Object { return objects(c.CSIDrivers) }},
		{storage.CSIStorageCapacities().Informer().GetIndexer(),
			func(c *Cluster) []runtime.Object { return objects(c.Capacities) }},
		{storage.VolumeAttachments().Informer().GetIndexer(),
			func(c *Cluster) []runtime.Object { return objects(c.Attachments) }},
		{core.Services().Informer().GetIndexer(), selecting[*v1.Service]},
		{core.ReplicationControllers().Informer().GetIndexer(), selecting[*v1.ReplicationController]},
		{apps.ReplicaSets().Informer().GetIndexer(), selecting[*appsv1.ReplicaSet]},
		{apps.StatefulSets().Informer().GetIndexer(), selecting[*appsv1.StatefulSet]},
	}
}

// Plugins are the names of those that filter, in their order.
func (f *Filters) Plugins() []string {
	var all []string
	for _, each := range f.framework.ListPlugins().Filter.Enabled {
		all = append(all, each.Name)
	}
	return all
}

// Load makes this the cluster that Ask and Place are about (ORACLE-2).
func (f *Filters) Load(ctx context.Context, cluster *Cluster) error {
	for _, each := range slices.Backward(f.reserved) {
		f.framework.RunReservePluginsUnreserve(ctx, each.state, each.pod, each.node)
	}
	f.reserved = nil
	clear(f.nominator.waiting)
	for _, store := range f.stores {
		all := []any{}
		for _, object := range store.of(cluster) {
			all = append(all, object)
		}
		if err := store.indexer.Replace(all, ""); err != nil {
			return err
		}
	}
	f.nodes = slices.Clone(cluster.Nodes)
	slices.SortFunc(f.nodes, func(left, right *v1.Node) int {
		return strings.Compare(left.Name, right.Name)
	})
	f.pods = nil
	for _, pod := range cluster.Pods {
		isThere := func(node *v1.Node) bool { return node.Name == pod.Spec.NodeName }
		if !hasEnded(pod) && slices.ContainsFunc(f.nodes, isThere) {
			f.pods = append(f.pods, withDefaults(pod))
		}
	}
	f.snapshot.SharedLister = schedulercache.NewSnapshot(f.pods, f.nodes)
	return nil
}

// Ask says of each node, by name, whether the pod fits there.
func (f *Filters) Ask(ctx context.Context, pod *v1.Pod) ([]Answer, error) {
	answers, _, err := f.ask(ctx, pod)
	return answers, err
}

func (f *Filters) ask(ctx context.Context, pod *v1.Pod) ([]Answer, fwk.CycleState, error) {
	pod = withDefaults(pod)
	state := framework.NewCycleState()
	result, before, _ := f.framework.RunPreFilterPlugins(ctx, state, pod)
	answers := make([]Answer, 0, len(f.nodes))
	for _, node := range f.nodes {
		if !before.IsSuccess() {
			answers = append(answers, refusal(node.Name, before))
			continue
		}
		if !result.AllNodes() && !result.NodeNames.Has(node.Name) {
			answers = append(answers, Answer{Node: node.Name, Plugin: names.NodeAffinity,
				Reasons: []string{"node(s) didn't satisfy plugin(s) [NodeAffinity]"}})
			continue
		}
		there, err := f.snapshot.NodeInfos().Get(node.Name)
		if err != nil {
			return nil, nil, err
		}
		status := f.framework.RunFilterPluginsWithNominatedPods(ctx, state, pod, there)
		if status.IsSuccess() {
			answers = append(answers, Answer{Node: node.Name, Fits: true})
		} else {
			answers = append(answers, refusal(node.Name, status))
		}
	}
	return spoilt(answers), state, nil
}

func refusal(node string, status *fwk.Status) Answer {
	return Answer{Node: node, Plugin: status.Plugin(), Reasons: status.Reasons(),
		IsError: !status.IsRejected()}
}

// spoilt makes (ORACLE-3) a failure on one node the answer for all: kube-scheduler ends the attempt.
func spoilt(answers []Answer) []Answer {
	failed := slices.IndexFunc(answers, func(each Answer) bool { return each.IsError })
	if failed < 0 {
		return answers
	}
	why := answers[failed]
	for i := range answers {
		why.Node = answers[i].Node
		answers[i] = why
	}
	return answers
}

// Place puts the pod on the node, as kube-scheduler assumes it, and says whether it fits there.
func (f *Filters) Place(ctx context.Context, pod *v1.Pod, node string) (Answer, error) {
	answers, state, err := f.ask(ctx, pod)
	if err != nil {
		return Answer{}, err
	}
	at := slices.IndexFunc(answers, func(each Answer) bool { return each.Node == node })
	if at < 0 {
		return Answer{}, fmt.Errorf("there is no node %q", node)
	}
	if !answers[at].Fits {
		return answers[at], nil
	}
	assumed := withDefaults(pod)
	assumed.Spec.NodeName = node
	status := f.framework.RunReservePluginsReserve(ctx, state, assumed, node)
	if !status.IsSuccess() {
		return refusal(node, status), nil
	}
	f.reserved = append(f.reserved, reservation{state, assumed, node})
	f.nominator.DeleteNominatedPodIfExists(pod)
	f.pods = append(f.pods, assumed)
	f.snapshot.SharedLister = schedulercache.NewSnapshot(f.pods, f.nodes)
	return answers[at], nil
}
