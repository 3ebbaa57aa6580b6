package harness

import (
	"fmt"
	"time"

	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// GroupAnnotation joins a pod to its PodGroup.
const GroupAnnotation = "scheduling.k8s.io/group-name"

// PodBuilder words a pod; every method returns the builder.
type PodBuilder struct{ pod *core.Pod }

// NewPod is a managed pod of 1 cpu in no group.
func NewPod(namespace, name string) PodBuilder {
	builder := PodBuilder{&core.Pod{
		ObjectMeta: meta.ObjectMeta{
			Namespace: namespace, Name: name,
			Annotations: map[string]string{}, Labels: map[string]string{},
		},
		Spec: core.PodSpec{
			SchedulerName: SchedulerName,
			Containers: []core.Container{{
				Name: "main", Image: "registry.k8s.io/pause:3.10",
				Resources: core.ResourceRequirements{
					Requests: core.ResourceList{}, Limits: core.ResourceList{},
				},
			}},
			TerminationGracePeriodSeconds: new(int64),
		},
	}}
	return builder.CPU("1")
}

// CPU sets the request.
func (b PodBuilder) CPU(amount string) PodBuilder {
	b.pod.Spec.Containers[0].Resources.Requests[core.ResourceCPU] = resource.MustParse(amount)
	return b
}

// GPUs sets request and limit.
func (b PodBuilder) GPUs(count int64) PodBuilder {
	amount := *resource.NewQuantity(count, resource.DecimalSI)
	b.pod.Spec.Containers[0].Resources.Requests["nvidia.com/gpu"] = amount
	b.pod.Spec.Containers[0].Resources.Limits["nvidia.com/gpu"] = amount
	return b
}

// Group joins a PodGroup.
func (b PodBuilder) Group(name string) PodBuilder { return b.Annotate(GroupAnnotation, name) }

// Scheduler is who decides: "default-scheduler" makes the pod one that is not ours.
func (b PodBuilder) Scheduler(name string) PodBuilder {
	b.pod.Spec.SchedulerName = name
	return b
}

// Pool keeps the pod to a test's nodes.
func (b PodBuilder) Pool(pool string) PodBuilder {
	b.pod.Spec.NodeSelector = map[string]string{PoolLabel: pool}
	return b
}

// On keeps the pod to one node.
func (b PodBuilder) On(node string) PodBuilder {
	b.pod.Spec.Affinity = &core.Affinity{NodeAffinity: &core.NodeAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: &core.NodeSelector{
			NodeSelectorTerms: []core.NodeSelectorTerm{{
				MatchFields: []core.NodeSelectorRequirement{{Key: "metadata.name",
					Operator: core.NodeSelectorOpIn, Values: []string{node}}},
			}},
		},
	}}
	return b
}

// Queue is that of a pod in no group.
func (b PodBuilder) Queue(name string) PodBuilder {
	return b.Annotate("scheduling.volcano.sh/queue-name", name)
}

// Runs sets the time from running to succeeded.
func (b PodBuilder) Runs(time time.Duration) PodBuilder {
	return b.Finishes().Annotate(RunTime, time.String())
}

// Finishes makes it a pod that will end some time, of which nobody knows when.
func (b PodBuilder) Finishes() PodBuilder {
	b.pod.Spec.RestartPolicy = core.RestartPolicyNever
	return b
}

// Grace is how long it may take to end, in seconds; the kubelets end it at once.
func (b PodBuilder) Grace(seconds int64) PodBuilder {
	b.pod.Spec.TerminationGracePeriodSeconds = &seconds
	return b
}

// Deadline is for how many seconds it may run at most; the kubelets do not end it.
func (b PodBuilder) Deadline(seconds int64) PodBuilder {
	b.pod.Spec.ActiveDeadlineSeconds = &seconds
	return b
}

// Lingers makes it a pod that goes on ending until its finalizers are dropped.
func (b PodBuilder) Lingers() PodBuilder {
	b.pod.Finalizers = []string{"e2e.berth.dev/not-yet"}
	return b
}

// Priority is that of a PriorityClass.
func (b PodBuilder) Priority(class string) PodBuilder {
	b.pod.Spec.PriorityClassName = class
	return b
}

// Label sets a label.
func (b PodBuilder) Label(key, value string) PodBuilder {
	b.pod.Labels[key] = value
	return b
}

