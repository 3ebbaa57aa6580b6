package oracle

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	"k8s.io/utils/ptr"
)

// The odd cases of docs/design/pod-affinity.md, topology-spread.md and volumes.md.

func nearTo(terms ...v1.PodAffinityTerm) *v1.Affinity {
	return &v1.Affinity{PodAffinity: &v1.PodAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: terms}}
}

func far(terms ...v1.PodAffinityTerm) *v1.Affinity {
	return &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: terms}}
}

func term(key string, selector *metav1.LabelSelector) v1.PodAffinityTerm {
	return v1.PodAffinityTerm{TopologyKey: key, LabelSelector: selector}
}

func inAll(term v1.PodAffinityTerm) v1.PodAffinityTerm {
	term.NamespaceSelector = &metav1.LabelSelector{}
	return term
}

func without(term v1.PodAffinityTerm, label string) v1.PodAffinityTerm {
	term.NamespaceSelector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
		{Key: label, Operator: metav1.LabelSelectorOpDoesNotExist}}}
	return term
}

func having(term v1.PodAffinityTerm, label string) v1.PodAffinityTerm {
	term.NamespaceSelector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
		{Key: label, Operator: metav1.LabelSelectorOpExists}}}
	return term
}

// Nodes n1 and n2 are in racks, n3 is in none. The pod that waits is an x of namespace red.
func racked() []*v1.Node {
	return []*v1.Node{nodeOf("n1", "rack", "r1"), nodeOf("n2", "rack", "r2"), nodeOf("n3")}
}

func elsewhere(pod *v1.Pod, space string) *v1.Pod {
	pod.Namespace = space
	return pod
}

func feeling(pod *v1.Pod, affinity *v1.Affinity) *v1.Pod {
	pod.Spec.Affinity = affinity
	return pod
}

func TestOddCasesOfPodAffinity(t *testing.T) {
	no := names.InterPodAffinity
	all, some := &metav1.LabelSelector{}, byApp("x")
	y := &metav1.LabelSelector{MatchLabels: map[string]string{"app": "y"}}
	for _, each := range []struct {
		name  string
		there []*v1.Pod
		waits *v1.Affinity
		want  string
	}{
		{"affinity without a selector holds nowhere, not even for the first", nil,
			nearTo(term("rack", nil)), "n1 " + no + ", n2 " + no + ", n3 " + no},
		{"anti-affinity without a selector refuses nobody", []*v1.Pod{podOf("a", "x", "n1")},
			far(term("rack", nil)), "n1 yes, n2 yes, n3 yes"},
		{"the first of its kind needs the key", nil,
			nearTo(term("rack", some)), "n1 yes, n2 yes, n3 " + no},
		{"a match on a node without the keys does not end that", []*v1.Pod{podOf("a", "x", "n3")},
			nearTo(term("rack", some)), "n1 yes, n2 yes, n3 " + no},
		{"a match on a node with one of two keys does", []*v1.Pod{podOf("a", "x", "n3")},
			nearTo(term("rack", some), term(v1.LabelHostname, some)),
			"n1 " + no + ", n2 " + no + ", n3 " + no},
		{"one pod must match all terms", []*v1.Pod{podOf("a", "x", "n1"), podOf("b", "y", "n1")},
			nearTo(term("rack", some), term("rack", y)), "n1 " + no + ", n2 " + no + ", n3 " + no},
		{"one term of anti-affinity is enough", []*v1.Pod{podOf("b", "y", "n1")},
			far(term("rack", some), term("rack", y)), "n1 " + no + ", n2 yes, n3 yes"},
		{"an empty selector is of the pod's namespace", []*v1.Pod{elsewhere(podOf("a", "y", "n1"), "blue")},
			far(term("rack", all)), "n1 yes, n2 yes, n3 yes"},
		{"an empty namespace selector is of all, listed or not",
			[]*v1.Pod{elsewhere(podOf("a", "y", "n1"), "unlisted")}, far(inAll(term("rack", all))),
			"n1 " + no + ", n2 yes, n3 yes"},
		{"one's own namespace selector is of those that are listed with such labels",
			[]*v1.Pod{elsewhere(podOf("a", "y", "n1"), "teamed"), elsewhere(podOf("b", "y", "n1"), "unlisted"),
				elsewhere(podOf("c", "y", "n2"), "red")}, far(without(term("rack", all), "team")),
			"n1 yes, n2 " + no + ", n3 yes"},
		{"any other matches by labels",
			[]*v1.Pod{elsewhere(podOf("a", "y", "n1"), "teamed"), elsewhere(podOf("b", "y", "n2"), "red")},
			far(having(term("rack", all), "team")), "n1 " + no + ", n2 yes, n3 yes"},
		{"that of a pod that is there matches an unlisted one, too",
			[]*v1.Pod{feeling(podOf("a", "y", "n1"), far(without(term("rack", all), "team")))}, nil,
			"n1 " + no + ", n2 yes, n3 yes"},
		{"a key that no node has", []*v1.Pod{podOf("a", "x", "n1")}, far(term("none", some)),
			"n1 yes, n2 yes, n3 yes"},
	} {
		c := &Cluster{Nodes: racked(), Pods: each.there}
		teamed := &v1.Namespace{ObjectMeta: named("teamed")}
		teamed.Labels = map[string]string{"team": "x"}
		c.Namespaces = []*v1.Namespace{{ObjectMeta: named("red")}, teamed}
		got := text(ask(t, filtersFor(t), c, feeling(podOf("waits", "x", ""), each.waits)))
		if got != each.want {
			t.Errorf("%s: got %q, want %q", each.name, got, each.want)
		}
	}
}

