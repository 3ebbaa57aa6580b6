package harness

import (
	"fmt"
	"strings"
	"time"

	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

var errHolds = fmt.Errorf("it holds")

// Await waits for the condition, which says what is the matter while it does not hold.
func (e *Env) Await(within time.Duration, condition func() error) {
	e.Helper()
	e.Must(e.Recorder.Await(e.Context, within, condition))
}

// AssertStays fails the test if the condition does not hold, or ceases to within the time.
func (e *Env) AssertStays(within time.Duration, condition func() error) {
	e.Helper()
	broken := condition()
	_ = e.Recorder.Await(e.Context, within, func() error {
		if broken == nil {
			broken = condition()
		}
		if broken == nil {
			return errHolds
		}
		return nil
	})
	if broken != nil {
		e.Errorf("within %v: %v", within, broken)
	}
}

// Pods of this test that satisfy the condition.
func (e *Env) Pods(condition func(*core.Pod) bool) []*core.Pod {
	return e.Recorder.PodsOf(e.Namespace, condition)
}

// Bound are the pods of a group that have a node.
func (e *Env) Bound(group string) []*core.Pod {
	return e.Pods(func(pod *core.Pod) bool {
		return pod.Spec.NodeName != "" && groupKeyOf(pod) == e.Namespace+"/"+group
	})
}

// AwaitPods waits until exactly so many pods satisfy the condition; `what` says it in words.
func (e *Env) AwaitPods(within time.Duration, count int, what string,
	condition func(*core.Pod) bool) {
	e.Helper()
	e.Await(within, func() error {
		if found := len(e.Pods(condition)); found != count {
			return fmt.Errorf("%d pods %s, not %d", found, what, count)
		}
		return nil
	})
}

// AwaitBound waits until exactly so many pods of the group have a node.
func (e *Env) AwaitBound(group string, count int, within time.Duration) {
	e.Helper()
	e.Await(within, func() error {
		if bound := len(e.Bound(group)); bound != count {
			return fmt.Errorf("%d pods of %q are bound, not %d", bound, group, count)
		}
		return nil
	})
}

// AwaitAllBound waits until all these pods have a node.
func (e *Env) AwaitAllBound(within time.Duration, pods ...*core.Pod) {
	e.Helper()
	e.Await(within, func() error {
		for _, wanted := range pods {
			found := e.Pods(func(pod *core.Pod) bool { return pod.Name == wanted.Name })
			if len(found) != 1 || found[0].Spec.NodeName == "" {
				return fmt.Errorf("pod %q is not bound", wanted.Name)
			}
		}
		return nil
	})
}

// AwaitCondition waits until the PodGroup has the condition, as True, and returns it.
func (e *Env) AwaitCondition(group, condition string, within time.Duration) map[string]any {
	e.Helper()
	var found map[string]any
	e.Await(within, func() error {
		object := e.Recorder.Group(e.Namespace, group)
		if object == nil {
			return fmt.Errorf("no PodGroup %q", group)
		}
		all, _, _ := unstructured.NestedSlice(object.Object, "status", "conditions")
		for _, each := range all {
			found, _ = each.(map[string]any)
			if found["type"] == condition && found["status"] == "True" {
				return nil
			}
		}
		return fmt.Errorf("PodGroup %q is not %s: %v", group, condition, object.Object["status"])
	})
	return found
}

// AssertNeverInPart fails the test if the gang was bound in part for longer than the limit.
func (e *Env) AssertNeverInPart(group string, limit time.Duration) {
	e.Helper()
	if longest := e.Recorder.LongestInPart(e.Namespace, group); longest > limit {
		e.Errorf("gang %q was bound in part for %v, more than %v", group, longest, limit)
	}
}

// heedful is the scheduler of pods that find no place where room is reserved: all, where one
// kube-scheduler serves all pods; ours, where the others know nothing of Berth.
func (e *Env) heedful() string {
	if e.Mode == ThroughView {
		return SchedulerName
	}
	return core.DefaultSchedulerName
}

// Overfull is an error if the pods on one of this test's nodes request more cpu than it has.
func (e *Env) Overfull() error {
	requested := map[string]int64{}
	for _, pod := range e.Pods(func(pod *core.Pod) bool {
		return pod.Status.Phase != core.PodSucceeded && pod.Status.Phase != core.PodFailed
	}) {
		for _, container := range pod.Spec.Containers {
			requested[pod.Spec.NodeName] += container.Resources.Requests.Cpu().MilliValue()
		}
	}
	nodes, err := e.Client.CoreV1().Nodes().List(e.Context,
		meta.ListOptions{LabelSelector: PoolLabel + "=" + e.Namespace})
	if err != nil {
		return err
	}
	for _, node := range nodes.Items {
		has := node.Status.Allocatable.Cpu().MilliValue()
		if requested[node.Name] > has {
			return fmt.Errorf("pods on node %q request %dm cpu, it has %dm", node.Name,
				requested[node.Name], has)
		}
	}
	return nil
}

// AssertRoom shows that nothing is reserved any more: so many single pods, of so much cpu, all find
// a place.
func (e *Env) AssertRoom(count int, cpu string) {
	e.Helper()
	var pods []*core.Pod
	for i := range count {
		name := fmt.Sprintf("room-%d", i)
		pods = append(pods,
			NewPod(e.Namespace, name).CPU(cpu).Scheduler(e.heedful()).Build())
	}
	e.Create(pods...)
	tried := time.Now()
	e.Await(Soon, func() error {
		waiting := e.Recorder.PodsOf(e.Namespace, func(pod *core.Pod) bool {
			return strings.HasPrefix(pod.Name, "room-") && pod.Spec.NodeName == ""
		})
		if len(waiting) == 0 {
			return nil
		}
		// A pod that was refused before berthd knew of the last end tries again at a change of it.
		if again := time.Now(); again.Sub(tried) > 10*time.Second {
			tried = again
			for _, pod := range waiting {
				patch := fmt.Sprintf(`{"metadata":{"annotations":{"e2e/tried":%q}}}`, again)
				_, err := e.Client.CoreV1().Pods(e.Namespace).Patch(e.Context, pod.Name,
					types.MergePatchType, []byte(patch), meta.PatchOptions{})
				if err != nil {
					return err
				}
			}
		}
		return fmt.Errorf("pod %q is not bound", waiting[0].Name)
	})
}

// AwaitPhase waits until the PodGroup has the phase.
func (e *Env) AwaitPhase(group, phase string, within time.Duration) {
	e.Helper()
	e.Await(within, func() error {
		object := e.Recorder.Group(e.Namespace, group)
		if object == nil {
			return fmt.Errorf("no PodGroup %q", group)
		}
		found, _, _ := unstructured.NestedString(object.Object, "status", "phase")
		if found != phase {
			return fmt.Errorf("PodGroup %q is %q, not %q", group, found, phase)
		}
		return nil
	})
}

// AwaitQueue waits until the Queue's status counts so many PodGroups of a phase.
func (e *Env) AwaitQueue(name, phase string, count int64) {
	e.Helper()
	e.Await(Soon, func() error {
		queue, err := e.Dynamic.Resource(Queues).Get(e.Context, name, meta.GetOptions{})
		if err != nil {
			return err
		}
		if found, _, _ := unstructured.NestedInt64(queue.Object, "status", phase); found != count {
			return fmt.Errorf("queue %q counts %d %s, not %d: %v", name, found, phase, count,
				queue.Object["status"])
		}
		return nil
	})
}

// AwaitEvent waits until the user has been told about the object in these words.
func (e *Env) AwaitEvent(kind, name, message string) {
	e.Helper()
	e.Await(Soon, func() error {
		events, err := e.Client.CoreV1().Events(e.Namespace).List(e.Context, meta.ListOptions{
			FieldSelector: "involvedObject.kind=" + kind + ",involvedObject.name=" + name})
		if err != nil {
			return err
		}
		told := []string{}
		for _, event := range events.Items {
			if event.Message == message {
				return nil
			}
			told = append(told, event.Message)
		}
		return fmt.Errorf("no event about %s %q says %q, but %q", kind, name, message, told)
	})
}

// AwaitRefused waits until kube-scheduler has reported that it found no node for the pod.
func (e *Env) AwaitRefused(pod string) {
	e.Helper()
	e.Await(Soon, func() error {
		count, err := e.Refusals()
		if err == nil && count[pod] == 0 {
			err = fmt.Errorf("kube-scheduler has not refused pod %q, but %v", pod, count)
		}
		return err
	})
}

// Refusals counts, by pod, the reports of kube-scheduler that it found no node.
func (e *Env) Refusals() (map[string]int, error) {
	events, err := e.Client.CoreV1().Events(e.Namespace).List(e.Context, meta.ListOptions{
		FieldSelector: "involvedObject.kind=Pod,reason=FailedScheduling"})
	if err != nil {
		return nil, err
	}
	count := map[string]int{}
	for _, event := range events.Items {
		count[event.InvolvedObject.Name]++
	}
	return count, nil
}

// AwaitSessions waits until so many more sessions have been run.
func (e *Env) AwaitSessions(count int) {
	e.Helper()
	e.Growth("berth_session_duration_seconds_count", count)()
}

// Growth returns a function that waits until the metric has grown by so much since this call.
func (e *Env) Growth(sample string, more int) func() {
	e.Helper()
	before, err := e.Berth.Metric(e.Context, sample)
	e.Must(err)
	return func() {
		e.Helper()
		e.Await(Soon, func() error {
			now, err := e.Berth.Metric(e.Context, sample)
			if err == nil && now < before+float64(more) {
				err = fmt.Errorf("%s grew from %v to %v, expected %d more", sample, before, now, more)
			}
			return err
		})
	}
}

// AwaitKubeSchedulerKnowsNodes waits until kube-scheduler has bound a pod to each of this test's
// nodes, and deletes those pods.
func (e *Env) AwaitKubeSchedulerKnowsNodes() {
	e.Helper()
	var probes []*core.Pod
	for i, node := range e.nodes {
		probe := NewPod(e.Namespace, fmt.Sprintf("probe-%d", i)).CPU("1m").
			Scheduler(e.heedful()).On(node).Build()
		probes = append(probes, probe)
	}
	e.Create(probes...)
	e.AwaitAllBound(Soon, probes...)
	for _, probe := range probes {
		e.Delete(probe.Name)
	}
	e.AwaitPods(Soon, 0, "are left of the probes", func(pod *core.Pod) bool {
		return strings.HasPrefix(pod.Name, "probe-")
	})
}

// AwaitHeld waits until the barrier holds so many binds.
func (e *Env) AwaitHeld(count int) {
	e.Helper()
	e.Await(Soon, func() error {
		held, err := e.Berth.Metric(e.Context, `berth_state{what="held_binds"}`)
		if err == nil && int(held) != count {
			err = fmt.Errorf("%v binds are held, not %d", held, count)
		}
		return err
	})
}

// ResourceVersion is the cluster's present one.
func (e *Env) ResourceVersion() string {
	e.Helper()
	list, err := e.Client.CoreV1().Nodes().List(e.Context, meta.ListOptions{Limit: 1})
	e.Must(err)
	return list.ResourceVersion
}

// ResumeWatch tries to watch nodes from a version on; the error is the API server's.
func (e *Env) ResumeWatch(version string) error {
	e.Helper()
	events, err := e.Client.CoreV1().Nodes().Watch(e.Context,
		meta.ListOptions{ResourceVersion: version, AllowWatchBookmarks: true})
	if err != nil {
		return err
	}
	defer events.Stop()
	select {
	case event := <-events.ResultChan():
		if event.Type == watch.Error {
			return errors.FromObject(event.Object)
		}
		return nil
	case <-time.After(Soon):
		return nil
	}
}

// Said is nil if an event about the object has these words in its message.
func (e *Env) Said(kind, name, words string) error {
	events, err := e.Client.CoreV1().Events(e.Namespace).List(e.Context, meta.ListOptions{
		FieldSelector: "involvedObject.kind=" + kind + ",involvedObject.name=" + name})
	if err != nil {
		return err
	}
	messages := []string{}
	for _, event := range events.Items {
		if strings.Contains(event.Message, words) {
			return nil
		}
		messages = append(messages, event.Message)
	}
	return fmt.Errorf("no event about %s %q has the words %q, but %q", kind, name, words, messages)
}

// AwaitSaid waits until an event about the object has these words in its message.
func (e *Env) AwaitSaid(kind, name, words string) {
	e.Helper()
	e.Await(Soon, func() error { return e.Said(kind, name, words) })
}
