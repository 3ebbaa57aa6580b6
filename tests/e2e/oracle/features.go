package oracle

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// known says what Berth does with constraints of a kind.
type known int

const (
	unknown   known = iota // nothing: not compared
	undecided              // it says that such a pod is a hint
	decided                // both must say yes to the same nodes
)

// feature adds constraints of one kind to a pod, and to the cluster the objects that they need.
type feature struct {
	name  string
	add   func(d dice, c *Cluster, pod *v1.Pod)
	known known
}

var features []feature

func init() {
	features = []feature{
		{"nodeSelector", dice.addNodeSelector, decided},
		{"nodeAffinity", dice.addNodeAffinity, decided},
		{"tolerations", dice.addTolerations, decided},
		{"resources", dice.addResources, decided},
		{"ports", dice.addPorts, decided},
		{"podAffinity", dice.addPodAffinity, decided},
		{"podAntiAffinity", dice.addPodAntiAffinity, decided},
		{"spread", dice.addSpread, decided},
		{"claim", dice.addClaim, decided},
		{"ephemeral", dice.addEphemeral, decided},
		{"disk", dice.addDisk, decided},
	}
}

// FeatureNames are all names that Generate takes.
func FeatureNames() []string { return namesOf(unknown) }

// Decided are the features that Berth decides.
func Decided() []string { return namesOf(decided) }

func namesOf(least known) []string {
	var some []string
	for _, each := range features {
		if each.known >= least {
			some = append(some, each.name)
		}
	}
	return some
}

func featuresOf(only []string) []feature {
	return slices.DeleteFunc(slices.Clone(features), func(each feature) bool {
		return len(only) > 0 && !slices.Contains(only, each.name)
	})
}

func affinityOf(pod *v1.Pod) *v1.Affinity {
	if pod.Spec.Affinity == nil {
		pod.Spec.Affinity = &v1.Affinity{}
	}
	return pod.Spec.Affinity
}

func (d dice) addNodeSelector(_ *Cluster, pod *v1.Pod) {
	pod.Spec.NodeSelector = map[string]string{}
	if d.chance(45) {
		pod.Spec.NodeSelector[v1.LabelTopologyZone] = pick(d, zones)
	}
	if d.chance(15) {
		pod.Spec.NodeSelector["rack"] = pick(d, racks)
	}
}

// oddSizes are of nodes, and what Gt and Lt compare with: the API server takes what is no number.
var oddSizes = []string{"", "002", "1.5", "large", "99999999999999999999"}

func (d dice) size() string {
	if d.chance(15) {
		return pick(d, oddSizes)
	}
	return fmt.Sprint(d.IntN(4))
}

func (d dice) nodeTerm(c *Cluster) v1.NodeSelectorTerm {
	term := v1.NodeSelectorTerm{}
	for range d.IntN(3) {
		requirement := v1.NodeSelectorRequirement{Key: pick(d, []string{v1.LabelTopologyZone, "rack",
			"size", "absent"})}
		switch d.IntN(5) {
		case 0:
			requirement.Operator = v1.NodeSelectorOpExists
		case 1:
			requirement.Operator = v1.NodeSelectorOpDoesNotExist
		case 2:
			requirement.Operator, requirement.Values = v1.NodeSelectorOpIn, d.some(zones)
		case 3:
			requirement.Operator, requirement.Values = v1.NodeSelectorOpNotIn, d.some(racks)
		case 4:
			requirement.Key, requirement.Values = "size", []string{d.size()}
			requirement.Operator = pick(d, []v1.NodeSelectorOperator{v1.NodeSelectorOpGt,
				v1.NodeSelectorOpLt})
		}
		needsValues := requirement.Operator == v1.NodeSelectorOpIn ||
			requirement.Operator == v1.NodeSelectorOpNotIn
		if needsValues && len(requirement.Values) == 0 {
			requirement.Values = []string{"a"}
		}
		term.MatchExpressions = append(term.MatchExpressions, requirement)
	}
	for d.chance(15) {
		term.MatchFields = append(term.MatchFields, v1.NodeSelectorRequirement{Key: "metadata.name",
			Operator: pick(d, []v1.NodeSelectorOperator{v1.NodeSelectorOpIn, v1.NodeSelectorOpNotIn}),
			Values:   []string{pick(d, c.Nodes).Name}})
	}
	return term
}

