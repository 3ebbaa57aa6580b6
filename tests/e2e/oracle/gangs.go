package oracle

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

const (
	// GangsInCluster is how many gangs wait in each cluster of GenerateGangs: so many cases it is.
	GangsInCluster = 3

	groupKind = "PodGroup"
	groupName = "scheduling.k8s.io/group-name"
	gangLabel = "gang"
	roleLabel = "role"
)

// GenerateGangs makes the cluster of this number for sequences (ORACLE-9). Its gangs have relations
// to their own members, constraints of Generate, and volumes.
func GenerateGangs(seed, number uint64) *Cluster {
	d := dice{newRand(seed, number)}
	c := d.cluster()
	for len(c.Nodes) < 6 {
		c.Nodes = append(c.Nodes, d.node(len(c.Nodes)))
	}
	for _, node := range c.Nodes { // or few gangs start
		if d.chance(60) {
			node.Spec.Taints = nil
		}
	}
	plain := slices.DeleteFunc(slices.Clone(features), func(each feature) bool {
		return each.name == "claim" || each.name == "ephemeral" // members have their own
	})
	for i := range d.IntN(16) {
		pod := d.there(c, i, plain)
		if d.chance(40) {
			d.mount(pod, d.bound(c, pod.Namespace, "of-"+pod.Name).Name)
		}
	}
	for i := range 4 + d.IntN(8) {
		c.Volumes = append(c.Volumes, d.localVolume(c, fmt.Sprintf("local-%d", i)))
	}
	for i := range GangsInCluster {
		d.gang(c, fmt.Sprintf("gang-%d", i), plain)
	}
	for i := range d.IntN(3) {
		pod := d.pod(fmt.Sprintf("single-%d", i))
		d.constrain(c, pod, plain)
		c.Pods = append(c.Pods, pod)
	}
	admitAll(c)
	return c
}

// gang adds a group and its pods: workers alike, perhaps after a launcher that is near or apart.
func (d dice) gang(c *Cluster, name string, plain []feature) {
	worker := d.pod(name)
	space := worker.Namespace
	worker.Labels[gangLabel], worker.Labels[roleLabel] = name, "worker"
	worker.Annotations = map[string]string{groupName: name}
	d.constrain(c, worker, plain)
	d.addOwn(worker)
	launcher := d.pod(name)
	launcher.Namespace, launcher.Annotations = space, worker.Annotations
	launcher.Labels = map[string]string{gangLabel: name, roleLabel: "launcher"}
	hasLauncher := d.chance(25)
	if hasLauncher {
		d.addRole(worker)
	}
	storage := d.IntN(6)
	shared := ""
	if storage == 0 { // late ones are planned for waves: docs/design/volumes.md, Gangs
		shared = d.bound(c, space, name+"-shared").Name
	}
	size := 2 + d.IntN(5)
	for i := range size {
		pod := worker.DeepCopy()
		if i == 0 && hasLauncher {
			pod = launcher
		}
		pod.Name = fmt.Sprintf("%s-%d", name, i)
		pod.UID = types.UID(space + "-" + pod.Name)
		switch storage {
		case 0:
			d.mount(pod, shared)
		case 1, 2:
			d.mount(pod, d.lateClaim(c, space, "of-"+pod.Name).Name)
		case 3:
			d.mount(pod, d.bound(c, space, "of-"+pod.Name).Name)
		case 4:
			d.addOwnEphemeral(c, pod)
		}
		c.Pods = append(c.Pods, pod)
	}
	least := size
	if d.chance(30) {
		least = 1 + d.IntN(size)
	}
	group := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{
		"minMember": int64(least)}}}
	group.SetAPIVersion("scheduling.volcano.sh/v1beta1")
	group.SetKind(groupKind)
	group.SetNamespace(space)
	group.SetName(name)
	group.SetUID(types.UID(space + "-" + name))
	c.Groups = append(c.Groups, group)
}

func membersOf(c *Cluster, group *unstructured.Unstructured) int {
	members := 0
	for _, pod := range c.Pods {
		if pod.Namespace == group.GetNamespace() && pod.Annotations[groupName] == group.GetName() {
			members++
		}
	}
	return members
}

// constrain adds up to two of the features, mostly none: of a gang, each member needs a place. Disks
// that a CSI driver may serve make a hint.
func (d dice) constrain(c *Cluster, pod *v1.Pod, among []feature) {
	for range d.IntN(3) * d.IntN(2) {
		pick(d, among).add(d, c, pod)
	}
	pod.Spec.Volumes = slices.DeleteFunc(pod.Spec.Volumes, func(volume v1.Volume) bool {
		return volume.GCEPersistentDisk != nil || volume.AWSElasticBlockStore != nil
	})
}

func ownTerm(key string, labels map[string]string) v1.PodAffinityTerm {
	return v1.PodAffinityTerm{TopologyKey: key,
		LabelSelector: &metav1.LabelSelector{MatchLabels: labels}}
}

func near(pod *v1.Pod, term v1.PodAffinityTerm) {
	affinity := affinityOf(pod)
	if affinity.PodAffinity == nil {
		affinity.PodAffinity = &v1.PodAffinity{}
	}
	to := affinity.PodAffinity
	to.RequiredDuringSchedulingIgnoredDuringExecution =
		append(to.RequiredDuringSchedulingIgnoredDuringExecution, term)
}

