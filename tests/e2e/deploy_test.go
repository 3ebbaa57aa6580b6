package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	authorization "k8s.io/api/authorization/v1"
	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
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
		{"kustomize", "overlays", "dedicated-nodes"}, {"admission", "gate-only"},
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

// render is what `helm template` prints for the chart on the server under test.
func render(e *harness.Env, values map[string]any) []*unstructured.Unstructured {
	e.Helper()
	files, err := renderFiles(e, values)
	e.Must(err)
	var objects []*unstructured.Unstructured
	for name, text := range files {
		if !strings.HasSuffix(name, ".yaml") {
			continue
		}
		parsed, err := harness.Manifests([]byte(text))
		e.Must(err)
		objects = append(objects, parsed...)
	}
	return objects
}

func renderFiles(e *harness.Env, values map[string]any) (map[string]string, error) {
	e.Helper()
	chart, err := loader.Load(harness.Deploy("helm", "berth"))
	e.Must(err)
	version, err := e.Client.Discovery().ServerVersion()
	e.Must(err)
	capabilities := chartutil.DefaultCapabilities.Copy()
	capabilities.KubeVersion = chartutil.KubeVersion{
		Version: version.GitVersion, Major: version.Major, Minor: version.Minor}
	all, err := chartutil.ToRenderValues(chart, values,
		chartutil.ReleaseOptions{Name: "berth", Namespace: harness.Namespace}, capabilities)
	e.Must(err)
	return engine.Render(chart, all)
}

func TestTheChartIsAccepted(t *testing.T) {
	e := cluster.Begin(t)
	tryApply(e, render(e, nil))
}

// A configuration from before mode view would leave kube-scheduler without a view to read.
func TestTheChartRefusesAModeWithoutAView(t *testing.T) {
	e := cluster.Begin(t)
	_, err := renderFiles(e, map[string]any{"config": "schedulerNames: [berth]\n"})
	if err == nil || !strings.Contains(err.Error(), `steering.mode is "nominate"`) {
		t.Errorf("rendered with a mode that has no view: %v", err)
	}
	files, err := renderFiles(e, map[string]any{
		"config": "schedulerNames: [batch]\nsteering: {mode: view}\n"})
	e.Must(err)
	if notes := files["berth/templates/NOTES.txt"]; !strings.Contains(notes, "batch") {
		t.Errorf("the notes do not name the configuration's schedulers: %s", notes)
	}
}

func TestTheChartForAnOutsideSchedulerIsAccepted(t *testing.T) {
	e := cluster.Begin(t)
	objects := render(e, map[string]any{
		"kubeScheduler": map[string]any{"enabled": false},
		"service":       map[string]any{"enabled": true},
		"networkPolicy": map[string]any{"from": []any{
			map[string]any{"ipBlock": map[string]any{"cidr": "10.0.0.0/24"}}}},
		"admission": map[string]any{
			"schedulerNames": []any{"berth", "volcano"}, "marker": false},
	})
	tryApply(e, objects)
	gated := false
	for _, object := range objects {
		text, err := object.MarshalJSON()
		e.Must(err)
		if strings.Contains(string(text), "system:kube-scheduler") {
			t.Errorf("%s %s is for a scheduler that is not there", object.GetKind(), object.GetName())
		}
		if object.GetKind() == "Deployment" && strings.Contains(string(text), "view") {
			t.Errorf("a berthd that is in place has a view: %s", text)
		}
		gated = gated || object.GetName() == "pods.berth.dev"
	}
	if !gated {
		t.Error("no policy gates pods, and kube-scheduler sees all of them")
	}
}

var (
	generatedName = regexp.MustCompile(`"berth-kube-scheduler-[0-9a-z]{10}"`)
	whiteSpace    = regexp.MustCompile(`(\\n|\s)+`)
)

// normalised is an object without what differs for a reason: labels, the hash in a generated name,
// white space in expressions, tags of images and what only Helm writes.
func normalised(e *harness.Env, object *unstructured.Unstructured) (string, map[string]any) {
	e.Helper()
	object.SetLabels(nil)
	if object.GetKind() == "Deployment" {
		template := []string{"spec", "template"}
		unstructured.RemoveNestedField(object.Object, append(template, "metadata", "annotations")...)
		for _, kind := range []string{"initContainers", "containers"} {
			path := append(template, "spec", kind)
			containers, _, err := unstructured.NestedSlice(object.Object, path...)
			e.Must(err)
			for _, each := range containers {
				container := each.(map[string]any)
				delete(container, "imagePullPolicy")
				container["image"], _, _ = strings.Cut(container["image"].(string), ":")
			}
			e.Must(unstructured.SetNestedSlice(object.Object, containers, path...))
		}
	}
	text, err := object.MarshalJSON()
	e.Must(err)
	words := generatedName.ReplaceAllString(string(text), `"berth-kube-scheduler"`)
	if strings.Contains(object.GetKind(), "AdmissionPolicy") {
		words = whiteSpace.ReplaceAllString(words, " ")
		words = strings.ReplaceAll(words, `\"`, "'")
	}
	result := map[string]any{}
	e.Must(json.Unmarshal([]byte(words), &result))
	name, _, _ := unstructured.NestedString(result, "metadata", "name")
	return fmt.Sprintf("%s %s/%s", object.GetKind(), object.GetNamespace(), name), result
}

