package e2e

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"

	"berth.dev/berth/tests/e2e/harness"
)

// What the documents say about who reaches berthd, and with which account (docs/decisions/0027).

// read finds the object of this kind and name and decodes it.
func read[T any](e *harness.Env, objects []*unstructured.Unstructured, kind, name string) T {
	e.Helper()
	var content T
	at := slices.IndexFunc(objects, func(object *unstructured.Unstructured) bool {
		return object.GetKind() == kind && object.GetName() == name
	})
	if at < 0 {
		e.Fatalf("there is no %s %s", kind, name)
	}
	e.Must(runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(objects[at].Object,
		&content, true))
	return content
}

func openPorts(container core.Container) []int32 {
	var ports []int32
	for _, port := range container.Ports {
		ports = append(ports, port.ContainerPort)
	}
	return ports
}

func mounts(container core.Container, path string) bool {
	return slices.ContainsFunc(container.VolumeMounts, func(mount core.VolumeMount) bool {
		return strings.HasPrefix(mount.MountPath, path)
	})
}

// beside are the ways in which the layout beside is shipped.
func beside(e *harness.Env) map[string][]*unstructured.Unstructured {
	e.Helper()
	base, err := e.Kustomize(harness.Deploy("kustomize", "base"))
	e.Must(err)
	return map[string][]*unstructured.Unstructured{"kustomize": base, "chart": render(e, nil)}
}

func TestOnlyBerthHasAToken(t *testing.T) {
	e := cluster.Begin(t)
	const accounts = "/var/run/secrets/kubernetes.io"
	for name, objects := range beside(e) {
		pod := read[apps.Deployment](e, objects, "Deployment", "berth").Spec.Template.Spec
		if pod.AutomountServiceAccountToken == nil || *pod.AutomountServiceAccountToken {
			t.Errorf("%s: the kubelet gives every container a token", name)
		}
		for _, container := range append(pod.Containers, pod.InitContainers...) {
			if has, want := mounts(container, accounts), container.Name == "berthd"; has != want {
				t.Errorf("%s: %s has a token: %t, expected %t", name, container.Name, has, want)
			}
		}
		for _, volume := range pod.Volumes {
			if volume.Name == "view" && (volume.EmptyDir == nil ||
				volume.EmptyDir.Medium != core.StorageMediumMemory) {
				t.Errorf("%s: the view's key is not in memory: %v", name, volume)
			}
		}
		for _, account := range []string{harness.ServiceAccount, harness.SchedulersAccount} {
			made := read[core.ServiceAccount](e, objects, "ServiceAccount", account)
			if automount := made.AutomountServiceAccountToken; automount == nil || *automount {
				t.Errorf("%s: pods of the account %s get its token", name, account)
			}
		}
	}
}

func TestOnlyThePagesAreOpenAndToNobody(t *testing.T) {
	e := cluster.Begin(t)
	for name, objects := range beside(e) {
		pod := read[apps.Deployment](e, objects, "Deployment", "berth").Spec.Template.Spec
		for _, container := range pod.Containers {
			want := map[string][]int32{"berthd": {8892}, "kube-scheduler": {10259}}[container.Name]
			if ports := openPorts(container); !slices.Equal(ports, want) {
				t.Errorf("%s: %s has the ports %v, expected %v", name, container.Name, ports, want)
			}
			if container.Name == "berthd" && !slices.Contains(container.Args, "--listen=127.0.0.1:8890") {
				t.Errorf("%s: the extender is not on loopback: %v", name, container.Args)
			}
		}
		policy := read[networking.NetworkPolicy](e, objects, "NetworkPolicy", "berth")
		if len(policy.Spec.Ingress) > 0 || !slices.Contains(policy.Spec.PolicyTypes,
			networking.PolicyTypeIngress) {
			t.Errorf("%s: the policy admits %v", name, policy.Spec)
		}
	}
	inPlace, err := e.Kustomize(harness.Deploy("kustomize", "overlays", "in-place"))
	e.Must(err)
	for _, rule := range read[networking.NetworkPolicy](e, inPlace, "NetworkPolicy", "berth").Spec.
		Ingress {
		for _, peer := range rule.From {
			if peer.IPBlock == nil || peer.IPBlock.CIDR != "192.0.2.1/32" {
				t.Errorf("in place, the policy admits more than the address to be replaced: %v", peer)
			}
		}
		if len(rule.From) == 0 || len(rule.Ports) != 1 || rule.Ports[0].Port.String() != "extender" {
			t.Errorf("in place, the policy admits %v", rule)
		}
	}
}

type responses struct {
	transport http.RoundTripper
	header    http.Header
}

func (r *responses) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := r.transport.RoundTrip(request)
	if err == nil {
		r.header = response.Header
	}
	return response, err
}

// Both accounts have the priority of Kubernetes' own scheduler.
func TestTheFlowSchemaIsForBothAccounts(t *testing.T) {
	e := cluster.Begin(t)
	schema, err := e.Dynamic.Resource(harness.FlowSchemas(e.Minor)).Get(e.Context, "berth",
		meta.GetOptions{})
	e.Must(err)
	for _, account := range []string{harness.ServiceAccount, harness.SchedulersAccount} {
		token, err := e.Token(account)
		e.Must(err)
		config := rest.AnonymousClientConfig(e.Admin)
		config.BearerToken = token
		seen := &responses{}
		config.Wrap(func(transport http.RoundTripper) http.RoundTripper {
			seen.transport = transport
			return seen
		})
		askAs(e, config)
		if uid := seen.header.Get("X-Kubernetes-Pf-Flowschema-Uid"); uid != string(schema.GetUID()) {
			t.Errorf("%s: a request has the flow schema %q, expected %q", account, uid, schema.GetUID())
		}
	}
}
