package e2e

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"

	"berth.dev/berth/tests/e2e/harness"
)

// Mode view: kube-scheduler sees the cluster through berthd (docs/design/view.md).

// While berthd is away, kube-scheduler cannot bind our pods; others are bound.
func TestManagedPodsWaitForBerthBehindTheView(t *testing.T) {
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	e.AddNodes(1, "8")
	e.Must(e.StopBerth())
	ours := harness.NewPod(e.Namespace, "ours").Build()
	other := harness.NewPod(e.Namespace, "other").Scheduler(core.DefaultSchedulerName).Build()
	e.Create(ours, other)
	e.AwaitAllBound(harness.Soon, other)
	if bound := e.Pods(func(pod *core.Pod) bool {
		return pod.Name == "ours" && pod.Spec.NodeName != ""
	}); len(bound) > 0 {
		t.Error("a pod of ours is bound without berthd")
	}
	e.Must(e.Berth.Start(e.Context))
	e.AwaitAllBound(2*harness.Soon, ours)
}

// No gate, nomination, affinity or annotation: what a user created is what runs.
func TestPodsStayAsTheyAreCreated(t *testing.T) {
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	e.AddNodes(2, "4")
	e.CreateGroup("gang", 8)
	pods := e.Client.CoreV1().Pods(e.Namespace)
	var created []*core.Pod
	for _, pod := range harness.Members(e.Namespace, "gang", 8, cpu("1")) {
		pod.Spec.NodeSelector = map[string]string{harness.PoolLabel: e.Namespace}
		answer, err := pods.Create(e.Context, pod, meta.CreateOptions{})
		e.Must(err)
		created = append(created, answer)
	}
	e.AwaitBound("gang", 8, harness.Soon)
	for _, before := range created {
		after, err := pods.Get(e.Context, before.Name, meta.GetOptions{})
		e.Must(err)
		after.Spec.NodeName = ""
		if !equality.Semantic.DeepEqual(before.Spec, after.Spec) {
			t.Errorf("%q was created as %v and is %v", before.Name, before.Spec, after.Spec)
		}
		if !equality.Semantic.DeepEqual(before.Annotations, after.Annotations) {
			t.Errorf("%q has annotations %v", before.Name, after.Annotations)
		}
	}
	if count := e.Recorder.Count(e.Namespace, "nominated"); count > 0 {
		t.Errorf("%d pods were nominated", count)
	}
}

const protobuf = "application/vnd.kubernetes.protobuf"

// viewClient is a client of the view that reads this content type.
func viewClient(e *harness.Env, contentType string) kubernetes.Interface {
	e.Helper()
	config := e.Berth.View.Config()
	config.ContentType, config.AcceptContentTypes = contentType, contentType
	client, err := kubernetes.NewForConfig(config)
	e.Must(err)
	return client
}

// VIEW-1 to VIEW-4 and VIEW-6, on a real API server: a gang that waits is not listed. When it has a
// place, its pods appear with their nodes, and versions never go backwards.
func TestTheViewHidesPodsThatWait(t *testing.T) {
	for _, streams := range []bool{false, true} {
		if streams && cluster.Minor < 35 {
			continue // not served by default
		}
		t.Run(fmt.Sprintf("streaming %t", streams), func(t *testing.T) {
			e := cluster.BeginWithBerth(t, harness.BerthOptions{})
			e.AddNodes(1, "4")
			e.CreateGang("gang", 6, 6, cpu("1"))
			e.Create(harness.NewPod(e.Namespace, "other").Scheduler("nobody").Build())
			e.AwaitCondition("gang", "Unschedulable", harness.Soon)
			seen, events := followView(e, viewClient(e, protobuf), streams)
			defer events.Stop()
			if len(seen) != 1 || seen["other"] == nil {
				t.Fatalf("the view lists %v, expected the pod of another scheduler", seen)
			}
			e.AddNodes(1, "4")
			assertShownThenBound(e, events, 6)
		})
	}
}

