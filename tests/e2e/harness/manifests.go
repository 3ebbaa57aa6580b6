package harness

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/restmapper"
)

// GroupVersion is that of PodGroup and Queue.
var GroupVersion = schema.GroupVersion{Group: "scheduling.volcano.sh", Version: "v1beta1"}

// PodGroups and Queues are their resources.
var (
	PodGroups = GroupVersion.WithResource("podgroups")
	Queues    = GroupVersion.WithResource("queues")
)

// FlowSchemas is the resource as 1.x serves it.
func FlowSchemas(minor int) schema.GroupVersionResource {
	version := "v1"
	if minor < 29 {
		version = "v1beta3"
	}
	return schema.GroupVersionResource{Group: "flowcontrol.apiserver.k8s.io", Version: version,
		Resource: "flowschemas"}
}

// Manifests splits YAML into objects.
func Manifests(text []byte) ([]*unstructured.Unstructured, error) {
	var objects []*unstructured.Unstructured
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096)
	for {
		content := map[string]any{}
		err := decoder.Decode(&content)
		if err == io.EOF {
			return objects, nil
		}
		if err != nil {
			return nil, err
		}
		if len(content) > 0 {
			objects = append(objects, &unstructured.Unstructured{Object: content})
		}
	}
}

// Kustomize is what `kubectl kustomize DIRECTORY` prints.
func (c *ControlPlane) Kustomize(directory string) ([]*unstructured.Unstructured, error) {
	command := exec.Command(filepath.Join(c.binaries, "kubectl"), "kustomize", directory)
	var complaint bytes.Buffer
	command.Stderr = &complaint
	text, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("kubectl kustomize %s: %w: %s", directory, err, &complaint)
	}
	return Manifests(text)
}

// Apply applies objects in order, by server-side apply with strict validation.
func (c *ControlPlane) Apply(ctx context.Context, objects []*unstructured.Unstructured) error {
	return c.apply(ctx, objects, nil)
}

// TryApply has the API server check objects, and changes nothing.
func (c *ControlPlane) TryApply(ctx context.Context, objects []*unstructured.Unstructured) error {
	return c.apply(ctx, objects, []string{meta.DryRunAll})
}

func (c *ControlPlane) apply(ctx context.Context, objects []*unstructured.Unstructured,
	dryRun []string) error {
	mapper := c.kinds()
	for _, object := range objects {
		resource, err := c.resourceOf(mapper, object)
		if err != nil {
			return err
		}
		text, err := object.MarshalJSON()
		if err != nil {
			return err
		}
		force := true
		_, err = resource.Patch(ctx, object.GetName(), types.ApplyPatchType, text,
			meta.PatchOptions{FieldManager: "e2e", Force: &force, DryRun: dryRun,
				FieldValidation: meta.FieldValidationStrict})
		if err != nil {
			return fmt.Errorf("%s %s: %w", object.GetKind(), object.GetName(), err)
		}
	}
	return nil
}

// Remove deletes an object by its kind and name.
func (c *ControlPlane) Remove(ctx context.Context, object *unstructured.Unstructured) error {
	resource, err := c.resourceOf(c.kinds(), object)
	if err != nil {
		return err
	}
	return resource.Delete(ctx, object.GetName(), meta.DeleteOptions{})
}

// Find reads the object that has the same kind and name.
func (c *ControlPlane) Find(ctx context.Context,
	object *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	resource, err := c.resourceOf(c.kinds(), object)
	if err != nil {
		return nil, err
	}
	return resource.Get(ctx, object.GetName(), meta.GetOptions{})
}

func (c *ControlPlane) resourceOf(mapper apimeta.RESTMapper,
	object *unstructured.Unstructured) (dynamic.ResourceInterface, error) {
	kind := object.GroupVersionKind()
	mapping, err := mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if err != nil {
		return nil, err
	}
	if mapping.Scope.Name() == "namespace" {
		return c.Dynamic.Resource(mapping.Resource).Namespace(object.GetNamespace()), nil
	}
	return c.Dynamic.Resource(mapping.Resource), nil
}

// InstallDefinitions applies deploy/crds, and waits until kubectl would find PodGroups and Queues.
func (c *ControlPlane) InstallDefinitions(ctx context.Context) error {
	directory := "crds"
	if c.Minor < 34 {
		directory = "crds-without-rules"
	}
	objects, err := c.Kustomize(Deploy(directory))
	if err != nil {
		return err
	}
	if err := c.Apply(ctx, objects); err != nil {
		return err
	}
	return c.AwaitDefinitions(ctx)
}

// AwaitDefinitions waits until PodGroups and Queues are served.
func (c *ControlPlane) AwaitDefinitions(ctx context.Context) error {
	return awaitReady(ctx, c.APIServer, func(ctx context.Context) error {
		for _, resource := range []schema.GroupVersionResource{PodGroups, Queues} {
			_, err := c.Dynamic.Resource(resource).List(ctx, meta.ListOptions{Limit: 1})
			if err != nil {
				return err
			}
		}
		mapper := c.kinds()
		for _, kind := range []string{"PodGroup", "Queue"} {
			if _, err := mapper.RESTMapping(GroupVersion.WithKind(kind).GroupKind()); err != nil {
				return err
			}
		}
		return nil
	})
}

