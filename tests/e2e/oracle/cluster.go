package oracle

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
)

// Cluster is what filters read. Pods without a node wait; they are in nobody's way.
type Cluster struct {
	Nodes       []*v1.Node
	Pods        []*v1.Pod
	Namespaces  []*v1.Namespace
	Claims      []*v1.PersistentVolumeClaim
	Volumes     []*v1.PersistentVolume
	Classes     []*storagev1.StorageClass
	CSINodes    []*storagev1.CSINode
	CSIDrivers  []*storagev1.CSIDriver
	Capacities  []*storagev1.CSIStorageCapacity
	Attachments []*storagev1.VolumeAttachment
	Groups      []*unstructured.Unstructured // PodGroups, which Berth alone reads
	Selecting   []runtime.Object             // Services and controllers of pods
}

// FullName is "namespace/name".
func FullName(pod *v1.Pod) string { return pod.Namespace + "/" + pod.Name }

// Waiting are the pods without a node, by name, that kube-scheduler tries: each is a case (ORACLE-1).
func (c *Cluster) Waiting() []*v1.Pod {
	var waiting []*v1.Pod
	for _, pod := range c.Pods {
		if pod.Spec.NodeName == "" && !hasEnded(pod) && pod.DeletionTimestamp == nil {
			waiting = append(waiting, pod)
		}
	}
	slices.SortFunc(waiting, func(left, right *v1.Pod) int {
		return strings.Compare(FullName(left), FullName(right))
	})
	return waiting
}

func hasEnded(pod *v1.Pod) bool {
	return pod.Status.Phase == v1.PodSucceeded || pod.Status.Phase == v1.PodFailed
}

func objects[T runtime.Object](from []T) []runtime.Object {
	all := make([]runtime.Object, 0, len(from))
	for _, each := range from {
		all = append(all, each)
	}
	return all
}

// Objects are all of its objects, kind by kind.
func (c *Cluster) Objects() []runtime.Object {
	return slices.Concat(objects(c.Nodes), objects(c.Pods), objects(c.Namespaces),
		objects(c.Claims), objects(c.Volumes), objects(c.Classes), objects(c.CSINodes),
		objects(c.CSIDrivers), objects(c.Capacities), objects(c.Attachments), objects(c.Groups), c.Selecting)
}

// MarshalJSON writes a List as kubectl does, which `berth fits --cluster` reads.
func (c *Cluster) MarshalJSON() ([]byte, error) {
	items := []runtime.Object{}
	for _, object := range c.Objects() {
		kinds, _, err := scheme.Scheme.ObjectKinds(object)
		if err != nil {
			return nil, err
		}
		object = object.DeepCopyObject()
		object.GetObjectKind().SetGroupVersionKind(kinds[0])
		items = append(items, object)
	}
	return json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": items})
}

// UnmarshalJSON reads such a List. Other kinds are left out.
func (c *Cluster) UnmarshalJSON(text []byte) error {
	var list struct{ Items []json.RawMessage }
	if err := json.Unmarshal(text, &list); err != nil {
		return err
	}
	*c = Cluster{}
	for i, item := range list.Items {
		object, _, err := scheme.Codecs.UniversalDeserializer().Decode(item, nil, nil)
		if runtime.IsNotRegisteredError(err) {
			other := &unstructured.Unstructured{}
			object, err = other, other.UnmarshalJSON(item)
		}
		if err != nil {
			return fmt.Errorf("item %d: %w", i, err)
		}
		c.add(object)
	}
	return nil
}

func (c *Cluster) add(object runtime.Object) {
	switch object := object.(type) {
	case *v1.Node:
		c.Nodes = append(c.Nodes, object)
	case *v1.Pod:
		c.Pods = append(c.Pods, object)
	case *v1.Namespace:
		c.Namespaces = append(c.Namespaces, object)
	case *v1.PersistentVolumeClaim:
		c.Claims = append(c.Claims, object)
	case *v1.PersistentVolume:
		c.Volumes = append(c.Volumes, object)
	case *storagev1.StorageClass:
		c.Classes = append(c.Classes, object)
	case *storagev1.CSINode:
		c.CSINodes = append(c.CSINodes, object)
	case *storagev1.CSIDriver:
		c.CSIDrivers = append(c.CSIDrivers, object)
	case *storagev1.CSIStorageCapacity:
		c.Capacities = append(c.Capacities, object)
	case *storagev1.VolumeAttachment:
		c.Attachments = append(c.Attachments, object)
	case *v1.Service, *v1.ReplicationController, *appsv1.ReplicaSet, *appsv1.StatefulSet:
		c.Selecting = append(c.Selecting, object)
	case *unstructured.Unstructured:
		if object.GetKind() == groupKind {
			c.Groups = append(c.Groups, object)
		}
	}
}

// Without is the cluster without one of its Objects, by position.
func (c *Cluster) Without(position int) *Cluster {
	smaller := &Cluster{}
	for i, object := range c.Objects() {
		if i != position {
			smaller.add(object)
		}
	}
	return smaller
}