// VIEW-18
func TestTheViewHasPodsInProtobufOnly(t *testing.T) {
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	_, err := viewClient(e, "application/json").CoreV1().Pods("").List(e.Context, meta.ListOptions{})
	if !apierrors.IsNotAcceptable(err) {
		t.Errorf("a list of pods in JSON ends with %v, expected status 406", err)
	}
}

// VIEW-17: kube-scheduler's watch of pods is berthd's own, so nothing of what follows comes by a
// request for pods in kube-scheduler's name.
func TestEachPodIsReadOnce(t *testing.T) {
	e, proxy := beginBehindProxy(t)
	e.AddNodes(2, "4")
	e.CreateGang("first", 6, 6, cpu("1"))
	e.AwaitBound("first", 6, harness.Soon)
	asked := proxy.Hold(harness.PodWatches.OfKubeScheduler(), 0)
	for i := range 6 {
		e.Delete(fmt.Sprintf("first-%d", i))
	}
	e.CreateGang("second", 6, 6, cpu("1"))
	e.AwaitBound("second", 6, harness.Soon)
	e.AssertNeverInPart("second", promptly)
	select {
	case <-asked.Reached():
		t.Error("kube-scheduler has read pods from the API server")
	default:
	}
}

// A kube-scheduler whose list is under way when berthd dies lists again.
func TestBerthKilledBetweenKubeSchedulersListAndWatch(t *testing.T) {
	e, proxy := beginBehindProxy(t)
	e.AddNodes(2, "4")
	e.Scheduler.Kill()
	listing := proxy.Hold(harness.PodWatches.OfKubeScheduler(), 0)
	started := make(chan error)
	go func() { started <- e.RestartScheduler(e.Context) }()
	await(t, listing)
	e.CreateGang("gang", 6, 6, cpu("1"))
	listing.Release()
	e.Berth.Kill()
	e.Must(e.Berth.Start(e.Context))
	e.Must(<-started)
	e.AwaitBound("gang", 6, 2*harness.Soon)
	e.AssertNeverInPart("gang", promptly)
}

// followView lists the pods of this test and watches on, as kube-scheduler does: by a list and a
// watch, or by one watch that begins with what there is.
func followView(e *harness.Env, client kubernetes.Interface, streams bool) (map[string]*core.Pod,
	watch.Interface) {
	e.Helper()
	const living = "status.phase!=Succeeded,status.phase!=Failed"
	within := int64(90)
	pods := client.CoreV1().Pods("")
	seen := map[string]*core.Pod{}
	note := func(pod *core.Pod) {
		if pod.Namespace == e.Namespace {
			seen[pod.Name] = pod
		}
	}
	if !streams {
		list, err := pods.List(e.Context, meta.ListOptions{FieldSelector: living, Limit: 500,
			ResourceVersion: "0"})
		e.Must(err)
		for i := range list.Items {
			note(&list.Items[i])
		}
		events, err := pods.Watch(e.Context, meta.ListOptions{FieldSelector: living,
			ResourceVersion: list.ResourceVersion, AllowWatchBookmarks: true, TimeoutSeconds: &within})
		e.Must(err)
		return seen, events
	}
	initial := true
	events, err := pods.Watch(e.Context, meta.ListOptions{FieldSelector: living,
		AllowWatchBookmarks: true, SendInitialEvents: &initial, TimeoutSeconds: &within,
		ResourceVersionMatch: meta.ResourceVersionMatchNotOlderThan})
	e.Must(err)
	for event := range events.ResultChan() {
		pod, is := event.Object.(*core.Pod)
		if !is {
			e.Fatalf("%s: %v", event.Type, event.Object)
		}
		if event.Type == watch.Bookmark && pod.Annotations[meta.InitialEventsAnnotationKey] == "true" {
			return seen, events
		}
		note(pod)
	}
	e.Fatal("the stream ended before the list was complete")
	return nil, nil
}

