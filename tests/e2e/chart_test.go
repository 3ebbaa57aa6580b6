package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"berth.dev/berth/tests/e2e/harness"
)

// render is what `helm template` prints for the chart on the server under test.
func render(e *harness.Env, values map[string]any) []*unstructured.Unstructured {
	e.Helper()
	files, err := renderFiles(e, values)
	e.Must(err)
	objects, err := objectsOf(files)
	e.Must(err)
	return objects
}

func objectsOf(files map[string]string) ([]*unstructured.Unstructured, error) {
	var objects []*unstructured.Unstructured
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if !strings.HasSuffix(name, ".yaml") {
			continue
		}
		parsed, err := harness.Manifests([]byte(files[name]))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		objects = append(objects, parsed...)
	}
	return objects, nil
}

func renderFiles(e *harness.Env, values map[string]any) (map[string]string, error) {
	e.Helper()
	capabilities, err := e.Capabilities()
	e.Must(err)
	return renderFor(capabilities, values)
}

// renderFor is by file what Helm makes of the chart for such a server, which has no objects yet.
func renderFor(capabilities *chartutil.Capabilities, values map[string]any) (map[string]string,
	error) {
	chart, err := harness.ShippedChart()
	if err != nil {
		return nil, err
	}
	all, err := chartutil.ToRenderValues(chart, values,
		chartutil.ReleaseOptions{Name: "berth", Namespace: harness.Namespace}, capabilities)
	if err != nil {
		return nil, err
	}
	return engine.Render(chart, all)
}

func TestTheChartIsAccepted(t *testing.T) {
	for name, values := range map[string]map[string]any{
		"default": nil, "everything": everything(), "in place": inPlace()} {
		t.Run(name, func(t *testing.T) {
			e := cluster.Begin(t)
			tryApply(e, render(e, values))
		})
	}
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
		"schedulerNames": []any{"berth", "volcano"},
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
	generatedName = regexp.MustCompile(`"berth-kube-scheduler-config-[0-9a-z]{10}"`)
	whiteSpace    = regexp.MustCompile(`(\\n|\s)+`)
)

// normalised is an object without what differs for a reason: labels, the hash in a generated name,
// white space in expressions, the version of policies before 1.36, tags of images and what only Helm writes.
func normalised(e *harness.Env, object *unstructured.Unstructured) (string, map[string]any) {
	e.Helper()
	object.SetLabels(nil)
	if object.GetKind() == "CustomResourceDefinition" {
		object.SetAnnotations(nil)
	}
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
	words := generatedName.ReplaceAllString(string(text), `"berth-kube-scheduler-config"`)
	if object.GetKind() == "CustomResourceDefinition" {
		words = whiteSpace.ReplaceAllString(words, " ")
	}
	if strings.Contains(object.GetKind(), "AdmissionPolicy") {
		words = whiteSpace.ReplaceAllString(words, " ")
		words = strings.ReplaceAll(words, `\"`, "'")
		if e.Minor < 36 {
			words = strings.ReplaceAll(words, "admissionregistration.k8s.io/v1beta1",
				"admissionregistration.k8s.io/v1")
		}
	}
	result := map[string]any{}
	e.Must(json.Unmarshal([]byte(words), &result))
	name, _, _ := unstructured.NestedString(result, "metadata", "name")
	return fmt.Sprintf("%s %s/%s", object.GetKind(), object.GetNamespace(), name), result
}

func TestTheChartMakesWhatTheBaseMakes(t *testing.T) {
	e := cluster.Begin(t)
	definitions := "crds"
	if e.Minor < 34 {
		definitions = "crds-without-rules"
	}
	directories := append([]string{harness.Deploy("kustomize", "base"), harness.Deploy(definitions)},
		policies(e)...)
	compareWithKustomize(e, nil, directories...)
}

// policies are the directories of all that the chart has on this server.
func policies(e *harness.Env) []string {
	directories := []string{harness.Deploy("admission", "queues"),
		harness.Deploy("admission", "permissions")}
	if e.Minor >= 34 { // before 1.36 by the feature gate of the suite
		directories = append(directories, harness.Deploy("admission", "required-v1"))
	}
	return directories
}

func TestTheChartMakesWhatTheOverlayForNodesMakes(t *testing.T) {
	e := cluster.Begin(t)
	compareWithKustomize(e, map[string]any{"dedicatedNodes": map[string]any{"enabled": true}},
		append([]string{harness.Deploy("kustomize", "overlays", "dedicated-nodes"),
			harness.Deploy("crds")}, policies(e)...)...)
}

func compareWithKustomize(e *harness.Env, values map[string]any, directories ...string) {
	e.Helper()
	want := map[string]map[string]any{}
	for _, directory := range directories {
		objects, err := e.Kustomize(directory)
		e.Must(err)
		e.AdaptToServer(objects)
		for _, object := range objects {
			if object.GetKind() == "Namespace" {
				continue // Helm's --create-namespace
			}
			name, content := normalised(e, object)
			want[name] = content
		}
	}
	for _, object := range render(e, values) {
		name, content := normalised(e, object)
		if difference := cmp.Diff(want[name], content); difference != "" {
			e.Errorf("%s, kustomize and chart:\n%s", name, difference)
		}
		delete(want, name)
	}
	for name := range want {
		e.Errorf("%s is not in the chart", name)
	}
}

func TestTheChartGatesAsThePolicyDoes(t *testing.T) {
	e := cluster.Begin(t)
	objects, err := e.Kustomize(harness.Deploy("admission", "v1"))
	e.Must(err)
	isPolicy := func(object *unstructured.Unstructured) bool {
		return strings.HasPrefix(object.GetKind(), "MutatingAdmissionPolicy")
	}
	found := map[string]map[string]any{}
	for _, object := range render(e, map[string]any{"kubeScheduler": map[string]any{"enabled": false}}) {
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
		if name, content := normalised(e, object); !reflect.DeepEqual(content, found[name]) {
			t.Errorf("%s:\nchart     %v\nkustomize %v", name, found[name], content)
		}
	}
}
