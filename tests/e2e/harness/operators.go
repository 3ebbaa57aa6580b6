package harness

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// operators stand in for training-operator and KubeRay, for objects that a user submits: they make
// what fixtures/owners shows, from the templates in the object. They make each thing once.
type operators struct {
	env  *Env
	made map[types.UID]map[string]bool // by owner, names of what was made
}

var (
	pyTorchJobs = schema.GroupVersionResource{Group: "kubeflow.org", Version: "v1",
		Resource: "pytorchjobs"}
	rayJobs     = schema.GroupVersionResource{Group: "ray.io", Version: "v1", Resource: "rayjobs"}
	rayClusters = schema.GroupVersionResource{Group: "ray.io", Version: "v1",
		Resource: "rayclusters"}
	jobs = schema.GroupVersionResource{Group: "batch", Version: "v1", Resource: "jobs"}
)

// StartOperators acts on PyTorchJobs, RayJobs and RayClusters of this test until it ends. The test
// needs StartControllers for their definitions, and for what they leave to Kubernetes.
func (e *Env) StartOperators() {
	e.Helper()
	ctx, cancel := context.WithCancel(e.Context)
	o := &operators{e, map[types.UID]map[string]bool{}}
	ended := make(chan error, 1)
	go func() {
		for {
			if err := o.look(ctx); err != nil && ctx.Err() == nil {
				ended <- err
				return
			}
			select {
			case <-ctx.Done():
				ended <- nil
				return
			case <-time.After(100 * time.Millisecond):
			}
		}
	}()
	e.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			e.Errorf("the stand-in for operators has ended: %v", err)
		}
	})
}

func (o *operators) look(ctx context.Context) error {
	for resource, act := range map[schema.GroupVersionResource]func(context.Context,
		*unstructured.Unstructured) error{
		pyTorchJobs: o.pyTorchJob, rayJobs: o.rayJob, rayClusters: o.rayCluster,
	} {
		list, err := o.env.Dynamic.Resource(resource).Namespace(o.env.Namespace).List(ctx,
			meta.ListOptions{})
		if err != nil {
			return err
		}
		for i := range list.Items {
			if err := act(ctx, &list.Items[i]); err != nil {
				return fmt.Errorf("%s %q: %w", list.Items[i].GetKind(), list.Items[i].GetName(), err)
			}
		}
	}
	return nil
}

// pyTorchJob makes pods NAME-TYPE-INDEX of each replica type.
func (o *operators) pyTorchJob(ctx context.Context, job *unstructured.Unstructured) error {
	specs, _, _ := unstructured.NestedMap(job.Object, "spec", "pytorchReplicaSpecs")
	for _, kind := range slices.Sorted(maps.Keys(specs)) {
		spec := specs[kind].(map[string]any)
		count, found, _ := unstructured.NestedInt64(spec, "replicas")
		if !found {
			count = 1
		}
		for i := range count {
			labels := map[string]string{
				"training.kubeflow.org/job-name":      job.GetName(),
				"training.kubeflow.org/operator-name": "pytorchjob-controller",
				"training.kubeflow.org/replica-type":  strings.ToLower(kind),
				"training.kubeflow.org/replica-index": fmt.Sprint(i),
			}
			if kind == "Master" {
				labels["training.kubeflow.org/job-role"] = "master"
			}
			name := fmt.Sprintf("%s-%s-%d", job.GetName(), strings.ToLower(kind), i)
			if err := o.pod(ctx, job, name, spec["template"], labels); err != nil {
				return err
			}
		}
	}
	return nil
}