func TestOddCasesOfTopologySpread(t *testing.T) {
	no := names.PodTopologySpread
	ending := podOf("a", "x", "n1")
	ending.DeletionTimestamp = &metav1.Time{}
	there := []*v1.Pod{podOf("a", "x", "n1"), podOf("b", "x", "n1")}
	honor := v1.NodeInclusionPolicyHonor
	for _, each := range []struct {
		name   string
		there  []*v1.Pod
		change func(pod *v1.Pod, spread *v1.TopologySpreadConstraint)
		want   string
	}{
		{"without a selector nobody counts", there,
			func(_ *v1.Pod, spread *v1.TopologySpreadConstraint) { spread.LabelSelector = nil },
			"n1 yes, n2 yes, n3 " + no},
		{"nor do its matchLabelKeys", there,
			func(_ *v1.Pod, spread *v1.TopologySpreadConstraint) {
				spread.LabelSelector, spread.MatchLabelKeys = nil, []string{"app"}
			}, "n1 yes, n2 yes, n3 " + no},
		{"with matchLabelKeys an empty selector counts", there,
			func(_ *v1.Pod, spread *v1.TopologySpreadConstraint) {
				spread.LabelSelector, spread.MatchLabelKeys = &metav1.LabelSelector{}, []string{"app"}
			}, "n1 " + no + ", n2 yes, n3 " + no},
		{"pods that terminate do not", []*v1.Pod{ending}, func(*v1.Pod, *v1.TopologySpreadConstraint) {},
			"n1 yes, n2 yes, n3 " + no},
		{"a pod that matches itself not may be one more", there[:1],
			func(pod *v1.Pod, _ *v1.TopologySpreadConstraint) { pod.Labels = nil },
			"n1 yes, n2 yes, n3 " + no},
		{"the lowest is 0 with too few domains", []*v1.Pod{there[0], podOf("c", "x", "n2")},
			func(_ *v1.Pod, spread *v1.TopologySpreadConstraint) { spread.MinDomains = ptr.To(int32(3)) },
			"n1 " + no + ", n2 " + no + ", n3 " + no},
		{"the policy leaves out nodes of the pod's affinity", there,
			func(pod *v1.Pod, _ *v1.TopologySpreadConstraint) {
				pod.Spec.NodeSelector = map[string]string{"rack": "r1"}
			}, "n1 yes, n2 NodeAffinity, n3 NodeAffinity"},
		{"and nodes of its tolerations, if it says so", there,
			func(pod *v1.Pod, spread *v1.TopologySpreadConstraint) {
				spread.NodeTaintsPolicy, pod.Spec.SchedulerName = &honor, "tainted"
			}, "n1 yes, n2 TaintToleration, n3 " + no},
		{"a cordoned domain counts", there,
			func(pod *v1.Pod, _ *v1.TopologySpreadConstraint) { pod.Spec.SchedulerName = "cordoned" },
			"n1 " + no + ", n2 NodeUnschedulable, n3 " + no},
	} {
		spread := v1.TopologySpreadConstraint{MaxSkew: 1, TopologyKey: "rack",
			WhenUnsatisfiable: v1.DoNotSchedule, LabelSelector: byApp("x")}
		waits := podOf("waits", "x", "")
		each.change(waits, &spread)
		waits.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{spread}
		c := &Cluster{Nodes: racked(), Pods: each.there}
		switch waits.Spec.SchedulerName {
		case "tainted":
			c.Nodes[1].Spec.Taints = []v1.Taint{{Key: "k", Effect: v1.TaintEffectNoSchedule}}
		case "cordoned":
			c.Nodes[1].Spec.Unschedulable = true
		}
		if got := text(ask(t, filtersFor(t), c, waits)); got != each.want {
			t.Errorf("%s: got %q, want %q", each.name, got, each.want)
		}
	}
}