// kinds is what kubectl would find that the server has now.
func (c *ControlPlane) kinds() apimeta.RESTMapper {
	cached := memory.NewMemCacheClient(discovery.NewDiscoveryClientForConfigOrDie(c.Admin))
	return restmapper.NewDeferredDiscoveryRESTMapper(cached)
}

// AdaptToServer puts objects into the versions that the server has.
func (c *ControlPlane) AdaptToServer(objects []*unstructured.Unstructured) {
	for _, object := range objects {
		if strings.HasPrefix(object.GetKind(), "MutatingAdmissionPolicy") && c.Minor < 36 {
			object.SetAPIVersion("admissionregistration.k8s.io/v1beta1")
		}
		if object.GetKind() == "FlowSchema" && c.Minor < 29 {
			object.SetAPIVersion("flowcontrol.apiserver.k8s.io/v1beta3")
		}
	}
}

// Directories of deploy/admission, as far as they do not depend on the version.
const (
	GateAndMarker = "v1"     // our pods wait for a plan, and are bound through the barrier
	QueuePolicies = "queues" // pods stay as they are

	PermissionPolicies = "permissions" // besides: who may
)

// ApplyAdmission applies the policies of a directory, as far as the server knows their kinds.
func (c *ControlPlane) ApplyAdmission(ctx context.Context, directory string) error {
	objects, err := c.Admission(directory)
	if err != nil {
		return err
	}
	return c.Apply(ctx, objects)
}

// Admission are the policies of a directory, for a user who moves from Volcano: its pods are ours.
func (c *ControlPlane) Admission(directory string) ([]*unstructured.Unstructured, error) {
	if (directory == QueuePolicies || directory == PermissionPolicies) && c.Minor < 30 {
		return nil, nil
	}
	if directory == GateAndMarker && c.Minor < 36 {
		directory = "v1beta1"
	}
	objects, err := c.Kustomize(Deploy("admission", directory))
	if err != nil || directory == QueuePolicies {
		return objects, err
	}
	c.AdaptToServer(objects)
	if directory == PermissionPolicies {
		return objects, rewriteAll(objects, `['berth']`, `['berth', 'volcano']`)
	}
	return objects, rewrite(objects, `['berth']`, `['berth', 'volcano']`)
}

// InstallAdmission applies the policies, and waits until one that gates our pods is in force.
func (c *ControlPlane) InstallAdmission(ctx context.Context, directory string) error {
	if err := c.ApplyAdmission(ctx, directory); err != nil || directory == QueuePolicies {
		return err
	}
	return c.AwaitAdmission(ctx, true)
}

// AwaitAdmission waits until our pods are gated and marked, or until they are neither.
func (c *ControlPlane) AwaitAdmission(ctx context.Context, are bool) error {
	probe := NewPod("default", "probe").Build()
	return c.AwaitAnswer(ctx, func(ctx context.Context) error {
		pod, err := c.Client.CoreV1().Pods("default").Create(ctx, probe,
			meta.CreateOptions{DryRun: []string{meta.DryRunAll}})
		if err != nil {
			return err
		}
		_, isMarked := pod.Spec.Containers[0].Resources.Requests[Marker]
		if isGated := len(pod.Spec.SchedulingGates) > 0; isGated != are || isMarked != are {
			return fmt.Errorf("a pod of ours is gated: %t, marked: %t; expected %t of both",
				isGated, isMarked, are)
		}
		return nil
	})
}

// rewriteAll replaces a text wherever it occurs.
func rewriteAll(objects []*unstructured.Unstructured, old, new string) error {
	for _, object := range objects {
		text, err := json.Marshal(object.Object)
		if err != nil {
			return err
		}
		text = bytes.ReplaceAll(text, []byte(old), []byte(new))
		if err := json.Unmarshal(text, &object.Object); err != nil {
			return err
		}
	}
	return nil
}

// rewrite replaces a text that occurs once.
func rewrite(objects []*unstructured.Unstructured, old, new string) error {
	for _, object := range objects {
		text, err := json.Marshal(object.Object)
		if err != nil {
			return err
		}
		if strings.Count(string(text), old) == 1 {
			return json.Unmarshal([]byte(strings.Replace(string(text), old, new, 1)), &object.Object)
		}
	}
	return fmt.Errorf("no manifest holds %q once", old)
}

// InstallAccess applies what berthd, and a kube-scheduler in its pod, may do: namespace, service
// accounts, RBAC and priorities of deploy/.
func (c *ControlPlane) InstallAccess(ctx context.Context) error {
	base, err := c.Kustomize(Deploy("kustomize", "base"))
	if err != nil {
		return err
	}
	wanted := map[string]bool{"Namespace": true, "ServiceAccount": true, "ClusterRole": true,
		"ClusterRoleBinding": true, "Role": true, "RoleBinding": true, "FlowSchema": true}
	var access []*unstructured.Unstructured
	for _, object := range base {
		if wanted[object.GetKind()] {
			access = append(access, object)
		}
	}
	c.AdaptToServer(access)
	return c.Apply(ctx, access)
}

// Kubectl runs kubectl with these arguments, as a user who may do everything.
func (c *ControlPlane) Kubectl(arguments ...string) (string, error) {
	command := exec.Command(filepath.Join(c.binaries, "kubectl"), arguments...)
	command.Env = append(command.Environ(), "KUBECONFIG="+c.AdminKubeconfig())
	text, err := command.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("kubectl %s: %w: %s", strings.Join(arguments, " "), err, text)
	}
	return string(text), nil
}
