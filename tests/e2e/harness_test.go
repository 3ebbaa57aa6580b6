package e2e

import (
	"slices"
	"testing"

	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"

	"berth.dev/berth/tests/e2e/harness"
)

// What other tests rest on: the proxy holds, drops and loses what it is told to.
func TestProxyHoldsDropsAndLoses(t *testing.T) {
	e := cluster.Begin(t)
	t.Cleanup(proxy.ReleaseAll)
	before := proxy.Writes()["PATCH pods"]
	client, err := kubernetes.NewForConfig(proxy.Client())
	e.Must(err)
	e.Create(harness.NewPod(e.Namespace, "pod").Scheduler("nobody").Build())
	patch := func(value string) error {
		_, err := client.CoreV1().Pods(e.Namespace).Patch(e.Context, "pod", types.MergePatchType,
			[]byte(`{"metadata":{"annotations":{"berth.dev/e2e":"`+value+`"}}}`), meta.PatchOptions{})
		return err
	}
	value := func() string {
		pod, err := e.Client.CoreV1().Pods(e.Namespace).Get(e.Context, "pod", meta.GetOptions{})
		e.Must(err)
		return pod.Annotations["berth.dev/e2e"]
	}
	inBackground := func(value string) <-chan error {
		result := make(chan error, 1)
		go func() { result <- patch(value) }()
		return result
	}

	hold := proxy.Hold(harness.Commits, 1)
	e.Must(patch("passed"))
	held := inBackground("held")
	await(t, hold)
	if value() != "passed" {
		t.Errorf("a request that is held was carried out: %q", value())
	}
	hold.Release()
	e.Must(<-held)
	if value() != "held" {
		t.Errorf("a request that was released was not carried out: %q", value())
	}

	hold = proxy.Hold(harness.Commits, 0)
	dropped := inBackground("dropped")
	await(t, hold)
	hold.Abandon()
	if err := <-dropped; err == nil || value() != "held" {
		t.Errorf("a request that was dropped: %v, %q", err, value())
	}

	hold = proxy.LoseAnswer(harness.Commits, 0)
	lost := inBackground("lost")
	await(t, hold)
	if err := <-lost; err == nil || value() != "lost" {
		t.Errorf("a request whose answer was lost: %v, %q", err, value())
	}
	if writes := proxy.Writes()["PATCH pods"] - before; writes != 4 {
		t.Errorf("%d writes were counted: %v", writes, proxy.Writes())
	}
}

// A kube-scheduler's first choice from 1.35 on: one watch that begins with what there is.
func TestStreamingListsAreServed(t *testing.T) {
	e := cluster.Begin(t)
	e.Create(harness.NewPod(e.Namespace, "pod").Scheduler("nobody").Build())
	sends := true
	events, err := e.Client.CoreV1().Pods(e.Namespace).Watch(e.Context, meta.ListOptions{
		SendInitialEvents: &sends, AllowWatchBookmarks: true,
		ResourceVersionMatch: meta.ResourceVersionMatchNotOlderThan})
	e.Must(err)
	defer events.Stop()
	names := []string{}
	for event := range events.ResultChan() {
		pod, is := event.Object.(*core.Pod)
		if !is {
			t.Fatalf("%s: %v", event.Type, event.Object)
		}
		if event.Type == watch.Bookmark && pod.Annotations[meta.InitialEventsAnnotationKey] == "true" {
			break
		}
		names = append(names, pod.Name)
	}
	if !slices.Equal(names, []string{"pod"}) {
		t.Errorf("the list streamed %q", names)
	}
}

// Recorder and kubelets outlive kube-apiserver and kube-scheduler.
func TestServersRestartUnderTheHarness(t *testing.T) {
	e := cluster.Begin(t)
	e.AddNodes(1, "8")
	version := e.ResourceVersion()
	bind := func(name string) {
		pod := harness.NewPod(e.Namespace, name).Scheduler("default-scheduler").Runs(0).Build()
		e.Create(pod)
		e.AwaitAllBound(harness.Soon, pod)
		e.AwaitPods(harness.Soon, 1, "have run", func(pod *core.Pod) bool {
			return pod.Name == name && pod.Status.Phase == core.PodSucceeded
		})
	}
	bind("before")
	e.Must(e.RestartAPIServer(e.Context, func() error { return e.CompactEtcd(e.Context) }))
	bind("after-kube-apiserver")
	if err := e.ResumeWatch(version); err == nil {
		t.Error("a watch could be resumed across a compaction")
	}
	scheduler := e.OthersScheduler()
	scheduler.Kill()
	e.Must(scheduler.Start(e.Context))
	bind("after-kube-scheduler")
}