// One bound claim of a CSI volume "disk" of the driver, and a pod that waits with it.
func withClaim() (*Cluster, *v1.Pod) {
	c := &Cluster{Nodes: []*v1.Node{nodeOf("n1"), nodeOf("n2")}}
	volume := &v1.PersistentVolume{ObjectMeta: named("disk")}
	volume.Spec.CSI = &v1.CSIPersistentVolumeSource{Driver: driver, VolumeHandle: "handle"}
	claim := &v1.PersistentVolumeClaim{ObjectMeta: named("claim")}
	claim.Namespace, claim.Spec.VolumeName = "red", "disk"
	claim.Annotations = map[string]string{"pv.kubernetes.io/bind-completed": "yes"}
	c.Volumes, c.Claims = []*v1.PersistentVolume{volume}, []*v1.PersistentVolumeClaim{claim}
	return c, claiming("waits", "")
}

func claiming(name, node string) *v1.Pod {
	pod := podOf(name, "x", node)
	pod.Spec.Volumes = []v1.Volume{{Name: "v", VolumeSource: v1.VolumeSource{
		PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: "claim"}}}}
	return pod
}

func limited(node string, count int32) *storagev1.CSINode {
	return &storagev1.CSINode{ObjectMeta: named(node), Spec: storagev1.CSINodeSpec{
		Drivers: []storagev1.CSINodeDriver{{Name: driver, NodeID: node,
			Allocatable: &storagev1.VolumeNodeResources{Count: &count}}}}}
}

func TestOddCasesOfVolumes(t *testing.T) {
	byName := func(operator v1.NodeSelectorOperator) *v1.VolumeNodeAffinity {
		return &v1.VolumeNodeAffinity{Required: &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{
			{MatchFields: []v1.NodeSelectorRequirement{{Key: "metadata.name", Operator: operator,
				Values: []string{"n1"}}}}}}}
	}
	for _, each := range []struct {
		name   string
		change func(c *Cluster)
		want   string
	}{
		{"a volume's matchFields are ignored", func(c *Cluster) {
			c.Volumes[0].Spec.NodeAffinity = byName(v1.NodeSelectorOpIn)
		}, "n1 yes, n2 yes"},
		{"with any operator", func(c *Cluster) {
			c.Volumes[0].Spec.NodeAffinity = byName(v1.NodeSelectorOpNotIn)
		}, "n1 yes, n2 yes"},
		{"a node without any zone passes", func(c *Cluster) {
			c.Volumes[0].Labels = map[string]string{v1.LabelTopologyZone: "a"}
			c.Nodes[1].Labels[v1.LabelTopologyZone] = "b"
		}, "n1 yes, n2 VolumeZone"},
		{"a beta zone of the volume is compared with a new one", func(c *Cluster) {
			c.Volumes[0].Labels = map[string]string{v1.LabelFailureDomainBetaZone: "a__c"}
			c.Nodes[0].Labels[v1.LabelTopologyZone] = "c"
			c.Nodes[1].Labels[v1.LabelTopologyZone] = "b"
		}, "n1 yes, n2 VolumeZone"},
		{"a new zone of the volume is not compared with a beta one", func(c *Cluster) {
			c.Volumes[0].Labels = map[string]string{v1.LabelTopologyZone: "a"}
			c.Nodes[0].Labels[v1.LabelFailureDomainBetaZone] = "a"
		}, "n1 VolumeZone, n2 yes"},
		{"a volume counts once on a node", func(c *Cluster) {
			c.CSINodes = []*storagev1.CSINode{limited("n1", 1), limited("n2", 0)}
			c.Pods = []*v1.Pod{claiming("there", "n1")}
		}, "n1 yes, n2 NodeVolumeLimits"},
		{"an attached volume that nobody uses counts twice", func(c *Cluster) {
			c.CSINodes = []*storagev1.CSINode{limited("n1", 1), limited("n2", 1)}
			c.Attachments = []*storagev1.VolumeAttachment{{ObjectMeta: named("a"),
				Spec: storagev1.VolumeAttachmentSpec{Attacher: driver, NodeName: "n1",
					Source: storagev1.VolumeAttachmentSource{PersistentVolumeName: ptr.To("disk")}}}}
		}, "n1 NodeVolumeLimits, n2 yes"},
		{"a claim for one pod, used on another node", func(c *Cluster) {
			c.Claims[0].Spec.AccessModes = []v1.PersistentVolumeAccessMode{v1.ReadWriteOncePod}
			c.Pods = []*v1.Pod{claiming("there", "n2")}
		}, "n1 VolumeRestrictions, n2 VolumeRestrictions"},
		{"a claim that is half bound", func(c *Cluster) { c.Claims[0].Annotations = nil },
			"n1 VolumeBinding, n2 VolumeBinding"},
		{"a class that does not exist", func(c *Cluster) {
			c.Claims[0].Annotations, c.Claims[0].Spec.VolumeName = nil, ""
			c.Claims[0].Spec.StorageClassName = ptr.To("gone")
		}, "n1 VolumeBinding, n2 VolumeBinding"},
		// ORACLE-3.
		{"another's ephemeral claim on one node spoils all", func(c *Cluster) {
			c.CSINodes = []*storagev1.CSINode{limited("n1", 5)}
			there := podOf("there", "x", "n1")
			there.Spec.Volumes = []v1.Volume{{Name: "e", VolumeSource: v1.VolumeSource{
				Ephemeral: &v1.EphemeralVolumeSource{}}}}
			other := &v1.PersistentVolumeClaim{ObjectMeta: named("there-e")}
			other.Namespace = "red"
			c.Pods, c.Claims = []*v1.Pod{there}, append(c.Claims, other)
		}, "n1 NodeVolumeLimits, n2 NodeVolumeLimits"},
	} {
		c, waits := withClaim()
		each.change(c)
		if got := text(ask(t, filtersFor(t), c, waits)); got != each.want {
			t.Errorf("%s: got %q, want %q", each.name, got, each.want)
		}
	}
}

