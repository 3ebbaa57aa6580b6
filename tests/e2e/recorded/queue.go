package recorded

import (
	"context"
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/latest"
	"k8s.io/kubernetes/pkg/scheduler/backend/queue"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/profile"
	testingclock "k8s.io/utils/clock/testing"
)

// start is where the clock of each run begins. The stand-in's seconds and half minutes are those of
// the clock; kube-scheduler's half minutes are those since its start.
var start = time.Unix(0, 0)

// realQueue is the queue of a kube-scheduler of the default profile with an extender, and the clock
// that it goes by.
type realQueue struct {
	*queue.PriorityQueue
	clock  *testingclock.FakeClock
	logger klog.Logger
}

// setPopFromBackoff is for the queues that are made after it: the gate of 1.33.
func setPopFromBackoff(on bool) error {
	return utilfeature.DefaultMutableFeatureGate.Set(
		fmt.Sprintf("%s=%v", features.SchedulerPopFromBackoffQ, on))
}

func newQueue(ctx context.Context) (*realQueue, error) {
	made := &realQueue{clock: testingclock.NewFakeClock(start), logger: klog.FromContext(ctx)}
	real, _, err := schedulerOf(ctx, fake.NewClientset(), func(*config.KubeSchedulerProfile) {},
		scheduler.WithClock(made.clock))
	if err != nil {
		return nil, err
	}
	made.PriorityQueue = real.SchedulingQueue.(*queue.PriorityQueue)
	return made, nil
}

// schedulerOf has the default profile, with a change, and an extender.
func schedulerOf(ctx context.Context, client kubernetes.Interface,
	change func(*config.KubeSchedulerProfile), options ...scheduler.Option) (*scheduler.Scheduler,
	informers.SharedInformerFactory, error) {
	defaults, err := latest.Default()
	if err != nil {
		return nil, nil, err
	}
	change(&defaults.Profiles[0])
	recorders := profile.RecorderFactory(func(string) events.EventRecorderLogger {
		return silent{}
	})
	factory := informers.NewSharedInformerFactory(client, 0)
	made, err := scheduler.New(ctx, client, factory, nil, recorders, append(options,
		scheduler.WithProfiles(defaults.Profiles...),
		scheduler.WithExtenders(config.Extender{URLPrefix: "http://127.0.0.1:1", FilterVerb: "filter"}))...)
	return made, factory, err
}

type silent struct{}

func (silent) Eventf(runtime.Object, runtime.Object, string, string, string, string, ...any) {}

func (s silent) WithLogger(klog.Logger) events.EventRecorderLogger { return s }

// advance moves the clock, and flushes when the goroutines of the queue do.
func (q *realQueue) advance(by time.Duration) {
	end := q.clock.Now().Add(by)
	for {
		second := q.clock.Now().Truncate(time.Second).Add(time.Second)
		if second.After(end) {
			break
		}
		q.clock.SetTime(second)
		flushBackoff(q.PriorityQueue, q.logger)
		if second.Sub(start)%(30*time.Second) == 0 {
			flushUnschedulable(q.PriorityQueue, q.logger)
		}
	}
	q.clock.SetTime(end)
}

// canPop says whether Pop returns at once.
func (q *realQueue) canPop() bool {
	if len(q.PodsInActiveQ()) > 0 {
		return true
	}
	if !utilfeature.DefaultFeatureGate.Enabled(features.SchedulerPopFromBackoffQ) {
		return false
	}
	for _, pod := range q.PodsInBackoffQ() {
		queued, ok := q.GetPod(pod.Name, pod.Namespace, nil)
		if ok && queued.UnschedulablePlugins.Len() > 0 { // the others met an error
			return true
		}
	}
	return false
}

// fail ends an attempt as handleSchedulingFailure does. No plugins: it met an error.
func (q *realQueue) fail(attempt *framework.QueuedPodInfo, pod *v1.Pod, plugins ...string) error {
	attempt.ClearRejectorPlugins()
	attempt.UnschedulablePlugins.Insert(plugins...)
	var err error
	if attempt.PodInfo, err = framework.NewPodInfo(pod.DeepCopy()); err != nil {
		return err
	}
	return q.AddUnschedulablePodIfNotPresent(q.logger, attempt, q.SchedulingCycle())
}

// places of pods by name: active, backing off, unschedulable, gated. Those in flight have none.
func (q *realQueue) places() map[string]string {
	places := map[string]string{}
	note := func(pods []*v1.Pod, place string) {
		for _, pod := range pods {
			places[pod.Name] = place
		}
	}
	note(q.PodsInActiveQ(), "a")
	note(q.PodsInBackoffQ(), "b")
	for _, pod := range q.UnschedulablePods() {
		place := "u"
		if queued, ok := q.GetPod(pod.Name, pod.Namespace, nil); ok && queued.Gated() {
			place = "g"
		}
		places[pod.Name] = place
	}
	return places
}
