package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chartutil"
	extensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"berth.dev/berth/tests/e2e/harness"
	"berth.dev/berth/tests/e2e/schemas"
)

// The chart for each minor version that it is for, against the fields of that version
// (fixtures/schemas.txt), whichever version the servers of the suite have.

// served are the minor versions in which an API server has a kind by default. All kinds that are not
// here and in fixtures/schemas.txt it has in all.
var served = map[string][2]int{
	"flowcontrol.apiserver.k8s.io/v1/FlowSchema":                          {29, 99},
	"flowcontrol.apiserver.k8s.io/v1beta3/FlowSchema":                     {26, 31},
	"admissionregistration.k8s.io/v1/ValidatingAdmissionPolicy":           {30, 99},
	"admissionregistration.k8s.io/v1/ValidatingAdmissionPolicyBinding":    {30, 99},
	"admissionregistration.k8s.io/v1/MutatingAdmissionPolicy":             {36, 99},
	"admissionregistration.k8s.io/v1/MutatingAdmissionPolicyBinding":      {36, 99},
	"admissionregistration.k8s.io/v1beta1/MutatingAdmissionPolicy":        {0, 0},
	"admissionregistration.k8s.io/v1beta1/MutatingAdmissionPolicyBinding": {0, 0},
	"monitoring.coreos.com/v1/PodMonitor":                                 {0, 0},
	"monitoring.coreos.com/v1/PrometheusRule":                             {0, 0},
}

// capabilitiesOf are those of an API server with these kinds besides the usual ones.
func capabilitiesOf(minor int, more ...string) *chartutil.Capabilities {
	capabilities := chartutil.DefaultCapabilities.Copy()
	capabilities.KubeVersion = chartutil.KubeVersion{Version: fmt.Sprintf("v1.%d.3-eks-1a2b", minor),
		Major: "1", Minor: strconv.Itoa(minor)}
	capabilities.APIVersions = append(chartutil.VersionSet{"v1", "apps/v1"}, more...)
	for kind, span := range served {
		if span[0] <= minor && minor <= span[1] {
			capabilities.APIVersions = append(capabilities.APIVersions, kind)
		}
	}
	return capabilities
}