func TestTwoClaimsShareOneCapacity(t *testing.T) {
	c := &Cluster{Nodes: []*v1.Node{nodeOf("n1")}, Classes: Generate(seed, 0).Classes}
	c.CSIDrivers = []*storagev1.CSIDriver{{ObjectMeta: named(driver),
		Spec: storagev1.CSIDriverSpec{StorageCapacity: ptr.To(true)}}}
	capacity := &storagev1.CSIStorageCapacity{StorageClassName: "late-capacity",
		Capacity: ptr.To(gibibytes(100)), NodeTopology: &metav1.LabelSelector{}}
	capacity.Namespace, capacity.Name = "red", "capacity"
	c.Capacities = []*storagev1.CSIStorageCapacity{capacity}
	waits := podOf("waits", "x", "")
	for _, name := range []string{"one", "two"} {
		claim := &v1.PersistentVolumeClaim{ObjectMeta: named(name)}
		claim.Namespace, claim.Spec.StorageClassName = "red", ptr.To("late-capacity")
		claim.Spec.Resources.Requests = v1.ResourceList{v1.ResourceStorage: gibibytes(60)}
		c.Claims = append(c.Claims, claim)
		waits.Spec.Volumes = append(waits.Spec.Volumes, v1.Volume{Name: name,
			VolumeSource: v1.VolumeSource{PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{
				ClaimName: name}}})
	}
	if got := text(ask(t, filtersFor(t), c, waits)); got != "n1 yes" {
		t.Error(got)
	}
	capacity.Capacity = ptr.To(gibibytes(50))
	if got := text(ask(t, filtersFor(t), c, waits)); got != "n1 VolumeBinding" {
		t.Error(got)
	}
}

// The first pod's node is written on the claim when it is assumed, so the others must follow.
func TestASharedLateClaimFollowsItsFirstPod(t *testing.T) {
	c, first := withClaim()
	c.Classes = Generate(seed, 0).Classes
	c.Claims[0].Annotations, c.Claims[0].Spec.VolumeName = nil, ""
	c.Claims[0].Spec.StorageClassName = ptr.To("late")
	filters := filtersFor(t)
	second := claiming("second", "")
	if got := text(ask(t, filters, c, second)); got != "n1 yes, n2 yes" {
		t.Error(got)
	}
	if got, err := filters.Place(t.Context(), first, "n1"); err != nil || !got.Fits {
		t.Fatal(got, err)
	}
	answers, err := filters.Ask(t.Context(), second)
	if err != nil {
		t.Fatal(err)
	}
	if got := text(answers); got != "n1 yes, n2 VolumeBinding" {
		t.Error(got)
	}
}
