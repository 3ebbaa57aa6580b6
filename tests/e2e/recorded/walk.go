package recorded

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
)

const mostPods = 7

// walk does random operations on a queue.
type walk struct {
	queue   *realQueue
	chance  *rand.Rand
	pods    map[string]*v1.Pod // that exist and are not bound, as the API server has them
	tried   *framework.QueuedPodInfo
	binding map[string]*framework.QueuedPodInfo
	places  map[string]string
	made    int
	isBusy  bool // many events, and back-offs outlast several operations
}

// steps are operations and their outcomes: "MILLISECONDS OPERATION;PLACE POD,...". The clock moves
// first. Places that have changed follow: a active, b backing off, u unschedulable, g gated, f in
// flight, x no such pod.
func steps(ctx context.Context, seed, number uint64, count int) ([]string, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	made, err := newQueue(ctx)
	if err != nil {
		return nil, err
	}
	w := &walk{queue: made, chance: rand.New(rand.NewPCG(seed, number)), pods: map[string]*v1.Pod{},
		binding: map[string]*framework.QueuedPodInfo{}, places: map[string]string{},
		isBusy: number%4 < 2}
	var all []string
	for range count {
		pause := w.pause()
		made.advance(pause)
		operation, err := w.step(ctx)
		if err != nil {
			return nil, err
		}
		all = append(all, fmt.Sprintf("%d %s;%s", pause.Milliseconds(), operation, w.changes()))
	}
	return all, nil
}

// pause is never zero (RECORD-1).
func (w *walk) pause() time.Duration {
	milliseconds := func(from, to int) time.Duration {
		return time.Duration(from+w.chance.IntN(to-from)) * time.Millisecond
	}
	if w.isBusy && w.chance.IntN(5) > 0 {
		return milliseconds(1, 150)
	}
	now := w.queue.clock.Now()
	switch w.chance.IntN(20) {
	case 0, 1, 2:
		return now.Truncate(time.Second).Add(time.Second).Sub(now)
	case 3, 4:
		return time.Second
	case 5, 6, 7:
		return milliseconds(1000, 3000)
	case 8:
		return milliseconds(3000, 12000)
	case 9:
		if w.gated() == "" && w.chance.IntN(3) == 0 {
			return milliseconds(60000, 330000)
		}
		return 15 * time.Second
	default:
		return milliseconds(1, 300)
	}
}

// gated is the pod with gates that was added first, or "".
func (w *walk) gated() string {
	first := ""
	for name, pod := range w.pods {
		if len(pod.Spec.SchedulingGates) > 0 &&
			(first == "" || pod.CreationTimestamp.Before(&w.pods[first].CreationTimestamp)) {
			first = name
		}
	}
	return first
}