// assertShownThenBound reads the stream until so many pods of this test are bound.
func assertShownThenBound(e *harness.Env, events watch.Interface, count int) {
	e.Helper()
	planned, bound := map[string]string{}, map[string]bool{}
	var last uint64
	for event := range events.ResultChan() {
		pod, is := event.Object.(*core.Pod)
		if !is {
			e.Fatalf("%s: %v", event.Type, event.Object)
		}
		version, err := strconv.ParseUint(pod.ResourceVersion, 10, 64)
		e.Must(err)
		if version < last {
			e.Errorf("%s of %q has version %d after %d", event.Type, pod.Name, version, last)
		}
		last = version
		if pod.Namespace != e.Namespace {
			continue
		}
		switch node := pod.Spec.NodeName; {
		case event.Type == watch.Deleted:
			delete(planned, pod.Name)
		case node == "":
			if planned[pod.Name] = harness.PlannedNode(pod); planned[pod.Name] == "" {
				e.Errorf("%q is shown without a node: %v", pod.Name, pod.Spec.Affinity)
			}
		default:
			if planned[pod.Name] != node {
				e.Errorf("%q is bound to %q and was shown for %q", pod.Name, node, planned[pod.Name])
			}
			if bound[pod.Name] = true; len(bound) == count {
				return
			}
		}
	}
	e.Errorf("the stream ended when %d pods were bound", len(bound))
}

// writesSince is what has been written through the proxy since then.
func writesSince(before map[string]int) map[string]int {
	written := proxy.Writes()
	for what, count := range before {
		if written[what] -= count; written[what] == 0 {
			delete(written, what)
		}
	}
	return written
}

// scheduledEvents counts those that say that the pod is bound.
func scheduledEvents(e *harness.Env, pod string) int {
	e.Helper()
	events, err := e.Client.CoreV1().Events(e.Namespace).List(e.Context, meta.ListOptions{
		FieldSelector: "reason=Scheduled,involvedObject.kind=Pod,involvedObject.name=" + pod})
	e.Must(err)
	return len(events.Items)
}

// awaitEvents waits for events of kube-scheduler, which it writes when it comes to it.
func awaitEvents(e *harness.Env, since map[string]int, count int) {
	e.Helper()
	e.Await(harness.Soon, func() error {
		if events := writesSince(since)["POST events"]; events < count {
			return fmt.Errorf("%d events are written, expected at least %d", events, count)
		}
		return nil
	})
}

// A Binding for each pod, an event for each of the first (VIEW-20), the gang's status and event; then
// nobody writes.
func TestWritesOfTheView(t *testing.T) {
	e, _ := beginBehindProxy(t)
	e.AddNodes(10, "10")
	const size, withEvents = 100, 16
	start := proxy.Writes()
	e.AwaitKubeSchedulerKnowsNodes()
	awaitEvents(e, start, 10) // one for each probe
	before := proxy.Writes()
	e.CreateGang("gang", size, size, cpu("1"))
	e.AwaitBound("gang", size, harness.Soon)
	e.AwaitCondition("gang", "Scheduled", harness.Soon)
	e.AwaitPhase("gang", "Running", harness.Soon)
	e.Await(harness.Soon, func() error {
		for i := range withEvents {
			if name := fmt.Sprintf("gang-%d", i); scheduledEvents(e, name) != 1 {
				return fmt.Errorf("pod %s has no event", name)
			}
		}
		status, _, _ := unstructured.NestedMap(e.Recorder.Group(e.Namespace, "gang").Object, "status")
		if status["running"] != int64(size) {
			return fmt.Errorf("the status is not the last one: %v", status)
		}
		return nil
	})
	atMost := map[string]int{"POST pods/binding": size, "POST events": withEvents + 2,
		"PATCH podgroups/status": 3} // one, and some on a slow machine
	written := writesSince(before)
	for what, count := range written {
		if count > atMost[what] {
			t.Errorf("%d times %s, expected at most %d", count, what, atMost[what])
		}
	}
	if written["POST pods/binding"] != size {
		t.Errorf("written: %v", written)
	}
	quiet := proxy.Writes()
	e.AwaitSessions(10)
	for i := withEvents; i < size; i++ {
		if name := fmt.Sprintf("gang-%d", i); scheduledEvents(e, name) != 0 {
			t.Errorf("pod %s has an event", name)
		}
	}
	if now := writesSince(quiet); total(now) > 0 {
		t.Errorf("written although nothing changed: %v", now)
	}
}

