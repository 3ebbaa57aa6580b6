package harness

import (
	"context"
	"fmt"

	core "k8s.io/api/core/v1"
	storage "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Volumes that are made before their claims are bound, and what binds them.

const withoutFinalizers = `{"metadata":{"finalizers":null}}`

// CreateLateClass makes a class, of the test's name, whose claims are bound where their pods go, to
// volumes that are there. From now on claims are bound to the volumes that kube-scheduler chooses for
// them, as a kube-controller-manager would.
func (e *Env) CreateLateClass() string {
	e.Helper()
	wait := storage.VolumeBindingWaitForFirstConsumer
	class := &storage.StorageClass{ObjectMeta: meta.ObjectMeta{Name: e.Namespace},
		Provisioner: "kubernetes.io/no-provisioner", VolumeBindingMode: &wait}
	classes := e.Client.StorageV1().StorageClasses()
	_, err := classes.Create(e.Context, class, meta.CreateOptions{})
	e.Must(err)
	e.Cleanup(func() { e.Must(classes.Delete(e.Context, class.Name, meta.DeleteOptions{})) })
	e.bindChosenVolumes()
	return class.Name
}

// CreateVolume makes a volume of 1 GiB that is free, for nodes of one zone.
func (e *Env) CreateVolume(name, class, zone string) {
	e.Helper()
	e.createVolume(name, class, zone, nil, core.ReadWriteOnce, core.ReadWriteMany)
}

func (e *Env) createVolume(name, class, zone string, claim *core.ObjectReference,
	modes ...core.PersistentVolumeAccessMode) {
	e.Helper()
	volume := &core.PersistentVolume{
		ObjectMeta: meta.ObjectMeta{Name: e.Namespace + "-" + name},
		Spec: core.PersistentVolumeSpec{
			StorageClassName: class, ClaimRef: claim,
			AccessModes: modes,
			Capacity:    core.ResourceList{core.ResourceStorage: resource.MustParse("1Gi")},
			PersistentVolumeSource: core.PersistentVolumeSource{
				HostPath: &core.HostPathVolumeSource{Path: "/tmp/" + name}},
			NodeAffinity: &core.VolumeNodeAffinity{Required: &core.NodeSelector{
				NodeSelectorTerms: []core.NodeSelectorTerm{{
					MatchExpressions: []core.NodeSelectorRequirement{{Key: core.LabelTopologyZone,
						Operator: core.NodeSelectorOpIn, Values: []string{zone}}}}}}},
		}}
	volumes := e.Client.CoreV1().PersistentVolumes()
	made, err := volumes.Create(e.Context, volume, meta.CreateOptions{})
	e.Must(err)
	e.Cleanup(func() {
		_, err := volumes.Patch(e.Context, volume.Name, types.MergePatchType,
			[]byte(withoutFinalizers), meta.PatchOptions{})
		e.Must(err)
		e.Must(volumes.Delete(e.Context, volume.Name, meta.DeleteOptions{}))
	})
	made.Status.Phase = core.VolumeAvailable
	if claim != nil {
		made.Status.Phase = core.VolumeBound
	}
	_, err = volumes.UpdateStatus(e.Context, made, meta.UpdateOptions{})
	e.Must(err)
}

// CreateClaimOf makes a claim of 1 GiB of a class.
func (e *Env) CreateClaimOf(name, class string, mode core.PersistentVolumeAccessMode) {
	e.Helper()
	claims := e.Client.CoreV1().PersistentVolumeClaims(e.Namespace)
	_, err := claims.Create(e.Context, &core.PersistentVolumeClaim{
		ObjectMeta: meta.ObjectMeta{Name: name},
		Spec: core.PersistentVolumeClaimSpec{
			StorageClassName: &class, AccessModes: []core.PersistentVolumeAccessMode{mode},
			Resources: core.VolumeResourceRequirements{Requests: core.ResourceList{
				core.ResourceStorage: resource.MustParse("1Gi")}},
		}}, meta.CreateOptions{})
	e.Must(err)
	e.Cleanup(func() {
		_, err := claims.Patch(e.Context, name, types.MergePatchType, []byte(withoutFinalizers),
			meta.PatchOptions{})
		e.Must(err)
		e.Must(claims.Delete(e.Context, name, meta.DeleteOptions{}))
	})
}

// CreateBoundClaim makes a claim and its volume, which nodes of one zone reach.
func (e *Env) CreateBoundClaim(name, zone string, mode core.PersistentVolumeAccessMode) {
	e.Helper()
	e.CreateClaimOf(name, "", mode)
	claim, err := e.Client.CoreV1().PersistentVolumeClaims(e.Namespace).Get(e.Context, name,
		meta.GetOptions{})
	e.Must(err)
	e.createVolume(name, "", zone, &core.ObjectReference{Kind: "PersistentVolumeClaim",
		APIVersion: "v1", Namespace: e.Namespace, Name: name, UID: claim.UID}, mode)
	e.Must(e.bindClaim(e.Context, name, e.Namespace+"-"+name))
}

func (e *Env) bindClaim(ctx context.Context, claim, volume string) error {
	_, err := e.Client.CoreV1().PersistentVolumeClaims(e.Namespace).Patch(ctx, claim,
		types.MergePatchType, []byte(`{"metadata":{"annotations":`+
			`{"pv.kubernetes.io/bind-completed":"yes"}},"spec":{"volumeName":"`+volume+`"}}`),
		meta.PatchOptions{})
	return err
}

// bindChosenVolumes binds claims to volumes that name them, until the test ends.
func (e *Env) bindChosenVolumes() {
	e.Helper()
	ctx, cancel := context.WithCancel(e.Context)
	events, err := e.Client.CoreV1().PersistentVolumes().Watch(ctx, meta.ListOptions{})
	e.Must(err)
	done := make(chan error, 1)
	go func() {
		done <- e.bindAsChosen(ctx, func() *core.PersistentVolume {
			for event := range events.ResultChan() {
				if volume, is := event.Object.(*core.PersistentVolume); is {
					return volume
				}
			}
			return nil
		})
	}()
	e.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			e.Error(err)
		}
	})
}

func (e *Env) bindAsChosen(ctx context.Context, next func() *core.PersistentVolume) error {
	for volume := next(); volume != nil; volume = next() {
		claim := volume.Spec.ClaimRef
		isChosen := claim != nil && claim.Namespace == e.Namespace &&
			volume.Status.Phase == core.VolumeAvailable && volume.DeletionTimestamp == nil
		if !isChosen {
			continue
		}
		err := e.bindClaim(ctx, claim.Name, volume.Name)
		if err == nil {
			volume.Status.Phase = core.VolumeBound
			_, err = e.Client.CoreV1().PersistentVolumes().UpdateStatus(ctx, volume,
				meta.UpdateOptions{})
		}
		if ctx.Err() == nil && err != nil && !errors.IsConflict(err) {
			return fmt.Errorf("bind claim %q: %w", claim.Name, err)
		}
	}
	return nil
}

// BoundClaims are the claims of this test that have a volume, by the name of the claim.
func (e *Env) BoundClaims() map[string]string {
	e.Helper()
	claims, err := e.Client.CoreV1().PersistentVolumeClaims(e.Namespace).List(e.Context,
		meta.ListOptions{})
	e.Must(err)
	bound := map[string]string{}
	for _, claim := range claims.Items {
		if claim.Spec.VolumeName != "" {
			bound[claim.Name] = claim.Spec.VolumeName
		}
	}
	return bound
}
