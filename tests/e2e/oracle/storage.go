package oracle

import (
	"fmt"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

const (
	driver        = "driver.example.com" // reports capacity
	noProvisioner = "kubernetes.io/no-provisioner"
)

var leaves = time.Unix(1_700_000_000, 0) // objects with a deletion time

// className is a class of every cluster, or rarely "gone", which does not exist.
func (d dice) className() string {
	if d.chance(4) {
		return "gone"
	}
	return pick(d, []string{"immediate", "local", "local", "late", "late", "late-zone",
		"late-capacity"})
}

func named(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Name: name} }

func gibibytes(count int) resource.Quantity {
	return *resource.NewQuantity(int64(count)<<30, resource.BinarySI)
}

func (d dice) storage(c *Cluster) {
	late, now := storagev1.VolumeBindingWaitForFirstConsumer, storagev1.VolumeBindingImmediate
	c.Classes = []*storagev1.StorageClass{
		{ObjectMeta: named("immediate"), Provisioner: "plain.example.com", VolumeBindingMode: &now},
		{ObjectMeta: named("local"), Provisioner: noProvisioner, VolumeBindingMode: &late},
		{ObjectMeta: named("late"), Provisioner: "plain.example.com", VolumeBindingMode: &late},
		{ObjectMeta: named("late-zone"), Provisioner: "plain.example.com", VolumeBindingMode: &late,
			AllowedTopologies: d.topologies()},
		{ObjectMeta: named("late-capacity"), Provisioner: driver, VolumeBindingMode: &late},
	}
	c.CSIDrivers = []*storagev1.CSIDriver{{ObjectMeta: named(driver),
		Spec: storagev1.CSIDriverSpec{StorageCapacity: ptr.To(d.chance(80))}}}
	for i := range d.IntN(3) {
		capacity := &storagev1.CSIStorageCapacity{StorageClassName: "late-capacity",
			ObjectMeta: metav1.ObjectMeta{Namespace: "red", Name: fmt.Sprintf("capacity-%d", i)}}
		if d.chance(80) {
			capacity.Capacity = ptr.To(gibibytes(d.IntN(6)))
		}
		if d.chance(30) {
			capacity.MaximumVolumeSize = ptr.To(gibibytes(d.IntN(6)))
		}
		if d.chance(85) {
			capacity.NodeTopology = &metav1.LabelSelector{}
			if d.chance(70) {
				capacity.NodeTopology.MatchLabels = map[string]string{
					v1.LabelTopologyZone: pick(d, zones)}
			}
			if d.chance(20) {
				capacity.NodeTopology.MatchExpressions = []metav1.LabelSelectorRequirement{
					d.requirement([]string{"rack", v1.LabelTopologyZone}, racks)}
			}
		}
		c.Capacities = append(c.Capacities, capacity)
	}
	for _, node := range c.Nodes {
		if d.chance(70) {
			c.CSINodes = append(c.CSINodes, d.csiNode(node.Name))
		}
	}
	for i := range d.IntN(6) {
		c.Volumes = append(c.Volumes, d.volume(c, fmt.Sprintf("free-%d", i)))
	}
}

// topologies are up to three terms, which may be empty.
func (d dice) topologies() []v1.TopologySelectorTerm {
	terms := []v1.TopologySelectorTerm{{
		MatchLabelExpressions: []v1.TopologySelectorLabelRequirement{
			{Key: v1.LabelTopologyZone, Values: append(d.some(zones), "a")}}}}
	for d.chance(30) {
		term := v1.TopologySelectorTerm{}
		for range d.IntN(3) {
			term.MatchLabelExpressions = append(term.MatchLabelExpressions,
				v1.TopologySelectorLabelRequirement{Key: pick(d, []string{v1.LabelTopologyZone, "rack"}),
					Values: []string{pick(d, zones), pick(d, racks)}})
		}
		terms = append(terms, term)
	}
	return terms
}

func (d dice) csiNode(name string) *storagev1.CSINode {
	node := &storagev1.CSINode{ObjectMeta: named(name)}
	for _, driver := range []string{driver, "plain.example.com"} {
		there := storagev1.CSINodeDriver{Name: driver, NodeID: name}
		if d.chance(60) {
			there.Allocatable = &storagev1.VolumeNodeResources{Count: ptr.To(int32(d.IntN(3)))}
		}
		if d.chance(80) {
			node.Spec.Drivers = append(node.Spec.Drivers, there)
		}
	}
	return node
}

func (d dice) modes() []v1.PersistentVolumeAccessMode {
	all := []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce, v1.ReadWriteMany, v1.ReadOnlyMany,
		v1.ReadWriteOncePod}
	return slices.Compact([]v1.PersistentVolumeAccessMode{pick(d, all), pick(d, all)})
}