func (d dice) addNodeAffinity(c *Cluster, pod *v1.Pod) {
	required := &v1.NodeSelector{}
	for range 1 + d.IntN(2) {
		required.NodeSelectorTerms = append(required.NodeSelectorTerms, d.nodeTerm(c))
	}
	affinityOf(pod).NodeAffinity = &v1.NodeAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: required}
}

func (d dice) addTolerations(_ *Cluster, pod *v1.Pod) {
	for range 1 + d.IntN(2) {
		toleration := v1.Toleration{Key: pick(d, append(labels, "", v1.TaintNodeUnschedulable)),
			Operator: pick(d, []v1.TolerationOperator{"", v1.TolerationOpEqual, v1.TolerationOpExists}),
			Effect:   pick(d, append(effects, ""))}
		if toleration.Key == "" {
			toleration.Operator = v1.TolerationOpExists
		}
		if toleration.Operator != v1.TolerationOpExists && toleration.Key != v1.TaintNodeUnschedulable {
			toleration.Value = pick(d, values)
		}
		pod.Spec.Tolerations = append(pod.Spec.Tolerations, toleration)
	}
}

func (d dice) amounts(cpu, memory int) v1.ResourceList {
	return v1.ResourceList{
		v1.ResourceCPU:    *resource.NewMilliQuantity(int64(d.IntN(cpu)), resource.DecimalSI),
		v1.ResourceMemory: *resource.NewQuantity(int64(d.IntN(memory))<<20, resource.BinarySI),
	}
}

// requirements have requests, limits, or both.
func (d dice) requirements(cpu, memory int) v1.ResourceRequirements {
	requirements := v1.ResourceRequirements{}
	if d.chance(85) {
		requirements.Requests = d.amounts(cpu, memory)
	}
	if d.chance(25) {
		requirements.Limits = d.amounts(cpu, memory)
	}
	if d.chance(10) {
		delete(requirements.Requests, v1.ResourceCPU)
	}
	return requirements
}

func (d dice) addResources(_ *Cluster, pod *v1.Pod) {
	always := v1.ContainerRestartPolicyAlways
	for i := range d.IntN(3) {
		container := v1.Container{Name: fmt.Sprintf("init-%d", i), Image: "image"}
		container.Resources = d.requirements(4000, 3000)
		if d.chance(50) {
			container.RestartPolicy = &always
		}
		pod.Spec.InitContainers = append(pod.Spec.InitContainers, container)
	}
	if d.chance(30) {
		pod.Spec.Containers = append(pod.Spec.Containers,
			v1.Container{Name: "beside", Image: "image", Resources: d.requirements(2000, 2000)})
	}
	main := &pod.Spec.Containers[0]
	if main.Resources.Requests == nil {
		main.Resources.Requests = v1.ResourceList{}
	}
	if d.chance(30) {
		pod.Spec.Overhead = d.amounts(1000, 1000)
	}
	if d.chance(30) {
		main.Resources.Requests[v1.ResourceEphemeralStorage] =
			*resource.NewQuantity(int64(d.IntN(4))<<30, resource.BinarySI)
	}
	if d.chance(30) {
		main.Resources.Requests["example.com/gpu"] =
			*resource.NewQuantity(int64(d.IntN(4)), resource.DecimalSI)
	}
	if d.chance(20) {
		main.Resources.Requests[hugePages] =
			*resource.NewQuantity(int64(d.IntN(3))<<21, resource.BinarySI)
	}
	if d.chance(25) {
		requirements := d.requirements(6000, 5000)
		pod.Spec.Resources = &requirements
	}
	if pod.Spec.NodeName != "" && d.chance(40) {
		d.resize(pod)
	}
}

