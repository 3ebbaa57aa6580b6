package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/release"
	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"berth.dev/berth/tests/e2e/harness"
)

// The chart by Helm's library, on a control plane that has nothing of Berth.

// site is such a control plane with a release.
type site struct {
	testing.TB
	*harness.ControlPlane
	*harness.Release
	context context.Context
}

func newSite(t *testing.T) *site {
	t.Helper()
	directory := t.TempDir()
	if logs := os.Getenv("BERTH_E2E_LOGS"); logs != "" {
		directory = filepath.Join(logs, t.Name())
		if err := os.MkdirAll(directory, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	s := &site{TB: t, context: context.Background()}
	plane, err := harness.StartControlPlane(s.context, os.Getenv("KUBE_BINARIES"), directory)
	t.Cleanup(plane.Stop)
	s.must(err)
	s.ControlPlane = plane
	s.Release, err = plane.NewRelease("berth")
	s.must(err)
	return s
}

func (s *site) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// shipped is read anew each time, because Helm writes into it.
func (s *site) shipped() *chart.Chart {
	s.Helper()
	read, err := harness.ShippedChart()
	s.must(err)
	return read
}

// install installs the shipped chart in a cluster without any preparation.
func (s *site) install(values map[string]any) *release.Release {
	s.Helper()
	made, err := s.Install(s.shipped(), values, false)
	s.must(err)
	s.must(s.AwaitDefinitions(s.context))
	return made
}

func (s *site) upgrade(values map[string]any) *release.Release {
	s.Helper()
	made, err := s.Upgrade(s.shipped(), values, false)
	s.must(err)
	return made
}

// data is a key of a ConfigMap of the release.
func (s *site) data(name, key string) string {
	s.Helper()
	read, err := s.Find(s.context, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap",
		"metadata": map[string]any{"name": name, "namespace": harness.Namespace}}})
	s.must(err)
	text, _, _ := unstructured.NestedString(read.Object, "data", key)
	return text
}

func definition(resource string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": resource + ".scheduling.volcano.sh"}}}
}

// chartOf is the chart that wrote the definition, "" if none did.
func (s *site) chartOf(resource string) string {
	s.Helper()
	read, err := s.Find(s.context, definition(resource))
	s.must(err)
	return read.GetLabels()["helm.sh/chart"]
}

// objectsOfUsers are what nothing here may delete.
func objectsOfUsers() []*unstructured.Unstructured {
	return []*unstructured.Unstructured{
		harness.NewQueue("research", map[string]any{"weight": int64(4)}),
		harness.NewPodGroup("default", "training", 8),
	}
}

func (s *site) createObjectsOfUsers() {
	s.Helper()
	s.must(s.Apply(s.context, objectsOfUsers()))
}

func (s *site) assertObjectsOfUsers(when string) {
	s.Helper()
	for _, object := range objectsOfUsers() {
		if _, err := s.Find(s.context, object); err != nil {
			s.Fatalf("%s: %v", when, err)
		}
	}
}

var (
	commandsInNotes = regexp.MustCompile(`(?m)^  kubectl ((?:label|annotate) --overwrite crd (?:.*\\\n)?.*)$`)
	wordsOfCommand  = regexp.MustCompile(`[^\s\\]+`)
)

// runCommandsOf carries out what the notes say about definitions, and counts the commands.
func (s *site) runCommandsOf(notes string) int {
	s.Helper()
	found := commandsInNotes.FindAllStringSubmatch(notes, -1)
	for _, each := range found {
		_, err := s.Kubectl(wordsOfCommand.FindAllString(each[1], -1)...)
		s.must(err)
	}
	return len(found)
}

func TestTheChartIsUpgradedFromTheOneBefore(t *testing.T) {
	s := newSite(t)
	before, err := loader.Load(filepath.Join("fixtures", "charts", "berth-0.1.0.tgz"))
	s.must(err)
	if s.Minor < 34 { // as its document said
		objects, err := s.Kustomize(harness.Deploy("crds-without-rules"))
		s.must(err)
		s.must(s.Apply(s.context, objects))
	}
	_, err = s.Install(before, nil, s.Minor < 34)
	s.must(err)
	s.must(s.AwaitDefinitions(s.context))
	s.createObjectsOfUsers()

	if _, err := s.Upgrade(s.shipped(), nil, true); err == nil ||
		!strings.Contains(err.Error(), "--reset-then-reuse-values") {
		t.Errorf("an upgrade with the values of the chart before: %v", err)
	}
	upgraded := s.upgrade(nil)
	if s.chartOf("queues") != "" {
		t.Error("a definition that is not the release's was written")
	}
	if count := s.runCommandsOf(upgraded.Info.Notes); count != 4 {
		t.Fatalf("the notes have %d commands for two definitions:\n%s", count, upgraded.Info.Notes)
	}
	upgraded = s.upgrade(nil)
	for _, resource := range []string{"podgroups", "queues"} {
		if chart := s.chartOf(resource); chart != "berth-"+s.shipped().Metadata.Version {
			t.Errorf("after the commands of the notes %s are of the chart %q", resource, chart)
		}
	}
	if count := s.runCommandsOf(upgraded.Info.Notes); count != 0 {
		t.Errorf("the notes still have %d commands:\n%s", count, upgraded.Info.Notes)
	}
	s.assertObjectsOfUsers("after upgrades")
	s.must(s.Rollback(1))
	s.assertObjectsOfUsers("after a rollback to the chart before")
	s.upgrade(nil)
	s.must(s.Uninstall())
	s.assertObjectsOfUsers("after the end of the release")
}

