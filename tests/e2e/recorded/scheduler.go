package recorded

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/backend/queue"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	testingclock "k8s.io/utils/clock/testing"
)

// realScheduler is a kube-scheduler of Berth's profile with an extender of ours. Its informers do
// not run: a cluster calls the handlers.
type realScheduler struct {
	*realQueue
	scheduler *scheduler.Scheduler
	pods      cache.Indexer // as its informer has them
	budgets   cache.Indexer
	extender  *fakeExtender
	write     func(pod string, condition v1.PodCondition, nominated *string)
	failed    chan struct{} // a binding
	nominated *string       // by the last patch of a status: a node; "": no longer; nil: as before
}

// tickingClock is never twice at the same time (RECORD-1).
type tickingClock struct{ *testingclock.FakeClock }

func (c tickingClock) Now() time.Time {
	c.Step(time.Nanosecond)
	return c.FakeClock.Now()
}

// newScheduler looks at nodes one after the other (RECORD-9). `preemption` is nil for Berth's profile.
func newScheduler(ctx context.Context, chance *rand.Rand, percentage int32,
	preemption *preemption) (*realScheduler, error) {
	clock := testingclock.NewFakeClock(start)
	client := fake.NewClientset()
	extender := &fakeExtender{chance: chance, bindings: make(chan binding, 1)}
	profile, options := berthsProfile, []scheduler.Option{scheduler.WithParallelism(1),
		scheduler.WithClock(tickingClock{clock}), scheduler.WithPercentageOfNodesToScore(&percentage)}
	if preemption != nil {
		preemption.extender, extender.guards = extender, true
		profile, options = preemptingProfile, append(options,
			scheduler.WithFrameworkOutOfTreeRegistry(preemption.registry()))
	}
	made, informers, err := schedulerOf(ctx, client, profile, options...)
	if err != nil {
		return nil, err
	}
	s := &realScheduler{scheduler: made, pods: informers.Core().V1().Pods().Informer().GetIndexer(),
		budgets:  informers.Policy().V1().PodDisruptionBudgets().Informer().GetIndexer(),
		extender: extender, failed: make(chan struct{}, 1),
		realQueue: &realQueue{PriorityQueue: made.SchedulingQueue.(*queue.PriorityQueue), clock: clock,
			logger: klog.FromContext(ctx)}}
	made.Extenders = []fwk.Extender{s.extender}
	client.PrependReactor("patch", "pods", func(action clienttesting.Action) (bool, runtime.Object,
		error) {
		if preemption != nil && !preemption.isTrying {
			return true, &v1.Pod{}, preemption.takePatch(action.(clienttesting.PatchAction))
		}
		return s.takePatch(action)
	})
	client.PrependReactor("delete", "pods", func(action clienttesting.Action) (bool, runtime.Object,
		error) {
		preemption.evict(action.(clienttesting.DeleteAction).GetName())
		return true, &v1.Pod{}, nil
	})
	report := made.FailureHandler
	made.FailureHandler = func(ctx context.Context, its framework.Framework,
		pod *framework.QueuedPodInfo, status *fwk.Status, nominating *fwk.NominatingInfo, at time.Time) {
		isBinding := pod.Pod.Spec.NodeName != ""
		var fit *framework.FitError
		if errors.As(status.AsError(), &fit) {
			fit.Diagnosis.PreFilterMsg, fit.Diagnosis.PostFilterMsg = reasonOf(fit.Diagnosis), ""
		}
		report(ctx, its, pod, status, nominating, at)
		s.note(pod.Pod, status)
		if isBinding {
			s.failed <- struct{}{}
		}
	}
	ignoreHints(s.PriorityQueue)
	return s, nil
}

// berthsProfile is that of pods which sessions decide for, in deploy/kube-scheduler-config.yaml.
func berthsProfile(profile *config.KubeSchedulerProfile) {
	none := config.PluginSet{Disabled: []config.Plugin{{Name: "*"}}}
	profile.Plugins.PreScore, profile.Plugins.Score, profile.Plugins.PostFilter = none, none, none
}

// reasonOf is one letter, since the stand-in's messages say one reason (RECORD-8).
func reasonOf(diagnosis framework.Diagnosis) string {
	by := diagnosis.UnschedulablePlugins
	switch {
	case by.Has(framework.ExtenderName):
		return "e"
	case by.HasAny("NodeResourcesFit", "NodePorts"):
		return "r"
	}
	return "n"
}

// ignoreHints has each event wake all pods that its kind may help (RECORD-3). An update of a pod is
// of all kinds if it is of none, so it must be judged.
func ignoreHints(of *queue.PriorityQueue) {
	field := reflect.ValueOf(of).Elem().FieldByName("queueingHintMap")
	for _, hints := range *(*queue.QueueingHintMapPerProfile)(field.Addr().UnsafePointer()) {
		for _, each := range hints {
			for _, hint := range each {
				judge := hint.QueueingHintFn
				hint.QueueingHintFn = func(logger klog.Logger, pod *v1.Pod, old, now any) (
					fwk.QueueingHint, error) {
					before, _ := old.(*v1.Pod)
					after, _ := now.(*v1.Pod)
					if before != nil && after != nil &&
						len(before.Spec.Tolerations) == len(after.Spec.Tolerations) {
						return judge(logger, pod, old, now)
					}
					return fwk.Queue, nil
				}
			}
		}
	}
}

// note has all of a condition written, whatever kube-scheduler takes for the old one (RECORD-8).
func (s *realScheduler) note(pod *v1.Pod, status *fwk.Status) {
	condition := v1.PodCondition{Type: v1.PodScheduled, Message: status.Message(),
		Reason: v1.PodReasonSchedulerError}
	if status.IsRejected() {
		condition.Reason = v1.PodReasonUnschedulable
	}
	s.write(pod.Name, condition, s.nominated)
	s.nominated = nil
}

func (s *realScheduler) takePatch(action clienttesting.Action) (bool, runtime.Object, error) {
	var body struct{ Status map[string]any }
	err := json.Unmarshal(action.(clienttesting.PatchAction).GetPatch(), &body)
	if node, ok := body.Status["nominatedNodeName"]; ok {
		text, _ := node.(string) // null is ""
		s.nominated = &text
	}
	return true, &v1.Pod{}, err
}

// conditionText is "REASON/NODES", or "!" after an error.
func conditionText(pod *v1.Pod) string {
	if len(pod.Status.Conditions) == 0 {
		return ""
	}
	condition := pod.Status.Conditions[0]
	if condition.Reason == v1.PodReasonSchedulerError {
		return "!"
	}
	if condition.Message == scheduler.ErrNoNodesAvailable.Error() {
		return "n/0"
	}
	var nodes int
	var reason string
	if _, err := fmt.Sscanf(condition.Message, "0/%d nodes are available: %s", &nodes, &reason); err != nil {
		return "?"
	}
	return fmt.Sprintf("%s/%d", strings.TrimSuffix(reason, "."), nodes)
}