func TestTheChartMakesWhatTheBaseMakes(t *testing.T) {
	e := cluster.Begin(t)
	base, err := e.Kustomize(harness.Deploy("kustomize", "base"))
	e.Must(err)
	policies, err := e.Kustomize(harness.Deploy("admission", "queues"))
	e.Must(err)
	want := map[string]map[string]any{}
	e.AdaptToServer(base)
	for _, object := range append(base, policies...) {
		if object.GetKind() == "Namespace" {
			continue // Helm's --create-namespace
		}
		name, content := normalised(e, object)
		want[name] = content
	}
	for _, object := range render(e, nil) {
		name, content := normalised(e, object)
		if !reflect.DeepEqual(content, want[name]) {
			t.Errorf("%s:\nchart     %v\nkustomize %v", name, content, want[name])
		}
		delete(want, name)
	}
	for name := range want {
		t.Errorf("%s is not in the chart", name)
	}
}

func TestTheChartGatesAsThePolicyDoes(t *testing.T) {
	e := cluster.Begin(t)
	for _, each := range []struct {
		directory string
		marker    bool
	}{{"v1", true}, {"gate-only", false}} {
		objects, err := e.Kustomize(harness.Deploy("admission", each.directory))
		e.Must(err)
		charts := render(e, map[string]any{"kubeScheduler": map[string]any{"enabled": false},
			"admission": map[string]any{"marker": each.marker}})
		isPolicy := func(object *unstructured.Unstructured) bool {
			return strings.HasPrefix(object.GetKind(), "MutatingAdmissionPolicy")
		}
		found := map[string]map[string]any{}
		for _, object := range charts {
			if isPolicy(object) {
				name, content := normalised(e, object)
				found[name] = content
			}
		}
		e.AdaptToServer(objects)
		for _, object := range objects {
			if !isPolicy(object) {
				continue
			}
			name, content := normalised(e, object)
			// A gate that is there is not added in both; the shorter one need not look.
			if !each.marker {
				unstructured.RemoveNestedField(content, "spec", "mutations")
				unstructured.RemoveNestedField(found[name], "spec", "mutations")
			}
			if !reflect.DeepEqual(content, found[name]) {
				t.Errorf("%s of %s:\nchart     %v\nkustomize %v", name, each.directory, found[name],
					content)
			}
		}
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
	clusters.Profiles[0].PluginConfig = pods.Profiles[0].PluginConfig
	clusters.LeaderElection = pods.LeaderElection
	clusters.ClientConnection.Kubeconfig = pods.ClientConnection.Kubeconfig
	if len(pods.Extenders) != 2 || pods.Extenders[0].URLPrefix != clusters.Extenders[0].URLPrefix ||
		pods.Extenders[0].Ignorable || pods.Extenders[1].Ignorable {
		t.Errorf("extenders of the kube-scheduler in the pod: %+v", pods.Extenders)
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
	if config.AuthInfos[used.AuthInfo].TokenFile == "" {
		t.Error("kube-scheduler has no token of its own")
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
		{true, "watch", "scheduling.k8s.io", "priorityclasses", "", "", ""},
		{true, "watch", volcano, "podgroups", "", "", ""},
		{true, "watch", volcano, "queues", "", "", ""},
		{true, "patch", "", "pods", "", "a", ""},
		{true, "patch", "", "pods", "status", "a", ""},
		{true, "create", "", "pods", "binding", "a", ""},
		{true, "create", "", "pods", "eviction", "a", ""},
		{true, "patch", volcano, "podgroups", "", "a", ""},
		{true, "patch", volcano, "podgroups", "status", "a", ""},
		{true, "patch", volcano, "queues", "status", "", ""},
		{true, "create", "", "events", "", "a", ""},
		{true, "patch", "events.k8s.io", "events", "", "a", ""},
		{true, "create", leases, "leases", "", harness.Namespace, ""},
		{true, "update", leases, "leases", "", harness.Namespace, "berthd"},
		{true, "watch", leases, "leases", "", "kube-system", "kube-scheduler"},
		{false, "watch", leases, "leases", "", "kube-system", "kube-controller-manager"},
		{false, "update", leases, "leases", "", "kube-system", "kube-scheduler"},
		{false, "delete", "", "pods", "", "a", ""},
		{false, "create", "", "pods", "", "a", ""},
		{true, "get", "", "nodes", "", "", "n1"},
		{true, "patch", "", "nodes", "", "", "n1"},
		{true, "get", volcano, "podgroups", "", "a", ""},
		{true, "watch", "batch", "jobs", "", "", ""},
		{false, "patch", "", "nodes", "status", "", "n1"},
		{false, "delete", "", "nodes", "", "", "n1"},
		{false, "patch", "batch", "jobs", "", "a", ""},
		{false, "get", "", "secrets", "", "a", ""},
		{false, "patch", volcano, "queues", "", "", ""},
		{false, "delete", volcano, "podgroups", "", "a", ""},
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
