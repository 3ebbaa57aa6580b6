package harness

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
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
		kind := object.GroupVersionKind()
		mapping, err := mapper.RESTMapping(kind.GroupKind(), kind.Version)
		if err != nil {
			return err
		}
		var resource dynamic.ResourceInterface = c.Dynamic.Resource(mapping.Resource)
		if mapping.Scope.Name() == "namespace" {
			resource = c.Dynamic.Resource(mapping.Resource).Namespace(object.GetNamespace())
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

// InstallDefinitions applies deploy/crds and waits until kubectl would find PodGroups and Queues.
func (c *ControlPlane) InstallDefinitions(ctx context.Context) error {
	objects, err := c.Kustomize(Deploy("crds"))
	if err != nil {
		return err
	}
	if err := c.Apply(ctx, objects); err != nil {
		return err
	}
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

// AdmissionFor puts policies into the version that the server has.
func (c *ControlPlane) AdmissionFor(objects []*unstructured.Unstructured) {
	for _, object := range objects {
		if strings.HasPrefix(object.GetKind(), "MutatingAdmissionPolicy") && c.Minor < 36 {
			object.SetAPIVersion("admissionregistration.k8s.io/v1beta1")
		}
	}
}

// ApplyAdmission applies the policies. With `marked` false pods are not marked for the barrier: then
// kube-scheduler needs no extenders.
func (c *ControlPlane) ApplyAdmission(ctx context.Context, marked bool) error {
	version := "v1"
	if c.Minor < 36 {
		version = "v1beta1"
	}
	if !marked {
		version = "gate-only"
	}
	objects, err := c.Kustomize(Deploy("admission", version))
	if err != nil {
		return err
	}
	c.AdmissionFor(objects)
	// As a user would who moves from Volcano: its pods are ours.
	if err := rewrite(objects, `['berth']`, `['berth', 'volcano']`); err != nil {
		return err
	}
	return c.Apply(ctx, objects)
}

// InstallAdmission applies the policies, and waits until the one that gates our pods is in force.
func (c *ControlPlane) InstallAdmission(ctx context.Context, marked bool) error {
	if err := c.ApplyAdmission(ctx, marked); err != nil {
		return err
	}
	probe := NewPod("default", "probe").Build()
	return c.AwaitAnswer(ctx, func(ctx context.Context) error {
		pod, err := c.Client.CoreV1().Pods("default").Create(ctx, probe,
			meta.CreateOptions{DryRun: []string{meta.DryRunAll}})
		if err != nil {
			return err
		}
		_, isMarked := pod.Spec.Containers[0].Resources.Requests[Marker]
		if len(pod.Spec.SchedulingGates) == 0 || isMarked != marked {
			return errors.New("the admission policy is not in force")
		}
		return nil
	})
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

// InstallAccess applies what berthd may do, and not what a kube-scheduler in its pod may do besides:
// namespace, service accounts and RBAC of deploy/.
func (c *ControlPlane) InstallAccess(ctx context.Context) error {
	objects, err := c.Kustomize(Deploy("kustomize", "overlays", "in-place"))
	if err != nil {
		return err
	}
	wanted := map[string]bool{"Namespace": true, "ServiceAccount": true, "ClusterRole": true,
		"ClusterRoleBinding": true, "Role": true, "RoleBinding": true, "PriorityClass": true}
	var access []*unstructured.Unstructured
	for _, object := range objects {
		if wanted[object.GetKind()] {
			access = append(access, object)
		}
	}
	return c.Apply(ctx, access)
}