// volume is free, of a size that no other has: kube-scheduler chooses by chance among equal ones.
func (d dice) volume(c *Cluster, name string) *v1.PersistentVolume {
	volume := &v1.PersistentVolume{ObjectMeta: named(name)}
	volume.UID, volume.Labels = types.UID("volume-"+name), d.labels()
	size := resource.NewQuantity(int64(1+d.IntN(4))<<30+int64(len(c.Volumes)), resource.BinarySI)
	volume.Spec.Capacity = v1.ResourceList{v1.ResourceStorage: *size}
	volume.Spec.StorageClassName = d.className()
	volume.Spec.AccessModes = []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce, v1.ReadWriteMany,
		v1.ReadOnlyMany, v1.ReadWriteOncePod}
	if d.chance(30) {
		volume.Spec.AccessModes = d.modes()
	}
	volume.Spec.VolumeMode = ptr.To(v1.PersistentVolumeFilesystem)
	if d.chance(15) {
		volume.Spec.VolumeMode = ptr.To(v1.PersistentVolumeBlock)
	}
	if d.chance(70) {
		volume.Spec.CSI = &v1.CSIPersistentVolumeSource{VolumeHandle: "handle-" + name,
			Driver: pick(d, []string{driver, "plain.example.com"})}
	} else {
		volume.Spec.Local = &v1.LocalVolumeSource{Path: "/disks/" + name}
	}
	if d.chance(35) {
		volume.Spec.NodeAffinity = &v1.VolumeNodeAffinity{Required: &v1.NodeSelector{
			NodeSelectorTerms: []v1.NodeSelectorTerm{d.nodeTerm(c)}}}
		if terms := &volume.Spec.NodeAffinity.Required.NodeSelectorTerms; d.chance(30) {
			*terms = append(*terms, d.nodeTerm(c))
		}
	}
	if d.chance(25) {
		key := pick(d, []string{v1.LabelTopologyZone, v1.LabelFailureDomainBetaZone,
			v1.LabelTopologyRegion, v1.LabelFailureDomainBetaRegion})
		volume.Labels[key] = pick(d, append(zones, "a__b", "", "b__"))
	}
	volume.Spec.VolumeAttributesClassName = d.attributes()
	if d.chance(10) {
		volume.Annotations = map[string]string{v1.BetaStorageClassAnnotation: d.className()}
	}
	if d.chance(4) {
		volume.DeletionTimestamp, volume.Finalizers = &metav1.Time{Time: leaves}, []string{"test/kept"}
	}
	volume.Status.Phase = v1.VolumeAvailable
	if d.chance(10) {
		volume.Status.Phase = v1.VolumePending
	}
	return volume
}

// attributes are a class of volumes' attributes; most have none.
func (d dice) attributes() *string {
	switch d.IntN(12) {
	case 0:
		return ptr.To("fast")
	case 1:
		return ptr.To("")
	}
	return nil
}

// plainClaim is not bound, and not in the cluster yet. Its size is its own.
func (d dice) plainClaim(c *Cluster, space, name string) *v1.PersistentVolumeClaim {
	claim := &v1.PersistentVolumeClaim{ObjectMeta: named(name)}
	claim.Namespace, claim.UID = space, types.UID(space+"-claim-"+name)
	claim.Spec.StorageClassName = ptr.To(d.className())
	claim.Spec.AccessModes = d.modes()
	claim.Spec.VolumeMode = ptr.To(v1.PersistentVolumeFilesystem)
	size := resource.NewQuantity(int64(d.IntN(4))<<30+int64(len(c.Claims)), resource.BinarySI)
	claim.Spec.Resources.Requests = v1.ResourceList{v1.ResourceStorage: *size}
	return claim
}

// bind makes the volume of the claim.
func (d dice) bind(c *Cluster, claim *v1.PersistentVolumeClaim) *v1.PersistentVolume {
	volume := d.volume(c, "of-"+claim.Namespace+"-"+claim.Name)
	volume.Spec.ClaimRef = &v1.ObjectReference{Namespace: claim.Namespace, Name: claim.Name,
		UID: claim.UID}
	volume.Status.Phase = v1.VolumeBound
	claim.Spec.VolumeName = volume.Name
	claim.Status.Phase = v1.ClaimBound
	c.Volumes = append(c.Volumes, volume)
	if d.chance(20) {
		c.Attachments = append(c.Attachments, &storagev1.VolumeAttachment{
			ObjectMeta: named("attached-" + volume.Name),
			Spec: storagev1.VolumeAttachmentSpec{Attacher: driver, NodeName: pick(d, c.Nodes).Name,
				Source: storagev1.VolumeAttachmentSource{PersistentVolumeName: &volume.Name}}})
	}
	return volume
}