func TestTheChartIsInstalledChangedAndRemoved(t *testing.T) {
	s := newSite(t)
	made := s.install(nil)
	s.createObjectsOfUsers()
	shipped := s.data("berth-config", "berth.yaml")

	s.upgrade(map[string]any{"schedulerNames": []any{"berth", "volcano"}})
	for key, name := range map[string]string{"berth.yaml": "berth-config",
		"kube-scheduler-config.yaml": "berth-kube-scheduler-config"} {
		if !strings.Contains(s.data(name, key), "volcano") {
			t.Errorf("%s does not have the new name:\n%s", key, s.data(name, key))
		}
	}
	s.must(s.Rollback(made.Version))
	if found := s.data("berth-config", "berth.yaml"); found != shipped {
		t.Errorf("after a rollback the configuration is\n%s", found)
	}
	s.upgrade(map[string]any{"crds": map[string]any{"install": false}})
	s.assertObjectsOfUsers("after a change to crds.install=false")

	s.must(s.Uninstall())
	objects, err := harness.Manifests([]byte(made.Manifest))
	s.must(err)
	for _, object := range objects {
		_, err := s.Find(s.context, object)
		if object.GetKind() == "CustomResourceDefinition" {
			s.must(err)
		} else if !errors.IsNotFound(err) {
			t.Errorf("%s %s is left after the end of the release: %v", object.GetKind(),
				object.GetName(), err)
		}
	}
	s.assertObjectsOfUsers("after the end of the release")

	if notes := s.install(nil).Info.Notes; strings.Contains(notes, "left as it is") {
		t.Errorf("the release does not know its definitions again:\n%s", notes)
	}
	s.assertObjectsOfUsers("after the next installation")
}

// applyDefinitionsOfVolcano has definitions that are not Berth's: without its columns and fields.
func (s *site) applyDefinitionsOfVolcano() {
	s.Helper()
	directory := "crds"
	if s.Minor < 34 {
		directory = "crds-without-rules"
	}
	objects, err := s.Kustomize(harness.Deploy(directory))
	s.must(err)
	for _, object := range objects {
		s.must(unstructured.SetNestedStringSlice(object.Object, nil, "spec", "names", "categories"))
		object.SetLabels(map[string]string{"helm.sh/chart": "volcano-1.13.0"})
	}
	s.must(s.Apply(s.context, objects))
	s.must(s.AwaitDefinitions(s.context))
}

// Volcano's definitions, and those of another release, are neither replaced nor in the way.
func TestDefinitionsOfOthersAreLeft(t *testing.T) {
	s := newSite(t)
	s.applyDefinitionsOfVolcano()
	s.createObjectsOfUsers()

	notes := s.install(nil).Info.Notes
	if strings.Count(notes, "It is not Berth's") != 2 {
		t.Errorf("the notes do not say that the definitions are not Berth's:\n%s", notes)
	}
	if chart := s.chartOf("queues"); chart != "volcano-1.13.0" {
		t.Errorf("the definition is of the chart %q now", chart)
	}
	s.must(s.Uninstall())
	s.assertObjectsOfUsers("after the end of the release")

	s.install(nil)
	s.runCommandsOf(notes)
	s.upgrade(nil)
	if chart := s.chartOf("queues"); chart != "berth-"+s.shipped().Metadata.Version {
		t.Errorf("a definition that was handed over is of the chart %q", chart)
	}
	s.assertObjectsOfUsers("after the definitions were handed over")
}

// The policy of dedicatedNodes, with another key and other names than its file has.
func TestPodsGetTheirNodesByTheChart(t *testing.T) {
	s := newSite(t)
	s.install(map[string]any{"schedulerNames": []any{"berth", "volcano"},
		"dedicatedNodes": map[string]any{"enabled": true, "key": "example.com/batch", "value": "yes",
			"effect": "NoExecute"}})
	admitted := func(schedulerName string) (*core.Pod, error) {
		pod := harness.NewPod("default", "probe").Build()
		pod.Spec.SchedulerName = schedulerName
		return s.Client.CoreV1().Pods("default").Create(s.context, pod,
			meta.CreateOptions{DryRun: []string{meta.DryRunAll}})
	}
	s.must(s.AwaitAnswer(s.context, func(context.Context) error {
		pod, err := admitted("volcano")
		if err == nil && pod.Spec.NodeSelector["example.com/batch"] != "yes" {
			err = fmt.Errorf("the selector of a pod of ours is %v", pod.Spec.NodeSelector)
		}
		return err
	}))
	for name, count := range map[string]int{"berth": 1, core.DefaultSchedulerName: 0} {
		pod, err := admitted(name)
		s.must(err)
		tolerations := slices.DeleteFunc(pod.Spec.Tolerations, func(each core.Toleration) bool {
			return each != core.Toleration{Key: "example.com/batch", Operator: core.TolerationOpExists,
				Effect: core.TaintEffectNoExecute}
		})
		if len(pod.Spec.NodeSelector) != count || len(tolerations) != count {
			t.Errorf("a pod of %s has selector %v and tolerations %v", name, pod.Spec.NodeSelector,
				pod.Spec.Tolerations)
		}
	}
}