// beginRefused has a gang of 6 planned on the only node, n0, which lacks devices: kube-scheduler
// alone knows. Returns what was written until then.
func beginRefused(t *testing.T) (*harness.Env, map[string]int) {
	t.Helper()
	e := cluster.BeginWithBerth(t, harness.BerthOptions{APIURL: proxy.URL,
		Configuration: map[string]any{"view": map[string]any{"autoscaling": false}}})
	e.AddNodes(1, "8")
	for i := range 6 {
		e.CreateDeviceClaim(fmt.Sprintf("gang-%d", i))
	}
	e.AwaitKubeSchedulerKnowsNodes()
	before := proxy.Writes()
	e.CreateGang("gang", 6, 6, harness.PodBuilder.Device)
	return e, before
}

// VIEW-9: kube-scheduler's refusal changes the plan, and no pod's status.
func TestAVetoIsNotWritten(t *testing.T) {
	e, before := beginRefused(t)
	e.Await(harness.Soon, func() error {
		refusals, err := e.Refusals()
		if err == nil && len(refusals) == 0 {
			err = errors.New("kube-scheduler has not refused a pod")
		}
		return err
	})
	if written := writesSince(before); written["PATCH pods/status"] > 0 {
		t.Errorf("statuses of pods were written: %v", written)
	}
	for _, node := range []string{"-n1", "-n2"} {
		e.AddDevices(e.Namespace+node, 4)
	}
	e.AddNodes(2, "4")
	e.AwaitBound("gang", 6, harness.Soon)
	for _, pod := range e.Bound("gang") {
		if pod.Spec.NodeName == e.Namespace+"-n0" {
			t.Errorf("%q is bound where it was refused", pod.Name)
		}
	}
}

// The words of kube-scheduler's refusal are in the group's condition.
func TestAVetoIsInTheGroupsCondition(t *testing.T) {
	e, _ := beginRefused(t)
	e.Await(harness.Soon, func() error {
		condition := e.AwaitCondition("gang", "Unschedulable", harness.Soon)
		if message, _ := condition["message"].(string); !strings.Contains(message, "cannot allocate all claims") {
			return fmt.Errorf("the condition does not have kube-scheduler's words: %q", message)
		}
		return nil
	})
}

// Gate and marker of an installation in place, or of a template for one.
func TestPodsGatedByAnEarlierInstallation(t *testing.T) {
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	e.AddNodes(2, "4")
	e.CreateGroup("gang", 6)
	pods := harness.Members(e.Namespace, "gang", 6, func(pod harness.PodBuilder) harness.PodBuilder {
		return pod.Gated(harness.Gate)
	})
	for _, pod := range pods {
		resources := &pod.Spec.Containers[0].Resources
		resources.Requests[harness.Marker] = resource.MustParse("1")
		resources.Limits = core.ResourceList{harness.Marker: resource.MustParse("1")}
	}
	e.Create(pods...)
	e.AwaitBound("gang", 6, harness.Soon)
	e.AssertNeverInPart("gang", promptly)
}

// A kube-scheduler that stands still holds up its own pods only.
func TestASlowKubeSchedulerBlocksNoSession(t *testing.T) {
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	e.AddNodes(2, "4")
	e.Scheduler.Pause()
	defer e.Scheduler.Resume()
	e.CreateGang("shown", 6, 6, cpu("1"))
	e.AwaitSeen(e.Berth, 6)
	e.CreateGang("large", 6, 6, cpu("1"))
	e.AwaitCondition("large", "Unschedulable", harness.Soon)
	e.AwaitSessions(5)
	e.Scheduler.Resume()
	e.AwaitBound("shown", 6, harness.Soon)
	e.AssertNeverInPart("shown", promptly)
}