// resize gives the pod a status as it is while a kubelet changes its resources, or has refused to.
func (d dice) resize(pod *v1.Pod) {
	statuses := func(of []v1.Container) (all []v1.ContainerStatus) {
		for _, container := range of {
			status := v1.ContainerStatus{Name: container.Name}
			if d.chance(75) {
				status.Resources = &v1.ResourceRequirements{Requests: d.amounts(4000, 3000)}
			}
			if d.chance(75) {
				status.AllocatedResources = d.amounts(4000, 3000)
			}
			all = append(all, status)
		}
		return all
	}
	pod.Status.ContainerStatuses = statuses(pod.Spec.Containers)
	pod.Status.InitContainerStatuses = statuses(pod.Spec.InitContainers)
	if pod.Spec.Resources != nil && d.chance(75) {
		pod.Status.Resources = &v1.ResourceRequirements{Requests: d.amounts(6000, 5000)}
		pod.Status.AllocatedResources = d.amounts(6000, 5000)
	}
	if d.chance(50) {
		pod.Status.Conditions = []v1.PodCondition{{Type: v1.PodResizePending, Status: v1.ConditionTrue,
			Reason: pick(d, []string{v1.PodReasonInfeasible, v1.PodReasonDeferred})}}
	}
}

func (d dice) port() v1.ContainerPort {
	port := int32(8000 + d.IntN(3))
	return v1.ContainerPort{ContainerPort: port, HostPort: port,
		HostIP:   pick(d, []string{"", "0.0.0.0", "10.0.0.1", "10.0.0.2", "::", "::1"}),
		Protocol: pick(d, []v1.Protocol{"", v1.ProtocolTCP, v1.ProtocolUDP, v1.ProtocolSCTP})}
}

func (d dice) addPorts(_ *Cluster, pod *v1.Pod) {
	main := &pod.Spec.Containers[0]
	for range 1 + d.IntN(2) {
		main.Ports = append(main.Ports, d.port())
	}
	if pod.Spec.HostNetwork = d.chance(15); pod.Spec.HostNetwork {
		main.Ports[0].HostPort = 0 // the API server fills it in
	}
	if d.chance(30) {
		starts := v1.Container{Name: "starts", Image: "image", Ports: []v1.ContainerPort{d.port()}}
		if always := v1.ContainerRestartPolicyAlways; d.chance(50) {
			starts.RestartPolicy = &always
		}
		pod.Spec.InitContainers = append(pod.Spec.InitContainers, starts)
	}
}

func (d dice) podTerms() []v1.PodAffinityTerm {
	var terms []v1.PodAffinityTerm
	for range 1 + d.IntN(2) {
		term := v1.PodAffinityTerm{LabelSelector: d.selector(), TopologyKey: pick(d, keys)}
		if d.chance(25) {
			term.Namespaces = d.some(spaces)
		}
		if d.chance(25) {
			term.NamespaceSelector = d.spaceSelector()
		}
		if d.chance(25) {
			for _, key := range d.otherKeys(term.LabelSelector) {
				if d.chance(50) {
					term.MatchLabelKeys = append(term.MatchLabelKeys, key)
				} else {
					term.MismatchLabelKeys = append(term.MismatchLabelKeys, key)
				}
			}
		}
		terms = append(terms, term)
	}
	return terms
}

func (d dice) addPodAffinity(_ *Cluster, pod *v1.Pod) {
	affinityOf(pod).PodAffinity = &v1.PodAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: d.podTerms()}
}

func (d dice) addPodAntiAffinity(_ *Cluster, pod *v1.Pod) {
	affinityOf(pod).PodAntiAffinity = &v1.PodAntiAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: d.podTerms()}
}

func (d dice) addSpread(_ *Cluster, pod *v1.Pod) {
	policies := []v1.NodeInclusionPolicy{v1.NodeInclusionPolicyHonor, v1.NodeInclusionPolicyIgnore}
	for range 1 + d.IntN(2) {
		spread := v1.TopologySpreadConstraint{MaxSkew: int32(1 + d.IntN(2)), TopologyKey: pick(d, keys),
			WhenUnsatisfiable: v1.DoNotSchedule, LabelSelector: d.selector()}
		if d.chance(10) {
			spread.WhenUnsatisfiable = v1.ScheduleAnyway
		} else if d.chance(30) {
			domains := int32(1 + d.IntN(4))
			spread.MinDomains = &domains
		}
		if d.chance(40) {
			policy := pick(d, policies)
			spread.NodeAffinityPolicy = &policy
		}
		if d.chance(40) {
			policy := pick(d, policies)
			spread.NodeTaintsPolicy = &policy
		}
		if d.chance(30) {
			spread.MatchLabelKeys = d.otherKeys(spread.LabelSelector)
		}
		pod.Spec.TopologySpreadConstraints = append(pod.Spec.TopologySpreadConstraints, spread)
	}
}
