package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"sigs.k8s.io/yaml"

	"berth.dev/berth/tests/e2e/harness"
)

func volcanoConfiguration() string {
	return filepath.Join(harness.Repository(), "config", "examples", "volcano-scheduler.conf")
}

// startVolcano makes what Volcano's installation has, without programs: definitions, the Deployment of
// its scheduler, its configuration.
func (e *engineer) startVolcano() {
	e.Helper()
	e.applyDefinitionsOfVolcano()
	_, err := e.Client.CoreV1().Namespaces().Create(e.context, &core.Namespace{
		ObjectMeta: meta.ObjectMeta{Name: "volcano-system"}}, meta.CreateOptions{})
	e.must(err)
	text, err := os.ReadFile(volcanoConfiguration())
	e.must(err)
	_, err = e.Client.CoreV1().ConfigMaps("volcano-system").Create(e.context, &core.ConfigMap{
		ObjectMeta: meta.ObjectMeta{Name: "volcano-scheduler-configmap"},
		Data:       map[string]string{"volcano-scheduler.conf": string(text)}}, meta.CreateOptions{})
	e.must(err)
	one, labels := int32(1), map[string]string{"app": "volcano-scheduler"}
	_, err = e.Client.AppsV1().Deployments("volcano-system").Create(e.context, &apps.Deployment{
		ObjectMeta: meta.ObjectMeta{Name: "volcano-scheduler"},
		Spec: apps.DeploymentSpec{Replicas: &one, Selector: &meta.LabelSelector{MatchLabels: labels},
			Template: core.PodTemplateSpec{ObjectMeta: meta.ObjectMeta{Labels: labels},
				Spec: core.PodSpec{Containers: []core.Container{{
					Name: "volcano-scheduler", Image: "volcanosh/vc-scheduler:v1.13.0"}}}}},
	}, meta.CreateOptions{})
	e.must(err)
}

// submitToVolcano makes a group and its pods, as Volcano's controller of Jobs does.
func (e *engineer) submitToVolcano(name string, members int) {
	e.Helper()
	e.must(e.Apply(e.context, []*unstructured.Unstructured{
		harness.NewPodGroup("default", name, int64(members))}))
	for _, pod := range harness.Members("default", name, members,
		func(pod harness.PodBuilder) harness.PodBuilder { return pod.Scheduler("volcano") }) {
		_, err := e.Client.CoreV1().Pods("default").Create(e.context, pod, meta.CreateOptions{})
		e.must(err)
	}
}

func (e *engineer) boundOf(group string) int {
	return e.pods("default", "", func(pod core.Pod) bool {
		return pod.Annotations[harness.GroupAnnotation] == group && pod.Spec.NodeName != ""
	})
}

func (e *engineer) replicasOfVolcano() int32 {
	e.Helper()
	read, err := e.Client.AppsV1().Deployments("volcano-system").Get(e.context, "volcano-scheduler",
		meta.GetOptions{})
	e.must(err)
	return *read.Spec.Replicas
}

// followsVolcano tells whether each berthd, of two, has Volcano's actions and plugins in force.
func (e *engineer) followsVolcano() bool {
	e.Helper()
	text, err := os.ReadFile(volcanoConfiguration())
	e.must(err)
	var volcanos struct {
		Actions string
		Tiers   []struct{ Plugins []struct{ Name string } }
	}
	e.must(yaml.Unmarshal(text, &volcanos))
	want := volcanos.Actions
	for _, tier := range volcanos.Tiers {
		for _, plugin := range tier.Plugins {
			want += " " + plugin.Name
		}
	}
	pages, err := e.hosts.Pages(e.context, "/configz")
	if err != nil {
		e.Log(err)
		return false
	}
	following := 0
	for pod, page := range pages {
		var shown struct {
			LastError *string `json:"lastError"`
			Effective struct {
				Actions []string   `json:"actions"`
				Tiers   [][]string `json:"tiers"`
			} `json:"effective"`
		}
		e.must(json.Unmarshal([]byte(page), &shown))
		if shown.LastError != nil {
			e.Fatalf("%s refuses the configuration: %s", pod, *shown.LastError)
		}
		found := strings.Join(shown.Effective.Actions, ", ")
		for _, tier := range shown.Effective.Tiers {
			found += " " + strings.Join(tier, " ")
		}
		if found == want {
			following++
		}
	}
	return following == 2
}