// rayCluster makes the head and the workers.
func (o *operators) rayCluster(ctx context.Context, ray *unstructured.Unstructured) error {
	labels := func(kind, group string) map[string]string {
		return map[string]string{"ray.io/is-ray-node": "yes", "ray.io/cluster": ray.GetName(),
			"ray.io/node-type": kind, "ray.io/group": group,
			"app.kubernetes.io/name": "kuberay", "app.kubernetes.io/created-by": "kuberay-operator"}
	}
	head, _, _ := unstructured.NestedMap(ray.Object, "spec", "headGroupSpec", "template")
	err := o.pod(ctx, ray, ray.GetName()+"-head-4xmzr", head, labels("head", "headgroup"))
	if err != nil {
		return err
	}
	groups, _, _ := unstructured.NestedSlice(ray.Object, "spec", "workerGroupSpecs")
	for _, each := range groups {
		group := each.(map[string]any)
		name, _, _ := unstructured.NestedString(group, "groupName")
		replicas, _, _ := unstructured.NestedInt64(group, "replicas")
		hosts, found, _ := unstructured.NestedInt64(group, "numOfHosts")
		if !found {
			hosts = 1
		}
		for i := range replicas * hosts {
			pod := fmt.Sprintf("%s-%s-worker-%05d", ray.GetName(), name, i)
			if err := o.pod(ctx, ray, pod, group["template"], labels("worker", name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// rayJob makes the cluster, and its submitter when all pods of the cluster run.
func (o *operators) rayJob(ctx context.Context, job *unstructured.Unstructured) error {
	labels := map[string]string{"ray.io/originated-from-cr-name": job.GetName(),
		"ray.io/originated-from-crd": "RayJob"}
	spec, _, _ := unstructured.NestedMap(job.Object, "spec", "rayClusterSpec")
	ray := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "ray.io/v1",
		"kind": "RayCluster", "spec": spec}}
	ray.SetName(job.GetName() + "-x7k2p")
	ray.SetLabels(labels)
	ray.SetAnnotations(job.GetAnnotations())
	if err := o.make(ctx, job, rayClusters, ray); err != nil {
		return err
	}
	pods := o.env.Pods(func(pod *core.Pod) bool {
		return pod.Labels["ray.io/cluster"] == ray.GetName()
	})
	running := slices.DeleteFunc(slices.Clone(pods), func(pod *core.Pod) bool {
		return pod.Status.Phase != core.PodRunning
	})
	if len(pods) < 2 || len(running) < len(pods) {
		return nil
	}
	template, found, _ := unstructured.NestedMap(job.Object, "spec", "submitterPodTemplate")
	if !found {
		template = map[string]any{"spec": map[string]any{"restartPolicy": "Never",
			"containers": []any{map[string]any{"name": "ray-job-submitter", "image": "rayproject/ray",
				"resources": map[string]any{"requests": map[string]any{"cpu": "500m"}}}}}}
	}
	submitter := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "batch/v1",
		"kind": "Job", "spec": map[string]any{"backoffLimit": int64(2), "template": template}}}
	submitter.SetName(job.GetName())
	submitter.SetLabels(labels)
	return o.make(ctx, job, jobs, submitter)
}

func (o *operators) pod(ctx context.Context, owner *unstructured.Unstructured, name string,
	template any, labels map[string]string) error {
	content, _ := template.(map[string]any)
	var worded core.PodTemplateSpec
	err := runtime.DefaultUnstructuredConverter.FromUnstructured(content, &worded)
	if err != nil {
		return err
	}
	object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Pod",
		"spec": content["spec"]}}
	object.SetName(name)
	object.SetAnnotations(worded.Annotations)
	all := maps.Clone(worded.Labels)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, labels)
	object.SetLabels(all)
	return o.make(ctx, owner, core.SchemeGroupVersion.WithResource("pods"), object)
}

func (o *operators) make(ctx context.Context, owner *unstructured.Unstructured,
	resource schema.GroupVersionResource, object *unstructured.Unstructured) error {
	if o.made[owner.GetUID()] == nil {
		o.made[owner.GetUID()] = map[string]bool{}
	}
	if what := object.GetKind() + object.GetName(); !o.made[owner.GetUID()][what] {
		o.made[owner.GetUID()][what] = true
	} else {
		return nil
	}
	yes := true
	object.SetOwnerReferences([]meta.OwnerReference{{APIVersion: owner.GetAPIVersion(),
		Kind: owner.GetKind(), Name: owner.GetName(), UID: owner.GetUID(), Controller: &yes,
		BlockOwnerDeletion: &yes}})
	_, err := o.env.Dynamic.Resource(resource).Namespace(o.env.Namespace).Create(ctx, object,
		meta.CreateOptions{})
	if errors.IsAlreadyExists(err) {
		return nil
	}
	return err
}