// OwnedBy sets the controller.
func (b PodBuilder) OwnedBy(owner meta.OwnerReference) PodBuilder {
	b.pod.OwnerReferences = []meta.OwnerReference{owner}
	return b
}

// Annotate sets an annotation.
func (b PodBuilder) Annotate(key, value string) PodBuilder {
	b.pod.Annotations[key] = value
	return b
}

// Gated adds a gate that is not Berth's.
func (b PodBuilder) Gated(name string) PodBuilder {
	b.pod.Spec.SchedulingGates = append(b.pod.Spec.SchedulingGates,
		core.PodSchedulingGate{Name: name})
	return b
}

// KeepsOff is a required anti-affinity to pods with the label, per node.
func (b PodBuilder) KeepsOff(key, value string) PodBuilder {
	b.pod.Spec.Affinity = &core.Affinity{PodAntiAffinity: &core.PodAntiAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: []core.PodAffinityTerm{{
			LabelSelector: &meta.LabelSelector{MatchLabels: map[string]string{key: value}},
			TopologyKey:   core.LabelHostname,
		}},
	}}
	return b
}

// Claim mounts a PersistentVolumeClaim.
func (b PodBuilder) Claim(name string) PodBuilder {
	b.pod.Spec.Volumes = append(b.pod.Spec.Volumes, core.Volume{Name: name,
		VolumeSource: core.VolumeSource{PersistentVolumeClaim: &core.PersistentVolumeClaimVolumeSource{
			ClaimName: name}}})
	return b
}

// Spreads keeps pods with the label on as many of each node, or up to the skew; domains is the
// least number of nodes that count, 0 for any.
func (b PodBuilder) Spreads(key, value string, skew, domains int32) PodBuilder {
	constraint := core.TopologySpreadConstraint{MaxSkew: skew, TopologyKey: core.LabelHostname,
		WhenUnsatisfiable: core.DoNotSchedule,
		LabelSelector:     &meta.LabelSelector{MatchLabels: map[string]string{key: value}}}
	if domains > 0 {
		constraint.MinDomains = &domains
	}
	b.pod.Spec.TopologySpreadConstraints = append(b.pod.Spec.TopologySpreadConstraints, constraint)
	return b.Label(key, value)
}

// SpreadsOver is Spreads over the values of a label of nodes.
func (b PodBuilder) SpreadsOver(topology, key, value string, skew int32) PodBuilder {
	b.Spreads(key, value, skew, 0)
	last := len(b.pod.Spec.TopologySpreadConstraints) - 1
	b.pod.Spec.TopologySpreadConstraints[last].TopologyKey = topology
	return b
}

// KeepsNear requires a pod with the label on a node with the same value of another label.
func (b PodBuilder) KeepsNear(topology, key, value string) PodBuilder {
	b.pod.Spec.Affinity = &core.Affinity{PodAffinity: &core.PodAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: []core.PodAffinityTerm{{
			LabelSelector: &meta.LabelSelector{MatchLabels: map[string]string{key: value}},
			TopologyKey:   topology,
		}},
	}}
	return b
}

// Name is the pod's.
func (b PodBuilder) Name() string { return b.pod.Name }

// Build is a pod to create; builders can be used again.
func (b PodBuilder) Build() *core.Pod { return b.pod.DeepCopy() }

// Members are pods NAME-0 to NAME-(count-1) of the PodGroup `name`.
func Members(namespace, name string, count int, word func(PodBuilder) PodBuilder) []*core.Pod {
	var pods []*core.Pod
	for i := range count {
		builder := NewPod(namespace, fmt.Sprintf("%s-%d", name, i)).Group(name)
		pods = append(pods, word(builder).Build())
	}
	return pods
}

// NewPodGroup is a PodGroup in the queue that is the default.
func NewPodGroup(namespace, name string, minMember int64) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": GroupVersion.String(), "kind": "PodGroup",
		"metadata": map[string]any{"namespace": namespace, "name": name},
		"spec":     map[string]any{"minMember": minMember},
	}}
}

// Reason says why a pod is not scheduled; "" if it is, or nobody has tried.
func Reason(pod *core.Pod) string {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == core.PodScheduled && condition.Status != core.ConditionTrue {
			return condition.Reason
		}
	}
	return ""
}
