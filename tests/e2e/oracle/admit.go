package oracle

import (
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	podutil "k8s.io/kubernetes/pkg/api/pod"
	core "k8s.io/kubernetes/pkg/apis/core"
	defaults "k8s.io/kubernetes/pkg/apis/core/v1"
)

// Admit does to a pod what the API server does when it is created: it merges matchLabelKeys and
// mismatchLabelKeys into selectors (k8s.io/kubernetes/pkg/registry/core/pod, mutatePodAffinity and
// mutateTopologySpreadConstraints). kube-scheduler reads those of pod affinity nowhere else.
func Admit(pod *v1.Pod) {
	if affinity := pod.Spec.Affinity; affinity != nil {
		if to := affinity.PodAffinity; to != nil {
			admitTerms(pod, to.RequiredDuringSchedulingIgnoredDuringExecution)
		}
		if from := affinity.PodAntiAffinity; from != nil {
			admitTerms(pod, from.RequiredDuringSchedulingIgnoredDuringExecution)
		}
	}
	for i := range pod.Spec.TopologySpreadConstraints {
		spread := &pod.Spec.TopologySpreadConstraints[i]
		require(spread.LabelSelector, spread.MatchLabelKeys, metav1.LabelSelectorOpIn, pod)
	}
}

// withDefaults is the pod as the API server stores it. Berth reads those that wait without them.
// The requests of a whole pod have their defaults on creation only (podStrategy.PrepareForCreate).
func withDefaults(pod *v1.Pod) *v1.Pod {
	kept := pod.DeepCopy()
	defaults.SetObjectDefaults_Pod(kept)
	if kept.Spec.Resources == nil {
		return kept
	}
	var created core.Pod
	if err := defaults.Convert_v1_Pod_To_core_Pod(kept, &created, nil); err != nil {
		panic(err)
	}
	podutil.DefaultPodLevelResources(&created)
	var stored v1.Pod
	if err := defaults.Convert_core_Pod_To_v1_Pod(&created, &stored, nil); err != nil {
		panic(err)
	}
	kept.Spec.Resources = stored.Spec.Resources
	return kept
}

func admitTerms(pod *v1.Pod, terms []v1.PodAffinityTerm) {
	for i := range terms {
		require(terms[i].LabelSelector, terms[i].MatchLabelKeys, metav1.LabelSelectorOpIn, pod)
		require(terms[i].LabelSelector, terms[i].MismatchLabelKeys, metav1.LabelSelectorOpNotIn, pod)
	}
}

// require leaves a missing selector: it matches nothing.
func require(selector *metav1.LabelSelector, keys []string, operator metav1.LabelSelectorOperator,
	pod *v1.Pod) {
	if selector == nil {
		return
	}
	for _, key := range keys {
		if value, has := pod.Labels[key]; has {
			selector.MatchExpressions = append(selector.MatchExpressions,
				metav1.LabelSelectorRequirement{Key: key, Operator: operator, Values: []string{value}})
		}
	}
}