func readSchemas(t *testing.T) *schemas.Set {
	t.Helper()
	file, err := os.Open(filepath.Join("fixtures", "schemas.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	set, err := schemas.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// typeOf is the name in fixtures/schemas.txt.
func typeOf(object *unstructured.Unstructured) string {
	kind := object.GroupVersionKind()
	group, _, _ := strings.Cut(kind.Group, ".")
	if group == "" {
		group = "core"
	}
	return fmt.Sprintf("io.k8s.api.%s.%s.%s", group, kind.Version, kind.Kind)
}

const (
	mutatingBeta    = "admissionregistration.k8s.io/v1beta1/MutatingAdmissionPolicy"
	podMonitors     = "monitoring.coreos.com/v1/PodMonitor"
	prometheusRules = "monitoring.coreos.com/v1/PrometheusRule"
)

// everything are values that use all of the chart.
func everything() map[string]any {
	digest := "sha256:" + strings.Repeat("0a", 32)
	words := map[string]any{"team": "ml"}
	return map[string]any{
		"image":            map[string]any{"repository": "registry.example/berthd", "digest": digest},
		"imagePullSecrets": []any{map[string]any{"name": "pull"}},
		"extraArgs":        []any{"--log-json"},
		"extraEnv":         []any{map[string]any{"name": "TZ", "value": "UTC"}},
		"extraVolumes": []any{map[string]any{"name": "zone",
			"hostPath": map[string]any{"path": "/usr/share/zoneinfo"}}},
		"extraVolumeMounts": []any{map[string]any{"name": "zone", "mountPath": "/usr/share/zoneinfo"}},
		"schedulerNames":    []any{"berth", "volcano"},
		"kubeScheduler": map[string]any{"image": map[string]any{"digest": digest},
			"extraArgs": []any{"--v=2"}},
		"dedicatedNodes": map[string]any{"enabled": true, "key": "example.com/batch", "value": "yes",
			"effect": "NoExecute"},
		"tls":     map[string]any{"secretName": "certificate", "clientCA": true},
		"service": map[string]any{"enabled": true, "clusterIP": "10.0.0.9"},
		"networkPolicy": map[string]any{
			"metricsFrom": []any{map[string]any{"namespaceSelector": map[string]any{
				"matchLabels": words}}}},
		"podMonitor": map[string]any{"enabled": true, "labels": words, "interval": "15s",
			"tlsConfig": map[string]any{"insecureSkipVerify": true}},
		"prometheusRule": map[string]any{"enabled": true, "labels": words, "extraLabels": words},
		"grafanaDashboard": map[string]any{"enabled": true, "labels": words, "annotations": words,
			"docs": "https://docs.example/berth"},
		"priorityClassName":  "batch-system",
		"priorityClassQuota": true,
		"labels":             words, "deploymentLabels": words, "deploymentAnnotations": words,
		"podLabels": words, "podAnnotations": words,
		"serviceAccount": map[string]any{"labels": words, "annotations": words},
		"nodeSelector":   map[string]any{"kubernetes.io/os": "linux"},
		"tolerations":    []any{map[string]any{"operator": "Exists"}},
		"affinity": map[string]any{"podAntiAffinity": map[string]any{
			"requiredDuringSchedulingIgnoredDuringExecution": []any{map[string]any{
				"topologyKey":   "kubernetes.io/hostname",
				"labelSelector": map[string]any{"matchLabels": map[string]any{"app": "berth"}}}}}},
	}
}

func inPlace() map[string]any {
	return map[string]any{"kubeScheduler": map[string]any{"enabled": false},
		"service": map[string]any{"enabled": true}}
}

func TestTheChartFitsEachVersion(t *testing.T) {
	set := readSchemas(t)
	if set.First != 27 || set.Newest != 37 {
		t.Fatalf("fixtures/schemas.txt has 1.%d to 1.%d", set.First, set.Newest)
	}
	for minor := set.First; minor <= set.Newest; minor++ {
		t.Run(fmt.Sprintf("1.%d", minor), func(t *testing.T) {
			for name, values := range map[string]map[string]any{
				"default": nil, "everything": everything(), "in place": inPlace()} {
				checkFor(t, set, minor, name, values)
				more := []string{podMonitors, prometheusRules}
				if minor >= 34 {
					more = append(more, mutatingBeta)
				}
				checkFor(t, set, minor, name, values, more...)
			}
		})
	}
}

func checkFor(t *testing.T, set *schemas.Set, minor int, name string, values map[string]any,
	more ...string) {
	t.Helper()
	capabilities := capabilitiesOf(minor, more...)
	files, err := renderFor(capabilities, values)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	objects, err := objectsOf(files)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	for _, object := range objects {
		for _, complaint := range complaintsAbout(set, capabilities, minor, object) {
			t.Errorf("%s with %d more: %s %s: %s", name, len(more), object.GetKind(),
				object.GetName(), complaint)
		}
	}
}

func complaintsAbout(set *schemas.Set, capabilities *chartutil.Capabilities, minor int,
	object *unstructured.Unstructured) []string {
	kind := strings.TrimSuffix(object.GetAPIVersion()+"/"+object.GetKind(), "Binding")
	if _, isNewer := served[kind]; isNewer && !capabilities.APIVersions.Has(kind) {
		return []string{fmt.Sprintf("1.%d does not serve %s", minor, kind)}
	}
	switch object.GroupVersionKind().Group {
	case "monitoring.coreos.com": // not Kubernetes'
		return nil
	case "apiextensions.k8s.io":
		var definition extensions.CustomResourceDefinition
		err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(object.Object,
			&definition, true)
		if err != nil {
			return []string{err.Error()}
		}
		text, _ := object.MarshalJSON()
		hasRules := strings.Contains(string(text), "x-kubernetes-validations")
		isQueue := object.GetName() == harness.Queues.GroupResource().String()
		if wants := minor >= 34 && isQueue; hasRules != wants {
			return []string{fmt.Sprintf("it has rules: %t, expected %t", hasRules, wants)}
		}
		return nil
	}
	return set.Check(minor, typeOf(object), object.Object)
}

// A check that finds nothing would pass everything.
func TestTheSchemasFindWhatAVersionLacks(t *testing.T) {
	set := readSchemas(t)
	pod := func(spec map[string]any) map[string]any {
		return map[string]any{"spec": map[string]any{"template": map[string]any{"spec": spec}}}
	}
	for _, each := range []struct {
		minor int
		spec  map[string]any
		want  string
	}{
		{27, map[string]any{"serviceAccountName": "a"}, ""},
		{27, map[string]any{"serviceAccount": 3.0}, "is 3, expected a string"},
		{27, map[string]any{"replicas": int64(3)}, ".spec.template.spec.replicas is no field in 1.27"},
		{31, map[string]any{"resources": map[string]any{}}, "resources is no field in 1.31"},
		{32, map[string]any{"resources": map[string]any{}}, ""},
		{36, map[string]any{"tolerations": map[string]any{}}, "expected a list"},
	} {
		found := strings.Join(set.Check(each.minor, "io.k8s.api.apps.v1.Deployment", pod(each.spec)), "; ")
		if (found == "") != (each.want == "") || !strings.Contains(found, each.want) {
			t.Errorf("1.%d %v: %q, expected %q", each.minor, each.spec, found, each.want)
		}
	}
	if found := set.Check(28, "io.k8s.api.flowcontrol.v1.FlowSchema", map[string]any{
		"spec": map[string]any{}}); len(found) == 0 {
		t.Error("1.28 has a FlowSchema of v1")
	}
}

// NOTES have a line for each thing that is left out, and none else.
func TestTheNotesSayWhatIsLeftOut(t *testing.T) {
	const left, rules, queues = "Left out", "Rules in the definition of Queue", "Policies for queues"
	const gates, monitor, alerts = "gates and marks pods", "- PodMonitor", "- PrometheusRule"
	const templates = "Write selector and toleration into each pod template"
	monitored := map[string]any{"podMonitor": map[string]any{"enabled": true},
		"prometheusRule": map[string]any{"enabled": true}}
	nodes := map[string]any{"dedicatedNodes": map[string]any{"enabled": true}}
	for _, each := range []struct {
		minor  int
		values map[string]any
		more   []string
		want   []string
	}{
		{27, nil, nil, []string{left, rules, queues}},
		{29, inPlace(), nil, []string{left, rules, queues, gates}},
		{30, nil, nil, []string{left, rules}},
		{33, nodes, nil, []string{left, rules, templates}},
		{34, nil, nil, nil},
		{34, nodes, nil, []string{templates}},
		{34, nodes, []string{mutatingBeta}, nil},
		{35, inPlace(), nil, []string{left, gates}},
		{35, inPlace(), []string{mutatingBeta}, nil},
		{36, inPlace(), nil, nil},
		{36, nodes, nil, nil},
		{36, monitored, nil, []string{left, monitor, alerts}},
		{36, monitored, []string{podMonitors}, []string{left, alerts}},
		{36, monitored, []string{podMonitors, prometheusRules}, nil},
	} {
		files, err := renderFor(capabilitiesOf(each.minor, each.more...), each.values)
		if err != nil {
			t.Fatal(err)
		}
		notes := files["berth/templates/NOTES.txt"]
		for _, words := range []string{left, rules, queues, gates, monitor, alerts, templates} {
			if strings.Contains(notes, words) != slices.Contains(each.want, words) {
				t.Errorf("1.%d with %v and %v: the notes have %q: %t\n%s", each.minor, each.values,
					each.more, words, strings.Contains(notes, words), notes)
			}
		}
	}
}