// changes are of the places since the last call.
func (w *walk) changes() string {
	now := w.queue.places()
	for name := range w.pods {
		if now[name] == "" {
			now[name] = "f"
		}
	}
	var all []string
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if now[name] != w.places[name] {
			all = append(all, now[name]+name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(w.places)) {
		if now[name] == "" {
			all = append(all, "x"+name)
		}
	}
	w.places = now
	return strings.Join(all, ",")
}

// step chooses what can be done now.
func (w *walk) step(ctx context.Context) (string, error) {
	if gated := w.gated(); gated != "" && // RECORD-5
		w.queue.clock.Since(w.pods[gated].CreationTimestamp.Time) > 3*time.Minute {
		return w.update(ctx, gated, "ungate"), nil
	}
	if w.tried != nil && w.chance.IntN(5) < 3 {
		return w.endAttempt()
	}
	if w.tried == nil && w.chance.IntN(5) < 2 {
		return w.pop()
	}
	if len(w.pods) < 2 || len(w.pods) < mostPods && w.chance.IntN(6) == 0 {
		return w.add(ctx), nil
	}
	if w.chance.IntN(5) < 2 || w.isBusy && w.chance.IntN(2) == 0 {
		return w.event(), nil
	}
	return w.change(ctx)
}

func (w *walk) add(ctx context.Context) string {
	name := "0"
	for i := 0; w.pods[name] != nil; i++ {
		name = fmt.Sprint(i)
	}
	w.made++
	priority, gated := int32(w.chance.IntN(3)), w.chance.IntN(4) == 0
	pod := podNamed(name, w.made, priority, gated)
	pod.CreationTimestamp.Time = w.queue.clock.Now()
	w.pods[name] = pod
	w.queue.Add(ctx, pod)
	if gated {
		return fmt.Sprintf("gated %s %d", name, priority)
	}
	return fmt.Sprintf("add %s %d", name, priority)
}

func (w *walk) pop() (string, error) {
	if !w.queue.canPop() {
		return "pop", nil
	}
	popped, err := w.queue.Pop(w.queue.logger)
	if err == nil {
		w.tried = popped.(*framework.QueuedPodInfo)
	}
	return "pop", err
}

// rejections are by the plugins that Berth's Rejectors stand for (RECORD-2).
var rejections = []struct {
	text    string
	plugins []string
}{
	{"e", []string{framework.ExtenderName}},
	{"r", []string{names.NodeResourcesFit}},
	{"n", []string{names.TaintToleration}},
	{"n", []string{names.TaintToleration, names.NodeAffinity, names.NodeUnschedulable}},
	{"rn", []string{names.NodeResourcesFit, names.TaintToleration}},
	{"er", []string{framework.ExtenderName, names.NodeResourcesFit}},
	{"-", nil}, // there are no nodes
}

func (w *walk) endAttempt() (string, error) {
	attempt := w.tried
	w.tried = nil
	name := attempt.Pod.Name
	switch w.chance.IntN(8) {
	case 0, 1:
		return "fail " + name, w.queue.fail(attempt, w.pods[name])
	case 2:
		w.binding[name] = attempt
		w.queue.Done(attempt.Pod.UID) // bindingCycle does this before it binds
		return "assume " + name, nil
	default:
		by := rejections[w.chance.IntN(len(rejections))]
		return "reject " + name + " " + by.text, w.queue.fail(attempt, w.pods[name], by.plugins...)
	}
}

// event is one that is not about a pod of this queue.
func (w *walk) event() string {
	taint := v1.Taint{Key: "example.com/taint", Effect: v1.TaintEffectNoSchedule}
	move := func(event fwk.ClusterEvent, old, now any) {
		w.queue.MoveAllToActiveOrBackoffQueue(w.queue.logger, event, old, now, nil)
	}
	bound := boundPod()
	switch w.chance.IntN(7) {
	case 0:
		move(fwk.ClusterEvent{Resource: fwk.Node, ActionType: fwk.Add}, nil, nodeWith(64))
		return "node_added"
	case 1:
		old, now := nodeWith(2, taint), nodeWith(64)
		for _, each := range framework.NodeSchedulingPropertiesChange(now, old) {
			move(each, old, now)
		}
		return "node_changed"
	case 2:
		move(fwk.ClusterEvent{Resource: fwk.Node, ActionType: fwk.Delete}, nodeWith(64), nil)
		return "node_gone"
	case 3:
		move(framework.EventAssignedPodDelete, bound, nil)
		return "pod_gone"
	case 4:
		move(framework.EventAssignedPodAdd, nil, bound)
		return "pod_placed"
	case 5:
		now := bound.DeepCopy()
		now.Annotations = map[string]string{"changed": "yes"}
		for _, each := range framework.PodSchedulingPropertiesChange(now, bound, false) {
			move(each, bound, now)
		}
		return "pod_changed"
	default: // the nomination of a pod of this priority ends
		priority := int32(w.chance.IntN(3))
		pod := podNamed("nominated", 0, priority, false)
		pod.Status.NominatedNodeName = "n1"
		w.queue.MoveAllToActiveOrBackoffQueue(w.queue.logger, framework.EventAssignedPodDelete, pod, nil,
			func(each *v1.Pod) bool { return corev1helpers.PodPriority(each) <= priority })
		return fmt.Sprintf("nomination_ended %d", priority)
	}
}

// change is of one pod of this queue.
func (w *walk) change(ctx context.Context) (string, error) {
	all := slices.Sorted(maps.Keys(w.pods))
	name := all[w.chance.IntN(len(all))]
	if w.binding[name] != nil {
		return w.endBinding(name)
	}
	kinds := []string{"gone", "gone", "status", "status", "label", "shrink", "shrink", "tolerate",
		"tolerate"}
	if len(w.pods[name].Spec.SchedulingGates) > 0 {
		kinds = append(kinds, "ungate", "ungate", "ungate")
	}
	kind := kinds[w.chance.IntN(len(kinds))]
	if kind == "gone" {
		return w.remove(name), nil
	}
	return w.update(ctx, name, kind), nil
}

func (w *walk) remove(name string) string {
	pod := w.pods[name]
	w.queue.Delete(w.queue.logger, pod)
	delete(w.pods, name)
	if w.tried != nil && w.tried.Pod.Name == name {
		w.queue.Done(pod.UID) // as handleSchedulingFailure does at the end of this attempt
		w.tried = nil
	}
	return "gone " + name
}

// update changes one property (RECORD-4).
func (w *walk) update(ctx context.Context, name, kind string) string {
	old := w.pods[name]
	pod := old.DeepCopy()
	pod.ResourceVersion = fmt.Sprint(w.queue.clock.Now().UnixNano())
	switch kind {
	case "status":
		pod.Status.Conditions = []v1.PodCondition{{Type: "Seen", Message: pod.ResourceVersion}}
	case "label":
		pod.Labels = map[string]string{"version": pod.ResourceVersion}
	case "shrink":
		setCPU(pod, pod.Spec.Containers[0].Resources.Requests.Cpu().MilliValue()-10)
	case "tolerate":
		pod.Spec.Tolerations = append(pod.Spec.Tolerations, v1.Toleration{
			Key: pod.ResourceVersion, Operator: v1.TolerationOpExists})
	case "ungate":
		pod.Spec.SchedulingGates = nil
	}
	w.pods[name] = pod
	w.queue.Update(ctx, old, pod)
	return kind + " " + name
}

// endBinding is how the watch shows a pod bound, or a call that failed, or a pod that is deleted.
func (w *walk) endBinding(name string) (string, error) {
	attempt, pod := w.binding[name], w.pods[name]
	delete(w.binding, name)
	move := func(event fwk.ClusterEvent, old, now any) {
		w.queue.MoveAllToActiveOrBackoffQueue(w.queue.logger, event, old, now, nil)
	}
	bound := pod.DeepCopy()
	bound.Spec.NodeName = "n1"
	switch w.chance.IntN(4) {
	case 0:
		move(framework.EventAssignedPodDelete, bound, nil)
		return "unbound " + name, w.queue.fail(attempt, pod)
	case 1:
		w.queue.Delete(w.queue.logger, pod)
		move(framework.EventAssignedPodDelete, bound, nil)
		delete(w.pods, name)
		return "withdrawn " + name, nil
	default:
		move(framework.EventAssignedPodAdd, nil, bound)
		w.queue.Delete(w.queue.logger, pod)
		delete(w.pods, name)
		return "bound " + name, nil
	}
}
