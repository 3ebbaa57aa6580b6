package harness

import (
	"fmt"

	core "k8s.io/api/core/v1"
	storage "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// SelectedNode annotates a claim with the node that kube-scheduler wants its volume on.
const SelectedNode = "volume.kubernetes.io/selected-node"

// CreateClaim makes a claim whose volume is to be made where its pod is planned. Nobody makes it but
// Provision: until then kube-scheduler waits with the pod, after filters and before the bind.
func (e *Env) CreateClaim(name string) {
	e.Helper()
	wait := storage.VolumeBindingWaitForFirstConsumer
	class := &storage.StorageClass{ObjectMeta: meta.ObjectMeta{Name: e.Namespace},
		Provisioner: "e2e.berth.dev/by-hand", VolumeBindingMode: &wait}
	_, err := e.Client.StorageV1().StorageClasses().Create(e.Context, class, meta.CreateOptions{})
	e.Must(err)
	claims := e.Client.CoreV1().PersistentVolumeClaims(e.Namespace)
	_, err = claims.Create(e.Context, &core.PersistentVolumeClaim{
		ObjectMeta: meta.ObjectMeta{Name: name},
		Spec: core.PersistentVolumeClaimSpec{
			StorageClassName: &class.Name, AccessModes: []core.PersistentVolumeAccessMode{"ReadWriteOnce"},
			Resources: core.VolumeResourceRequirements{Requests: core.ResourceList{
				core.ResourceStorage: resource.MustParse("1Gi")}},
		}}, meta.CreateOptions{})
	e.Must(err)
	e.Cleanup(func() {
		// Nobody else removes what protects a claim.
		_, err := claims.Patch(e.Context, name, types.MergePatchType,
			[]byte(`{"metadata":{"finalizers":null}}`), meta.PatchOptions{})
		e.Must(err)
		e.Must(claims.Delete(e.Context, name, meta.DeleteOptions{}))
		e.Must(e.Client.StorageV1().StorageClasses().Delete(e.Context, class.Name,
			meta.DeleteOptions{}))
	})
}

// AwaitSelected waits until kube-scheduler has asked for the claim's volume, and names the node.
func (e *Env) AwaitSelected(claim string) string {
	e.Helper()
	node := ""
	e.Await(Soon, func() error {
		found, err := e.Client.CoreV1().PersistentVolumeClaims(e.Namespace).Get(e.Context, claim,
			meta.GetOptions{})
		if err != nil {
			return err
		}
		if node = found.Annotations[SelectedNode]; node == "" {
			return fmt.Errorf("no node is selected for claim %q", claim)
		}
		return nil
	})
	return node
}

// Provision makes the volume of a claim, as a controller would.
func (e *Env) Provision(name string) {
	e.Helper()
	claims := e.Client.CoreV1().PersistentVolumeClaims(e.Namespace)
	claim, err := claims.Get(e.Context, name, meta.GetOptions{})
	e.Must(err)
	volume := &core.PersistentVolume{
		ObjectMeta: meta.ObjectMeta{Name: "pv-" + string(claim.UID)},
		Spec: core.PersistentVolumeSpec{
			StorageClassName: *claim.Spec.StorageClassName, AccessModes: claim.Spec.AccessModes,
			Capacity: claim.Spec.Resources.Requests,
			ClaimRef: &core.ObjectReference{Kind: "PersistentVolumeClaim", APIVersion: "v1",
				Namespace: e.Namespace, Name: name, UID: claim.UID},
			PersistentVolumeSource: core.PersistentVolumeSource{
				HostPath: &core.HostPathVolumeSource{Path: "/tmp/" + name}},
		}}
	volumes := e.Client.CoreV1().PersistentVolumes()
	_, err = volumes.Create(e.Context, volume, meta.CreateOptions{})
	e.Must(err)
	e.Cleanup(func() {
		_, err := volumes.Patch(e.Context, volume.Name, types.MergePatchType,
			[]byte(`{"metadata":{"finalizers":null}}`), meta.PatchOptions{})
		e.Must(err)
		e.Must(volumes.Delete(e.Context, volume.Name, meta.DeleteOptions{}))
	})
	_, err = claims.Patch(e.Context, name, types.MergePatchType, []byte(
		`{"metadata":{"annotations":{"pv.kubernetes.io/bind-completed":"yes"}},`+
			`"spec":{"volumeName":"`+volume.Name+`"}}`), meta.PatchOptions{})
	e.Must(err)
}