// claim makes a claim in the pod's namespace: bound, half bound or not bound.
func (d dice) claim(c *Cluster, space, name string) *v1.PersistentVolumeClaim {
	claim := d.plainClaim(c, space, name)
	annotate := func(key, value string) {
		metav1.SetMetaDataAnnotation(&claim.ObjectMeta, key, value)
	}
	if d.chance(20) {
		claim.Spec.Selector = d.selector()
	}
	claim.Spec.VolumeAttributesClassName = d.attributes()
	switch d.IntN(40) {
	case 0:
		claim.Spec.StorageClassName = nil
	case 1:
		claim.Spec.StorageClassName = ptr.To("")
	case 2:
		annotate(v1.BetaStorageClassAnnotation, d.className())
	case 3:
		claim.Spec.VolumeMode = ptr.To(v1.PersistentVolumeBlock)
	case 4:
		claim.Spec.VolumeMode = nil
	case 5:
		claim.DeletionTimestamp, claim.Finalizers = &metav1.Time{Time: leaves}, []string{"test/kept"}
	}
	switch d.IntN(20) {
	case 0: // its volume does not exist
		claim.Spec.VolumeName = "gone"
		annotate("pv.kubernetes.io/bind-completed", "yes")
	case 1: // a controller works on it
		annotate("volume.kubernetes.io/selected-node", pick(d, c.Nodes).Name)
	case 2, 3: // named by its user, not bound yet
		volume := d.volume(c, "named-"+space+"-"+name)
		volume.Spec.ClaimRef = &v1.ObjectReference{Namespace: space, Name: name}
		c.Volumes = append(c.Volumes, volume)
	case 4:
		claim.Status.Phase = v1.ClaimLost
	case 5, 6, 7, 8, 9, 10, 11, 12, 13, 14:
		d.bind(c, claim)
		if d.chance(95) {
			annotate("pv.kubernetes.io/bind-completed", "yes")
		}
	}
	c.Claims = append(c.Claims, claim)
	return claim
}

func (d dice) addClaim(c *Cluster, pod *v1.Pod) {
	d.addOneClaim(c, pod)
	if d.chance(20) { // another, or the same again
		d.addOneClaim(c, pod)
	}
}

func (d dice) addOneClaim(c *Cluster, pod *v1.Pod) {
	name := pick(d, []string{"shared-0", "shared-1", "of-" + pod.Name})
	isThere := func(claim *v1.PersistentVolumeClaim) bool {
		return claim.Name == name && claim.Namespace == pod.Namespace
	}
	if d.chance(95) && !slices.ContainsFunc(c.Claims, isThere) {
		d.claim(c, pod.Namespace, name)
	}
	pod.Spec.Volumes = append(pod.Spec.Volumes, v1.Volume{Name: nameOfNext(pod),
		VolumeSource: v1.VolumeSource{PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{
			ClaimName: name}}})
}

func (d dice) addEphemeral(c *Cluster, pod *v1.Pod) {
	volume := nameOfNext(pod)
	pod.Spec.Volumes = append(pod.Spec.Volumes, v1.Volume{Name: volume,
		VolumeSource: v1.VolumeSource{Ephemeral: &v1.EphemeralVolumeSource{}}})
	name := pod.Name + "-" + volume
	isThere := func(claim *v1.PersistentVolumeClaim) bool {
		return claim.Name == name && claim.Namespace == pod.Namespace
	}
	if slices.ContainsFunc(c.Claims, isThere) || d.chance(5) {
		return
	}
	claim := d.claim(c, pod.Namespace, name)
	// No pod that is there has another's claim: the plugin then fails, which Berth leaves to a veto
	// (docs/design/volumes.md).
	if pod.Spec.NodeName != "" || d.chance(95) {
		claim.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod",
			Name: pod.Name, UID: pod.UID, Controller: ptr.To(true)}}
	}
}

func nameOfNext(pod *v1.Pod) string { return fmt.Sprintf("volume-%d", len(pod.Spec.Volumes)) }

func (d dice) addDisk(_ *Cluster, pod *v1.Pod) {
	id, readOnly := pick(d, values), d.chance(50)
	volume := v1.Volume{Name: nameOfNext(pod)}
	switch d.IntN(5) {
	case 0:
		volume.GCEPersistentDisk = &v1.GCEPersistentDiskVolumeSource{PDName: id, ReadOnly: readOnly}
	case 1:
		volume.AWSElasticBlockStore = &v1.AWSElasticBlockStoreVolumeSource{VolumeID: id,
			ReadOnly: readOnly}
	case 2:
		volume.ISCSI = &v1.ISCSIVolumeSource{TargetPortal: "10.0.0.1", IQN: id, ReadOnly: readOnly}
	case 3:
		volume.RBD = &v1.RBDVolumeSource{CephMonitors: append(d.some(values), "m"), RBDImage: id,
			RBDPool: pick(d, []string{"rbd", "other"}), ReadOnly: readOnly}
	case 4: // no constraint
		volume.VolumeSource = pick(d, []v1.VolumeSource{
			{EmptyDir: &v1.EmptyDirVolumeSource{}}, {NFS: &v1.NFSVolumeSource{Server: id, Path: "/"}},
			{CSI: &v1.CSIVolumeSource{Driver: driver}}, {HostPath: &v1.HostPathVolumeSource{Path: "/"}}})
	}
	pod.Spec.Volumes = append(pod.Spec.Volumes, volume)
}