// docs/comparison.md: what waits for Volcano's scheduler is bound by Berth, under Volcano's own
// definitions, and goes back to Volcano when the name does.
func TestStoryOfTheMoveFromVolcano(t *testing.T) {
	document := blocks(t, "docs/comparison.md")
	e := newEngineer(t)
	e.AtHome()
	e.hosts.AddNode("n1", "16")
	e.startVolcano()
	e.submitToVolcano("mnist", 3)

	e.Follows(document["stop-volcano"], nil)
	if replicas := e.replicasOfVolcano(); replicas != 0 {
		t.Errorf("Volcano's scheduler has %d replicas", replicas)
	}
	e.Follows(document["install-for-volcano"], nil)
	e.await("the gang that Volcano left is bound", func() bool { return e.boundOf("mnist") == 3 })
	e.submitToVolcano("too-large", 12)
	e.await("a gang that waits says why", func() bool {
		return strings.Contains(e.waitsFor("too-large"), "of 12 members")
	})
	if count := e.boundOf("too-large"); count != 0 {
		t.Errorf("%d pods of a gang that waits are bound", count)
	}

	e.Follows(document["configuration-of-volcano"], nil)
	e.Follows(document["configure"], nil)
	if written := e.data("berth-config", "berth.yaml"); !strings.Contains(written, "binpack") ||
		!strings.Contains(written, "volcano") {
		t.Errorf("the configuration is not Volcano's:\n%s", written)
	}
	e.await("each berthd uses Volcano's configuration", e.followsVolcano)
	e.submitToVolcano("by-its-configuration", 2)
	e.await("a gang is bound by it", func() bool { return e.boundOf("by-its-configuration") == 2 })

	e.Follows(document["back-to-volcano"], nil)
	if replicas := e.replicasOfVolcano(); replicas != 1 {
		t.Errorf("Volcano's scheduler has %d replicas", replicas)
	}
	e.submitToVolcano("later", 1)
	e.said("kubectl apply -f deploy/examples/pod.yaml")
	e.await("a pod of Berth's is bound", func() bool {
		return e.pods("default", "", func(pod core.Pod) bool {
			return pod.Spec.SchedulerName == "berth" && pod.Spec.NodeName != ""
		}) == 1
	})
	if count := e.boundOf("later"); count != 0 {
		t.Error("Berth has bound a pod of a name that it does not serve any more")
	}
}

// The same page: a namespace that leaves Kueue, and a Job that both have.
func TestStoryOfTheMoveFromKueue(t *testing.T) {
	document := blocks(t, "docs/comparison.md")
	gpu := blocks(t, "docs/first-gpu-job.md")
	cluster.StartControllers(t)
	e := cluster.BeginIn(t, "team-a")
	e.WithBerth(harness.BerthOptions{})
	administrator := e.Administrator(t)
	administrator.Applies(document["queue-of-kueue"])
	e.Cleanup(func() {
		for _, command := range []string{"kubectl label namespace team-a berth.dev/queue-",
			"kubectl -n team-a delete job --all", "kubectl delete queue vision research"} {
			_, err := administrator.Runs(e.Context, command)
			e.Must(err)
		}
	})
	administrator.Follows(document["queue-of-namespace"], nil)
	ada := e.User("ada", "edit")
	ada.AwaitRight("create", "podgroups.scheduling.volcano.sh")
	e.AddGPUNodes(1, 8)

	ada.Applies(gpu["job"])
	e.AwaitNamed("training-[0-7]-.*", 8)
	e.AwaitQueue("vision", "running", 1)

	ada.Applies(document["beside-kueue"])
	e.AwaitSessions(2)
	e.AwaitPods(harness.Soon, 0, "of a Job that Kueue has not admitted", func(pod *core.Pod) bool {
		return strings.HasPrefix(pod.Name, "both-")
	})
	_, err := ada.Runs(e.Context, `kubectl patch job both -p '{"spec":{"suspend":false}}'`) // as Kueue
	e.Must(err)
	e.AwaitNamed("both-.*", 4)
	e.AwaitQueue("vision", "running", 2)
}
