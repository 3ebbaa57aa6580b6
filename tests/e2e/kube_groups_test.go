package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"

	core "k8s.io/api/core/v1"
	scheduling "k8s.io/api/scheduling/v1beta1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"berth.dev/berth/tests/e2e/harness"
)

// Kubernetes' own gangs: PodGroups of scheduling.k8s.io, which a pod names in its spec. They are beta
// in 1.37 and alpha in 1.36, so the test has a control plane of its own, with the feature gate.

// kubeGroups are Kubernetes' own PodGroups, and the condition that they have.
type kubeGroups struct {
	resource  schema.GroupVersionResource
	condition string
}

func kubeGroupsOf(minor int) kubeGroups {
	if minor < 37 {
		return kubeGroups{scheduling136.WithResource("podgroups"), "PodGroupScheduled"}
	}
	return kubeGroups{scheduling.SchemeGroupVersion.WithResource("podgroups"),
		scheduling.PodGroupInitiallyScheduled}
}

var scheduling136 = schema.GroupVersion{Group: scheduling.GroupName, Version: "v1alpha2"}

func startWithKubeGroups(t *testing.T, gates []string, more ...string) *harness.Cluster {
	t.Helper()
	if !cluster.HasBerth() {
		t.Fatal(harness.LacksBerthd)
	}
	apis := append(more, kubeGroupsOf(cluster.Minor).resource.GroupVersion().String())
	started, err := harness.StartCluster(context.Background(), harness.ClusterOptions{
		Name: "kube-groups", Server: harness.ServerOptions{Gates: gates, APIs: apis}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { started.Stop(t.Failed()) })
	return started
}

func gangOf(minCount int32) scheduling.PodGroupSchedulingPolicy {
	return scheduling.PodGroupSchedulingPolicy{
		Gang: &scheduling.GangSchedulingPolicy{MinCount: minCount}}
}

func memberOf(group string) func(pod *core.Pod) bool {
	return func(pod *core.Pod) bool {
		its := pod.Spec.SchedulingGroup
		return its != nil && *its.PodGroupName == group
	}
}

func createKubeGroup(e *harness.Env, name string, spec scheduling.PodGroupSpec) {
	e.Helper()
	if gang := spec.SchedulingPolicy.Gang; gang != nil {
		e.Recorder.WatchMembers(e.Namespace, name, int(gang.MinCount), memberOf(name))
	}
	createOfKube(e, kubeGroupsOf(e.Minor).resource, "PodGroup", name, &spec)
}

// createOfKube makes an object of which the client may know another version.
func createOfKube(e *harness.Env, resource schema.GroupVersionResource, kind, name string, spec any) {
	e.Helper()
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(spec)
	e.Must(err)
	object := &unstructured.Unstructured{Object: map[string]any{"spec": fields}}
	object.SetAPIVersion(resource.GroupVersion().String())
	object.SetKind(kind)
	object.SetName(name)
	_, err = e.Dynamic.Resource(resource).Namespace(e.Namespace).Create(e.Context, object,
		meta.CreateOptions{})
	e.Must(err)
}

// createMembers makes pods of 1 cpu that name the group in their spec.
func createMembers(e *harness.Env, group string, count int) []*core.Pod {
	e.Helper()
	var pods []*core.Pod
	for i := range count {
		pod := harness.NewPod(e.Namespace, fmt.Sprintf("%s-%d", group, i)).CPU("1").Build()
		pod.Spec.SchedulingGroup = &core.PodSchedulingGroup{PodGroupName: &group}
		pods = append(pods, pod)
	}
	e.Create(pods...)
	return pods
}

// awaitGroupScheduled waits for the condition of that status, with words of its message.
func awaitGroupScheduled(e *harness.Env, name string, status meta.ConditionStatus, words string) {
	e.Helper()
	of := kubeGroupsOf(e.Minor)
	awaitConditionOf(e, of.resource, name, of.condition, status, words)
}

func awaitConditionOf(e *harness.Env, resource schema.GroupVersionResource, name, kind string,
	status meta.ConditionStatus, words string) {
	e.Helper()
	e.Await(harness.Soon, func() error {
		object, err := e.Dynamic.Resource(resource).Namespace(e.Namespace).Get(e.Context, name,
			meta.GetOptions{})
		if err != nil {
			return err
		}
		var group scheduling.PodGroup
		err = runtime.DefaultUnstructuredConverter.FromUnstructured(map[string]any{
			"status": object.Object["status"]}, &group)
		if err != nil {
			return err
		}
		condition := apimeta.FindStatusCondition(group.Status.Conditions, kind)
		if condition == nil || condition.Status != status || !strings.Contains(condition.Message, words) {
			return fmt.Errorf("the conditions of %s are %+v, expected %s %s with %q", name,
				group.Status.Conditions, kind, status, words)
		}
		return nil
	})
}

func ofPolicy(policy scheduling.PodGroupSchedulingPolicy) scheduling.PodGroupSpec {
	return scheduling.PodGroupSpec{SchedulingPolicy: policy}
}

// A gang waits whole, says why, and starts whole when there is room.
func kubeGangWaitsAndStarts(t *testing.T, own *harness.Cluster) {
	e := own.BeginWithBerth(t, harness.BerthOptions{})
	e.AddNodes(1, "4")
	createKubeGroup(e, "gang", ofPolicy(gangOf(6)))
	pods := createMembers(e, "gang", 6)
	awaitGroupScheduled(e, "gang", meta.ConditionFalse,
		"its minimum needs 6 cpu, and the whole cluster can give it at most 4")
	e.AddNodes(1, "4")
	e.AwaitAllBound(harness.Soon, pods...)
	e.AssertNeverInPart("gang", promptly)
	awaitGroupScheduled(e, "gang", meta.ConditionTrue, "")
}

func TestKubernetesOwnGroups(t *testing.T) {
	own := startWithKubeGroups(t, []string{"GenericWorkload"})
	t.Run("wait and start whole", func(t *testing.T) { kubeGangWaitsAndStarts(t, own) })

	t.Run("start one by one without a gang policy", func(t *testing.T) {
		e := own.BeginWithBerth(t, harness.BerthOptions{})
		e.AddNodes(1, "4")
		createKubeGroup(e, "loose", ofPolicy(scheduling.PodGroupSchedulingPolicy{
			Basic: &scheduling.BasicSchedulingPolicy{}}))
		pods := createMembers(e, "loose", 6)
		e.Await(harness.Soon, func() error {
			bound := e.Recorder.PodsOf(e.Namespace, func(pod *core.Pod) bool {
				return pod.Spec.NodeName != ""
			})
			if len(bound) != 4 {
				return fmt.Errorf("%d of %d pods are bound, expected the 4 that there is room for",
					len(bound), len(pods))
			}
			return nil
		})
	})

	t.Run("count less than an annotation", func(t *testing.T) {
		e := own.BeginWithBerth(t, harness.BerthOptions{})
		e.AddNodes(1, "4")
		createKubeGroup(e, "theirs", ofPolicy(gangOf(6)))
		e.CreateGroup("ours", 2)
		var pods []*core.Pod
		theirs := "theirs"
		for i := range 2 {
			pod := harness.NewPod(e.Namespace, fmt.Sprintf("pod-%d", i)).CPU("1").Group("ours").Build()
			pod.Spec.SchedulingGroup = &core.PodSchedulingGroup{PodGroupName: &theirs}
			pods = append(pods, pod)
		}
		e.Create(pods...)
		e.AwaitAllBound(harness.Soon, pods...)
	})

	t.Run("outlive berthd", func(t *testing.T) {
		e := own.BeginWithBerth(t, harness.BerthOptions{})
		e.AddNodes(1, "4")
		createKubeGroup(e, "gang", ofPolicy(gangOf(6)))
		pods := createMembers(e, "gang", 6)
		awaitGroupScheduled(e, "gang", meta.ConditionFalse, "its minimum needs 6 cpu")
		e.Berth.Kill()
		e.AddNodes(1, "4")
		e.Must(own.RunBerth(e.Context, harness.BerthOptions{}))
		e.AwaitAllBound(harness.Soon, pods...)
		e.AssertNeverInPart("gang", promptly)
	})

	// kube-scheduler has its own plugin for groups on, and schedules all pods of one in one cycle.
	t.Run("work with kube-scheduler's own plugin", func(t *testing.T) {
		own.SchedulerGates = "GenericWorkload=true"
		if own.Minor < 37 {
			own.SchedulerGates += ",GangScheduling=true"
		}
		own.Scheduler.Kill()
		if own.Mode != harness.ThroughView {
			if err := own.StartScheduler(t.Context(), own.Address); err != nil {
				t.Fatal(err)
			}
		}
		kubeGangWaitsAndStarts(t, own)
	})
}