func apart(pod *v1.Pod, term v1.PodAffinityTerm) {
	affinity := affinityOf(pod)
	if affinity.PodAntiAffinity == nil {
		affinity.PodAntiAffinity = &v1.PodAntiAffinity{}
	}
	from := affinity.PodAntiAffinity
	from.RequiredDuringSchedulingIgnoredDuringExecution =
		append(from.RequiredDuringSchedulingIgnoredDuringExecution, term)
}

// addOwn adds what the members of a gang want of each other.
func (d dice) addOwn(pod *v1.Pod) {
	own := map[string]string{gangLabel: pod.Labels[gangLabel]}
	spread := func(key string) {
		constraint := v1.TopologySpreadConstraint{MaxSkew: int32(1 + d.IntN(2)), TopologyKey: key,
			WhenUnsatisfiable: v1.DoNotSchedule, LabelSelector: &metav1.LabelSelector{MatchLabels: own}}
		if d.chance(20) {
			constraint.MinDomains = ptr.To(int32(1 + d.IntN(3)))
		}
		if d.chance(20) {
			constraint.NodeTaintsPolicy = ptr.To(v1.NodeInclusionPolicyHonor)
		}
		pod.Spec.TopologySpreadConstraints = append(pod.Spec.TopologySpreadConstraints, constraint)
	}
	area := pick(d, []string{v1.LabelTopologyZone, "rack"})
	switch d.IntN(8) {
	case 0:
		near(pod, ownTerm(area, own))
	case 1:
		apart(pod, ownTerm(v1.LabelHostname, own))
	case 2:
		apart(pod, ownTerm(area, own))
	case 3:
		spread(area)
	case 4:
		spread(v1.LabelHostname)
	case 5:
		near(pod, ownTerm(area, own))
		apart(pod, ownTerm(v1.LabelHostname, own))
	case 6:
		spread(area)
		spread(v1.LabelHostname)
	}
}

// addRole makes workers want to be near their launcher, or apart from it.
func (d dice) addRole(worker *v1.Pod) {
	launcher := map[string]string{gangLabel: worker.Labels[gangLabel], roleLabel: "launcher"}
	key := pick(d, keys)
	if d.chance(60) {
		near(worker, ownTerm(key, launcher))
	} else {
		apart(worker, ownTerm(key, launcher))
	}
}

func (d dice) mount(pod *v1.Pod, claim string) {
	pod.Spec.Volumes = append(pod.Spec.Volumes, v1.Volume{Name: nameOfNext(pod),
		VolumeSource: v1.VolumeSource{PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{
			ClaimName: claim}}})
}

// addOwnEphemeral adds a generic ephemeral volume whose claim is late.
func (d dice) addOwnEphemeral(c *Cluster, pod *v1.Pod) {
	volume := nameOfNext(pod)
	pod.Spec.Volumes = append(pod.Spec.Volumes, v1.Volume{Name: volume,
		VolumeSource: v1.VolumeSource{Ephemeral: &v1.EphemeralVolumeSource{}}})
	d.lateClaim(c, pod.Namespace, pod.Name+"-"+volume).OwnerReferences = []metav1.OwnerReference{
		{APIVersion: "v1", Kind: "Pod", Name: pod.Name, UID: pod.UID, Controller: ptr.To(true)}}
}

// bound makes a claim with a volume.
func (d dice) bound(c *Cluster, space, name string) *v1.PersistentVolumeClaim {
	claim := d.plainClaim(c, space, name)
	volume := d.bind(c, claim)
	if d.chance(60) {
		volume.Spec.NodeAffinity = nil
	}
	claim.Annotations = map[string]string{"pv.kubernetes.io/bind-completed": "yes"}
	c.Claims = append(c.Claims, claim)
	return claim
}

// lateClaim makes one that gets its volume with its pod's node.
func (d dice) lateClaim(c *Cluster, space, name string) *v1.PersistentVolumeClaim {
	claim := d.plainClaim(c, space, name)
	claim.Spec.StorageClassName = ptr.To(pick(d, []string{"local", "local", "late", "late",
		"late-zone", "late-capacity"}))
	claim.Spec.AccessModes = []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce}
	c.Claims = append(c.Claims, claim)
	return claim
}

// localVolume is free, and mostly on one node.
func (d dice) localVolume(c *Cluster, name string) *v1.PersistentVolume {
	volume := d.volume(c, name)
	volume.Spec.StorageClassName, volume.Status.Phase = "local", v1.VolumeAvailable
	volume.Spec.NodeAffinity = nil
	if d.chance(80) {
		volume.Spec.NodeAffinity = &v1.VolumeNodeAffinity{Required: &v1.NodeSelector{
			NodeSelectorTerms: []v1.NodeSelectorTerm{{MatchExpressions: []v1.NodeSelectorRequirement{
				{Key: v1.LabelHostname, Operator: v1.NodeSelectorOpIn,
					Values: []string{pick(d, c.Nodes).Name}}}}}}}
	}
	return volume
}
