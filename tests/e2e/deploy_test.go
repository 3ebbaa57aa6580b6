package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	authorization "k8s.io/api/authorization/v1"
	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/clientcmd"
	scheduler "k8s.io/kube-scheduler/config/v1"
	"sigs.k8s.io/yaml"

	"berth.dev/berth/tests/e2e/harness"
)

// What deploy/ holds is accepted by the API server with strict validation.

func tryApply(e *harness.Env, objects []*unstructured.Unstructured) {
	e.Helper()
	e.AdaptToServer(objects)
	e.Must(e.TryApply(e.Context, objects))
}

func TestKustomizationsAreAccepted(t *testing.T) {
	for _, parts := range [][]string{
		{"kustomize", "base"}, {"kustomize", "overlays", "in-place"},
		{"kustomize", "overlays", "dedicated-nodes"},
		{"admission", "permissions"}, {"admission", "required-v1"},
	} {
		t.Run(parts[len(parts)-1], func(t *testing.T) {
			e := cluster.Begin(t)
			objects, err := e.Kustomize(harness.Deploy(parts...))
			e.Must(err)
			tryApply(e, objects)
		})
	}
}

var hasNamespace = map[string]bool{"PodGroup": true, "Pod": true, "Job": true}

func TestExamplesAreAccepted(t *testing.T) {
	files, err := filepath.Glob(harness.Deploy("examples", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatal("no examples", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			e := cluster.Begin(t)
			text, err := os.ReadFile(file)
			e.Must(err)
			objects, err := harness.Manifests(text)
			e.Must(err)
			for _, object := range objects {
				if hasNamespace[object.GetKind()] {
					object.SetNamespace(e.Namespace)
				}
			}
			tryApply(e, objects)
		})
	}
}

func readSchedulerConfig(t *testing.T, parts ...string) scheduler.KubeSchedulerConfiguration {
	t.Helper()
	text, err := os.ReadFile(harness.Deploy(parts...))
	if err != nil {
		t.Fatal(err)
	}
	var read scheduler.KubeSchedulerConfiguration
	if err := yaml.UnmarshalStrict(text, &read); err != nil {
		t.Fatal(err)
	}
	return read
}

func TestTheSchedulersConfigurationsAgree(t *testing.T) {
	clusters := readSchedulerConfig(t, "kube-scheduler-config.yaml")
	pods := readSchedulerConfig(t, "kustomize", "base", "kube-scheduler-config.yaml")
	if len(clusters.Profiles) != 2 ||
		*clusters.Profiles[0].SchedulerName != core.DefaultSchedulerName {
		t.Errorf("profiles of the cluster's kube-scheduler: %v", clusters.Profiles)
	}
	// In place, the cluster's serves the others, too, elects, and asks where others may go.
	clusters.Profiles = clusters.Profiles[1:]
	clusters.LeaderElection = pods.LeaderElection
	clusters.ClientConnection.Kubeconfig = pods.ClientConnection.Kubeconfig
	if len(pods.Extenders) != 2 || pods.Extenders[0].URLPrefix != clusters.Extenders[0].URLPrefix ||
		pods.Extenders[0].Ignorable || pods.Extenders[1].Ignorable {
		t.Errorf("extenders of the kube-scheduler in the pod: %+v", pods.Extenders)
	}
	// Both ask about pods with the marker: one for their nodes, one to bind (VIEW-19).
	if !reflect.DeepEqual(clusters.Extenders[1].ManagedResources, pods.Extenders[0].ManagedResources) ||
		pods.Extenders[0].ManagedResources[0].Name != harness.Marker {
		t.Errorf("the markers differ: %+v, %+v", clusters.Extenders[1], pods.Extenders[0])
	}
	clusters.Extenders[1].ManagedResources = nil // it has our pods only
	if !reflect.DeepEqual(clusters.Extenders[1], pods.Extenders[1]) {
		t.Errorf("the barriers differ:\n%+v\n%+v", clusters.Extenders[1], pods.Extenders[1])
	}
	clusters.Extenders = pods.Extenders
	if !reflect.DeepEqual(clusters, pods) {
		t.Errorf("more differs:\n%+v\n%+v", clusters, pods)
	}
}

