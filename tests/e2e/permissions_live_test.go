package e2e

import (
	"fmt"
	"strings"
	"testing"

	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"berth.dev/berth/tests/e2e/harness"
)

// What berthd does about those who may not, besides policies.

func labelNamespace(e *harness.Env, label string) {
	e.Helper()
	_, err := e.Client.CoreV1().Namespaces().Patch(e.Context, e.Namespace, types.MergePatchType,
		[]byte(`{"metadata":{"labels":{`+label+`}}}`), meta.PatchOptions{})
	e.Must(err)
}

// Issue 14, part 3 (a). A policy does not see the queue above.
func TestJobsWaitInAQueueThatIsNotForThem(t *testing.T) {
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	e.AddNodes(1, "8")
	above, queue := e.Namespace+"-above", e.Namespace+"-below"
	e.CreateObject(harness.NewQueue(above, spec{
		"namespaceSelector": spec{"matchLabels": spec{"team": "ml"}}}))
	e.CreateObject(harness.NewQueue(queue, spec{"parent": above}))
	barred := fmt.Sprintf("its namespace may not use queue %q (it is for namespaces with team=ml)",
		above)
	e.CreateGangIn(queue, "first", 2, false)
	e.AwaitWaits("first", barred)
	labelNamespace(e, `"team":"ml"`)
	e.AwaitBound("first", 2, harness.Soon)
	// A namespace that loses the right keeps the pods that run.
	labelNamespace(e, `"team":null`)
	e.CreateGangIn(queue, "second", 2, false)
	e.AwaitWaits("second", barred)
	e.AwaitSessions(3)
	if bound := e.Bound("first"); len(bound) != 2 {
		t.Errorf("%d of 2 pods are left", len(bound))
	}
	assertNotBound(e, "second")
	e.Must(e.ChangeQueue(above, spec{"namespaceSelector": nil}))
	e.AwaitBound("second", 2, harness.Soon)
}

// Issue 14, part 3 (b), where no policy checks.
func TestANameNeedsTheRightToReserve(t *testing.T) {
	e := cluster.BeginWithBerth(t, reserving(map[string]any{"wait-duration": "1h"},
		map[string]any{"reservation": map[string]any{"authorization": "review"}}))
	e.AddNodes(2, "4")
	e.CreateGang("old", 2, 2, func(pod harness.PodBuilder) harness.PodBuilder {
		return pod.CPU("3").Finishes()
	})
	e.AwaitBound("old", 2, harness.Soon)
	e.CreateGang("big", 2, 2, cpu("3500m"))
	annotateGroup(e, "big", `"true"`)
	message := e.AwaitTargeted("big", "False", "NotAllowed")
	for _, words := range []string{"service account " + e.Namespace + "/default", `verb "reserve"`,
		`queues.scheduling.volcano.sh "default"`} {
		if !strings.Contains(message, words) {
			t.Errorf("%q is not in %q", words, message)
		}
	}
	e.AwaitReason("PodGroup", "big", "TargetNotAllowed")
	single := harness.NewPod(e.Namespace, "single").CPU("3500m").Build()
	single.Annotations = map[string]string{harness.Target: "true"}
	e.Create(single)
	e.AwaitReason("Pod", "single", "TargetNotAllowed")
	e.AwaitSessions(3)
	e.AwaitOpen()
	e.AwaitPods(harness.Soon, 1, "the pod waits", func(pod *core.Pod) bool {
		return pod.Name == "single" && pod.Spec.NodeName == ""
	})
	e.Delete("single")

	allowQueue(e, "system:serviceaccounts:"+e.Namespace, "reserve", "default")
	e.AwaitLocked("big", 2)
	// The name, and with it the right, outlives a restart.
	since := e.AwaitAnnotations("big", harness.TargetSince)[harness.TargetSince]
	e.Berth.Kill()
	e.Must(e.Berth.Start(e.Context))
	e.Must(e.Berth.AwaitReady(e.Context))
	e.AwaitSessions(3)
	e.AwaitLocked("big", 2)
	if again := e.AwaitAnnotations("big", harness.TargetSince)[harness.TargetSince]; again != since {
		t.Errorf("it was elected anew at %s, first at %s", again, since)
	}
}

// A user who writes by hand what Berth writes.
func TestAForgedElectionIsTakenAway(t *testing.T) {
	e := cluster.BeginWithBerth(t, reserving(map[string]any{"wait-duration": "1h"},
		map[string]any{"reservation": map[string]any{"authorization": "review"}}))
	e.AddNodes(1, "4")
	forged := harness.NewPodGroup(e.Namespace, "big", 1)
	forged.SetAnnotations(map[string]string{harness.Target: "elected",
		harness.TargetSince: "2126-01-01T00:00:00Z"})
	e.CreateObject(forged)
	e.Create(harness.NewPod(e.Namespace, "big-0").Group("big").CPU("5").Build())
	e.AwaitUnmarked("big")
	e.AwaitOpen()
}
