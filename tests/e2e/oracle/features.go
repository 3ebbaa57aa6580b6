package oracle

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// feature adds constraints of one kind to a pod, and to the cluster the objects that they need.
type feature struct {
	name string
	add  func(d dice, c *Cluster, pod *v1.Pod)
}

var features []feature

func init() {
	features = []feature{
		{"nodeSelector", dice.addNodeSelector},
		{"nodeAffinity", dice.addNodeAffinity},
		{"tolerations", dice.addTolerations},
		{"resources", dice.addResources},
		{"ports", dice.addPorts},
		{"podAffinity", dice.addPodAffinity},
		{"podAntiAffinity", dice.addPodAntiAffinity},
		{"spread", dice.addSpread},
		{"claim", dice.addClaim},
		{"ephemeral", dice.addEphemeral},
		{"disk", dice.addDisk},
	}
}

// FeatureNames are all names that Generate takes.
func FeatureNames() []string {
	var all []string
	for _, each := range features {
		all = append(all, each.name)
	}
	return all
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
	if d.chance(70) {
		pod.Spec.NodeSelector[v1.LabelTopologyZone] = pick(d, zones)
	}
	if d.chance(30) {
		pod.Spec.NodeSelector["rack"] = pick(d, racks)
	}
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
			requirement.Key, requirement.Values = "size", []string{fmt.Sprint(d.IntN(4))}
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
	if d.chance(20) {
		term.MatchFields = []v1.NodeSelectorRequirement{{Key: "metadata.name",
			Operator: pick(d, []v1.NodeSelectorOperator{v1.NodeSelectorOpIn, v1.NodeSelectorOpNotIn}),
			Values:   []string{pick(d, c.Nodes).Name}}}
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

func (d dice) addResources(_ *Cluster, pod *v1.Pod) {
	always := v1.ContainerRestartPolicyAlways
	for i := range d.IntN(3) {
		container := v1.Container{Name: fmt.Sprintf("init-%d", i), Image: "image"}
		container.Resources.Requests = d.amounts(4000, 3000)
		if d.chance(50) {
			container.RestartPolicy = &always
		}
		pod.Spec.InitContainers = append(pod.Spec.InitContainers, container)
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
		pod.Spec.Resources = &v1.ResourceRequirements{Requests: d.amounts(6000, 5000)}
	}
}

func (d dice) addPorts(_ *Cluster, pod *v1.Pod) {
	for range 1 + d.IntN(2) {
		port := int32(8000 + d.IntN(3))
		pod.Spec.Containers[0].Ports = append(pod.Spec.Containers[0].Ports, v1.ContainerPort{
			ContainerPort: port, HostPort: port,
			HostIP:   pick(d, []string{"", "0.0.0.0", "10.0.0.1", "10.0.0.2"}),
			Protocol: pick(d, []v1.Protocol{v1.ProtocolTCP, v1.ProtocolUDP})})
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
			term.NamespaceSelector = &metav1.LabelSelector{}
			if d.chance(60) {
				term.NamespaceSelector.MatchLabels = map[string]string{"team": pick(d, values)}
			}
		}
		// The API server refuses a key that the selector has.
		if term.LabelSelector != nil && len(term.LabelSelector.MatchExpressions) == 0 && d.chance(25) {
			switch key := "job"; {
			case term.LabelSelector.MatchLabels[key] != "":
			case d.chance(50):
				term.MatchLabelKeys = []string{key}
			default:
				term.MismatchLabelKeys = []string{key}
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
		selector := spread.LabelSelector
		if selector != nil && len(selector.MatchExpressions) == 0 && selector.MatchLabels["job"] == "" &&
			d.chance(30) {
			spread.MatchLabelKeys = []string{"job"}
		}
		pod.Spec.TopologySpreadConstraints = append(pod.Spec.TopologySpreadConstraints, spread)
	}
}