// kube-scheduler finds the view where berthd serves it, and the key where berthd makes it.
func TestTheKubeconfigOfTheViewAgrees(t *testing.T) {
	deployed := readBerthConfig(t, harness.Deploy("kustomize", "base", "berth.yaml"))
	config, err := clientcmd.LoadFromFile(harness.Deploy("kustomize", "base", "kubeconfig.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	used := config.Contexts[config.CurrentContext]
	if used == nil || config.Clusters[used.Cluster] == nil || config.AuthInfos[used.AuthInfo] == nil {
		t.Fatalf("the context %q is not complete", config.CurrentContext)
	}
	view, _ := deployed["view"].(map[string]any)
	found := map[string]string{
		"server":      config.Clusters[used.Cluster].Server,
		"authority":   config.Clusters[used.Cluster].CertificateAuthority,
		"certificate": config.AuthInfos[used.AuthInfo].ClientCertificate,
		"key":         config.AuthInfos[used.AuthInfo].ClientKey,
	}
	directory := fmt.Sprint(view["directory"])
	want := map[string]string{
		"server":      fmt.Sprintf("https://%v:%v", view["address"], view["port"]),
		"authority":   filepath.Join(directory, "view.crt"),
		"certificate": filepath.Join(directory, "view.crt"),
		"key":         filepath.Join(directory, "view.key"),
	}
	if !reflect.DeepEqual(found, want) {
		t.Errorf("the kubeconfig has %v, expected %v", found, want)
	}
	if user := config.AuthInfos[used.AuthInfo]; user.TokenFile != "" || user.Token != "" {
		t.Error("kube-scheduler has a token")
	}
}

func readBerthConfig(t *testing.T, path string) map[string]any {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	read := map[string]any{}
	if err := yaml.UnmarshalStrict(text, &read); err != nil {
		t.Fatal(err)
	}
	return read
}

func TestTheDeployedConfigurationDecidesAsTheDefault(t *testing.T) {
	standard := readBerthConfig(t, filepath.Join(harness.Repository(), "config", "berth.yaml"))
	deployed := readBerthConfig(t, harness.Deploy("kustomize", "base", "berth.yaml"))
	for _, key := range []string{"actions", "configurations", "tiers"} {
		if !reflect.DeepEqual(standard[key], deployed[key]) {
			t.Errorf("%s: %v, by default %v", key, deployed[key], standard[key])
		}
	}
}

// The rights of berthd's account when it is alone in its pod.
func TestBerthMayDoWhatItDoesAndNoMore(t *testing.T) {
	e := cluster.Begin(t)
	const volcano, leases = "scheduling.volcano.sh", "coordination.k8s.io"
	for _, each := range []struct {
		want                                              bool
		verb, group, resource, subresource, space, object string
	}{
		{true, "list", "", "nodes", "", "", ""},
		{true, "watch", "", "pods", "", "", ""},
		{true, "watch", "policy", "poddisruptionbudgets", "", "", ""},
		{true, "watch", "", "persistentvolumes", "", "", ""},
		{true, "list", "", "persistentvolumeclaims", "", "", ""},
		{true, "watch", "storage.k8s.io", "csistoragecapacities", "", "", ""},
		{true, "list", "storage.k8s.io", "volumeattachments", "", "", ""},
		{false, "patch", "", "persistentvolumeclaims", "", "a", ""},
		{true, "watch", "scheduling.k8s.io", "priorityclasses", "", "", ""},
		{true, "watch", volcano, "podgroups", "", "", ""},
		{true, "watch", volcano, "queues", "", "", ""},
		{true, "patch", "", "pods", "", "a", ""},
		{true, "patch", "", "pods", "status", "a", ""},
		{true, "create", "", "pods", "binding", "a", ""},
		{true, "create", "", "pods", "eviction", "a", ""},
		{true, "patch", volcano, "podgroups", "", "a", ""},
		{true, "patch", volcano, "podgroups", "status", "a", ""},
		{true, "watch", "scheduling.k8s.io", "podgroups", "", "", ""},
		{true, "patch", "scheduling.k8s.io", "podgroups", "status", "a", ""},
		{true, "patch", volcano, "queues", "status", "", ""},
		{true, "create", "", "events", "", "a", ""},
		{true, "patch", "events.k8s.io", "events", "", "a", ""},
		{true, "create", leases, "leases", "", harness.Namespace, ""},
		{true, "update", leases, "leases", "", harness.Namespace, "berthd"},
		{true, "watch", leases, "leases", "", "kube-system", "kube-scheduler"},
		{false, "watch", leases, "leases", "", "kube-system", "kube-controller-manager"},
		{false, "update", leases, "leases", "", "kube-system", "kube-scheduler"},
		{true, "create", "", "configmaps", "", harness.Namespace, ""},
		{true, "patch", "", "configmaps", "", harness.Namespace, "berth-learned"},
		{false, "patch", "", "configmaps", "", harness.Namespace, "berth-kube-scheduler-config"},
		{false, "get", "", "configmaps", "", "a", "berth-learned"},
		{false, "delete", "", "pods", "", "a", ""},
		{false, "create", "", "pods", "", "a", ""},
		{true, "get", "", "nodes", "", "", "n1"},
		{true, "patch", "", "nodes", "", "", "n1"},
		{true, "get", volcano, "podgroups", "", "a", ""},
		{true, "watch", "batch", "jobs", "", "", ""},
		{false, "patch", "", "nodes", "status", "", "n1"},
		{false, "delete", "", "nodes", "", "", "n1"},
		{false, "patch", "batch", "jobs", "", "a", ""},
		{true, "create", "", "serviceaccounts", "token", harness.Namespace, "berth-kube-scheduler"},
		{false, "create", "", "serviceaccounts", "token", harness.Namespace, "berthd"},
		{false, "get", "", "secrets", "", "a", ""},
		{false, "patch", volcano, "queues", "", "", ""},
		{true, "delete", volcano, "podgroups", "", "a", ""}, // those that it made for owners
	} {
		review, err := e.Client.AuthorizationV1().SubjectAccessReviews().Create(e.Context,
			&authorization.SubjectAccessReview{Spec: authorization.SubjectAccessReviewSpec{
				User: "system:serviceaccount:" + harness.Namespace + ":" + harness.ServiceAccount,
				ResourceAttributes: &authorization.ResourceAttributes{
					Verb: each.verb, Group: each.group, Resource: each.resource,
					Subresource: each.subresource, Namespace: each.space, Name: each.object,
				}}}, meta.CreateOptions{})
		e.Must(err)
		if review.Status.Allowed != each.want {
			t.Errorf("%+v: allowed is %t", each, review.Status.Allowed)
		}
	}
}

func TestAdmissionLeavesAloneWhatIsThere(t *testing.T) {
	e := cluster.Begin(t)
	gated := harness.NewPod(e.Namespace, "gated").Build()
	gated.Spec.SchedulingGates = []core.PodSchedulingGate{{Name: harness.Gate}, {Name: "x.dev/other"}}
	limited := harness.NewPod(e.Namespace, "limited").Build()
	limited.Spec.Containers[0].Resources.Limits[core.ResourceCPU] = resource.MustParse("2")
	marked := harness.NewPod(e.Namespace, "marked").Build()
	second := *marked.Spec.Containers[0].DeepCopy()
	second.Name = "second"
	second.Resources.Limits = core.ResourceList{harness.Marker: resource.MustParse("1")}
	marked.Spec.Containers = append(marked.Spec.Containers, second)
	placed := harness.NewPod(e.Namespace, "placed").Build()
	placed.Spec.NodeName = "somewhere"

	for _, each := range []struct {
		pod     *core.Pod
		gates   int
		markers []bool
	}{
		{gated, 2, []bool{true}}, {limited, 1, []bool{true}},
		{marked, 1, []bool{false, true}}, {placed, 0, []bool{false}},
	} {
		pod, err := e.Client.CoreV1().Pods(e.Namespace).Create(e.Context, each.pod,
			meta.CreateOptions{DryRun: []string{meta.DryRunAll}})
		e.Must(err)
		if len(pod.Spec.SchedulingGates) != each.gates {
			t.Errorf("%s: gates %v", pod.Name, pod.Spec.SchedulingGates)
		}
		for i, container := range pod.Spec.Containers {
			limits := container.Resources.Limits
			if _, marked := limits[harness.Marker]; marked != each.markers[i] {
				t.Errorf("%s: limits of container %d are %v", pod.Name, i, limits)
			}
			if cpu, asked := each.pod.Spec.Containers[i].Resources.Limits[core.ResourceCPU]; asked &&
				!cpu.Equal(*limits.Cpu()) {
				t.Errorf("%s: limit of cpu is %v", pod.Name, limits.Cpu())
			}
		}
	}
}

// base/namespace.yaml enforces the standard "restricted".
func TestBerthsPodsAreRestricted(t *testing.T) {
	e := cluster.Begin(t)
	_, err := e.Client.CoreV1().Namespaces().Patch(e.Context, e.Namespace, types.MergePatchType,
		[]byte(`{"metadata":{"labels":{"pod-security.kubernetes.io/enforce":"restricted"}}}`),
		meta.PatchOptions{})
	e.Must(err)
	create := func(pod *core.Pod) error {
		pod.Name = "berth"
		_, err := e.Client.CoreV1().Pods(e.Namespace).Create(e.Context, pod,
			meta.CreateOptions{DryRun: []string{meta.DryRunAll}})
		return err
	}
	for name, values := range map[string]map[string]any{"default": nil, "in place": inPlace()} {
		template := deploymentOf(t, values).Spec.Template
		pod := &core.Pod{ObjectMeta: template.ObjectMeta, Spec: template.Spec}
		if err := create(pod.DeepCopy()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		pod.Spec.Containers[0].SecurityContext = nil
		if err := create(pod); err == nil {
			t.Errorf("%s: a container that is not confined is admitted, so this shows nothing", name)
		}
	}
}

// The API server puts berthd's requests where flow-schemas.yaml says.
func TestBerthsRequestsHaveTheirPriority(t *testing.T) {
	e := cluster.Begin(t)
	for path, name := range map[string]string{
		"/api/v1/pods?limit=1": "berth",
		"/apis/coordination.k8s.io/v1/namespaces/berth-system/leases/berthd": "berth-leader-election",
	} {
		schema := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "flowcontrol.apiserver.k8s.io/v1", "kind": "FlowSchema",
			"metadata": map[string]any{"name": name}}}
		e.AdaptToServer([]*unstructured.Unstructured{schema})
		schema, err := e.Find(e.Context, schema)
		e.Must(err)
		e.Must(e.AwaitAnswer(e.Context, func(ctx context.Context) error {
			used, err := e.FlowSchemaOf(ctx, path)
			if err == nil && used != string(schema.GetUID()) {
				err = fmt.Errorf("%s: the API server used the FlowSchema %s, not %s (%s)", path, used,
					name, schema.GetUID())
			}
			return err
		}))
	}
}
