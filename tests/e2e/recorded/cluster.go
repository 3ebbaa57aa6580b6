package recorded

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// cluster does random operations on a kube-scheduler, which tries its pods at once.
type cluster struct {
	*realScheduler
	chance   *rand.Rand
	podsOf   map[string]*v1.Pod // as the API server has them
	nodes    map[string]*v1.Node
	unseen   []*v1.Pod          // that kube-scheduler has not been shown
	bindings map[string]binding // that wait for an answer
	outcomes []string           // written since the last step
	now      time.Duration
	made     int
	version  int
	// Of kube-scheduler's default profile; nil: of Berth's.
	preemption *preemption
}

// ClusterRun is a line of the file of the cluster.
type ClusterRun struct {
	Percentage int32    `json:"percentage"`
	Steps      []string `json:"steps"`
}

// clusterSteps are operations and their outcomes: "MILLISECONDS OPERATION;CALLS;STATUSES". The clock
// moves first. The calls of the filter follow, and what kube-scheduler has written: "1:r/4" says
// that resources kept pod 1 from 4 nodes, "^" that its nomination has ended.
func clusterSteps(ctx context.Context, seed, number uint64, count, nodes int, percentage int32,
	preemption *preemption) ([]string, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	chance := rand.New(rand.NewPCG(seed, number))
	made, err := newScheduler(ctx, chance, percentage, preemption)
	if err != nil {
		return nil, err
	}
	c := &cluster{realScheduler: made, chance: chance, podsOf: map[string]*v1.Pod{},
		nodes: map[string]*v1.Node{}, bindings: map[string]binding{}, preemption: preemption}
	step := c.step
	if preemption != nil {
		preemption.cluster, step = c, preemption.step
	}
	made.extender.meanwhile, made.write = c.meanwhile, c.write
	var all []string
	for i := range nodes + count {
		pause := 1
		if i >= nodes {
			pause = c.pause()
		}
		c.advance(ctx, time.Duration(pause)*time.Millisecond)
		operation := ""
		if i < nodes {
			operation = c.putNode(fmt.Sprint(i))
		} else {
			operation = step(ctx)
		}
		c.settle(ctx)
		all = append(all, fmt.Sprintf("%d %s;%s;%s", pause, operation,
			strings.Join(made.extender.calls, " "), strings.Join(c.outcomes, " ")))
		made.extender.calls, c.outcomes = nil, nil
	}
	for _, each := range c.bindings {
		each.answer <- nil
	}
	return all, nil
}

func (c *cluster) pause() int {
	if c.chance.IntN(4) > 0 {
		return 1 + c.chance.IntN(400)
	}
	return 1 + c.chance.IntN(12000)
}

// advance flushes the queue when its goroutines do.
func (c *cluster) advance(ctx context.Context, by time.Duration) {
	for c.now += by; ; c.settle(ctx) {
		second := c.clock.Now().Truncate(time.Second).Add(time.Second)
		if second.After(start.Add(c.now)) {
			break
		}
		c.clock.SetTime(second)
		flushBackoff(c.PriorityQueue, c.logger)
		if second.Sub(start)%(30*time.Second) == 0 {
			flushUnschedulable(c.PriorityQueue, c.logger)
		}
	}
	if c.clock.Now().Before(start.Add(c.now)) {
		c.clock.SetTime(start.Add(c.now))
	}
}

// settle tries pods until none is left to try. Then its own writes are shown to it (RECORD-7).
func (c *cluster) settle(ctx context.Context) {
	for {
		for c.canPop() {
			c.extender.binds = false
			if c.preemption != nil {
				c.preemption.try(ctx)
				continue
			}
			c.scheduler.ScheduleOne(ctx)
			if c.extender.binds {
				call := <-c.extender.bindings
				c.bindings[call.pod] = call
			}
		}
		if len(c.unseen) == 0 {
			return
		}
		c.show()
	}
}

// write is of a status, by kube-scheduler.
func (c *cluster) write(name string, condition v1.PodCondition, nominated *string) {
	pod := c.podsOf[name]
	if pod == nil || pod.Spec.NodeName != "" { // RECORD-8
		return
	}
	nominates := nominated != nil && *nominated != pod.Status.NominatedNodeName
	conditions := []v1.PodCondition{condition}
	if !nominates && reflect.DeepEqual(conditions, pod.Status.Conditions) {
		return
	}
	c.storeStatus(pod, func(pod *v1.Pod) {
		pod.Status.Conditions = conditions
		if nominates {
			pod.Status.NominatedNodeName = *nominated
		}
	})
}

func (c *cluster) storeStatus(old *v1.Pod, edit func(*v1.Pod)) {
	pod := c.store(old, edit)
	text := pod.Name + ":" + conditionText(pod)
	switch node := pod.Status.NominatedNodeName; {
	case node == old.Status.NominatedNodeName:
	case node == "":
		text += "^"
	default:
		text += "@" + node
	}
	c.outcomes = append(c.outcomes, text)
}

func (c *cluster) store(pod *v1.Pod, edit func(*v1.Pod)) *v1.Pod {
	pod = pod.DeepCopy()
	edit(pod)
	c.version++
	pod.ResourceVersion = fmt.Sprint(c.version)
	c.podsOf[pod.Name] = pod
	c.unseen = append(c.unseen, pod)
	return pod
}

func (c *cluster) show() {
	unseen := c.unseen
	c.unseen = nil
	for _, pod := range unseen {
		old, _, _ := c.pods.Get(pod)
		c.pods.Update(pod)
		updatePod(c.scheduler, old, pod)
	}
}

// change is by others, and shown at once.
func (c *cluster) change(pod *v1.Pod, edit func(*v1.Pod)) *v1.Pod {
	pod = c.store(pod, edit)
	c.show()
	return pod
}

// meanwhile nominates the pod that is tried, once in a while.
func (c *cluster) meanwhile(pod *v1.Pod) string {
	if c.chance.IntN(12) > 0 {
		return ""
	}
	node := c.anyNode()
	c.change(c.podsOf[pod.Name], func(pod *v1.Pod) { pod.Status.NominatedNodeName = node })
	return "@" + node
}

func (c *cluster) anyNode() string {
	return fmt.Sprint(c.chance.IntN(len(c.nodes) + 2)) // it may come later
}

func number(name string) int {
	number, _ := strconv.Atoi(name)
	return number
}

// --- operations ---------------------------------------------------------------------------------

func (c *cluster) step(ctx context.Context) string {
	all := slices.Sorted(maps.Keys(c.podsOf))
	if len(all) < 2 || len(all) < 9 && c.chance.IntN(3) == 0 {
		return c.addPod()
	}
	pod := c.podsOf[all[c.chance.IntN(len(all))]]
	_, isAssumed := c.bindings[pod.Name]
	isBound := pod.Spec.NodeName != ""
	switch chance := c.chance.IntN(20); {
	case chance < 3:
		return c.changeNode()
	case isAssumed && chance < 14:
		return c.endBinding(ctx, pod)
	case chance < 7:
		return c.remove(ctx, pod)
	case chance == 7:
		return "label " + c.change(pod, func(pod *v1.Pod) {
			pod.Labels = map[string]string{"version": fmt.Sprint(c.version)}
		}).Name
	case chance == 8 && pod.DeletionTimestamp == nil && pod.Status.NominatedNodeName == "":
		return "terminate " + c.change(pod, func(pod *v1.Pod) {
			pod.DeletionTimestamp = &metav1.Time{Time: start}
		}).Name
	case isBound && chance < 13:
		return "grow " + c.change(pod, func(pod *v1.Pod) { addCPU(pod, 500) }).Name
	case isBound:
		return "wait"
	case chance == 9 && pod.Spec.Containers[0].Ports == nil && hasCPU(pod):
		return "shrink " + c.change(pod, func(pod *v1.Pod) { addCPU(pod, -10) }).Name
	case chance == 10 && pod.DeletionTimestamp == nil:
		return c.bindElsewhere(ctx, pod)
	case chance == 11 && pod.Spec.NodeSelector == nil && pod.Spec.Affinity == nil:
		return "tolerate " + c.change(pod, func(pod *v1.Pod) { tolerate(pod) }).Name
	case chance == 12 || pod.DeletionTimestamp != nil:
		return "wait" // RECORD-10
	}
	node := ""
	if c.chance.IntN(4) > 0 {
		node = c.anyNode()
	}
	c.change(pod, func(pod *v1.Pod) { pod.Status.NominatedNodeName = node })
	return "nominate " + pod.Name + " " + node
}

func hasCPU(pod *v1.Pod) bool {
	return pod.Spec.Containers[0].Resources.Requests.Cpu().MilliValue() >= 100
}

func addCPU(pod *v1.Pod, milli int64) {
	requests := pod.Spec.Containers[0].Resources.Requests
	requests[v1.ResourceCPU] = *resource.NewMilliQuantity(requests.Cpu().MilliValue()+milli,
		resource.DecimalSI)
}

func addGPU(pod *v1.Pod) {
	pod.Spec.Containers[0].Resources.Requests["example.com/gpu"] = resource.MustParse("1")
}

var taint = v1.Taint{Key: "example.com/taint", Effect: v1.TaintEffectNoSchedule}

func tolerate(pod *v1.Pod) {
	pod.Spec.Tolerations = append(pod.Spec.Tolerations, v1.Toleration{Key: taint.Key,
		Operator: v1.TolerationOpExists})
}

// addPod is of a pod with wishes: g a GPU, p a port, q this port of one address, s a zone, d the node
// that follows, t a toleration. Some are bound from the start.
func (c *cluster) addPod() string {
	name := c.newName()
	priority, cpu, wishes := int32(c.chance.IntN(3)), int64(c.chance.IntN(7)*500), ""
	pod := podNamed(name, c.made, priority, false)
	setCPU(pod, cpu)
	if c.chance.IntN(5) == 0 {
		wishes += "g"
		addGPU(pod)
	}
	operation, node := "pod", ""
	if c.chance.IntN(6) == 0 {
		operation, node = "bound", c.anyNode()
		pod.Spec.NodeName = node
	}
	switch c.chance.IntN(10) {
	case 0:
		wishes += "p"
		pod.Spec.Containers[0].Ports = []v1.ContainerPort{{HostPort: 80}}
	case 1:
		wishes += "q"
		pod.Spec.Containers[0].Ports = []v1.ContainerPort{{HostPort: 80, HostIP: "10.0.0.1"}}
	case 2:
		wishes += "s"
		pod.Spec.NodeSelector = map[string]string{v1.LabelTopologyZone: "a"}
	case 3:
		wishes += "t"
		tolerate(pod)
	case 4:
		if node == "" {
			wishes += "d"
			node = c.anyNode()
			pod.Spec.Affinity = affinityTo(node)
		}
	}
	c.bring(pod)
	return fmt.Sprintf("%s %s %d %d -%s %s", operation, name, priority, cpu, wishes, node)
}

func (c *cluster) newName() string {
	c.made++
	name := "0"
	for i := 0; c.podsOf[name] != nil; i++ {
		name = fmt.Sprint(i)
	}
	return name
}

func (c *cluster) bring(pod *v1.Pod) {
	c.podsOf[pod.Name] = pod
	c.pods.Add(pod)
	addPod(c.scheduler, pod)
}

// affinityTo is what the view puts into a pod.
func affinityTo(node string) *v1.Affinity {
	name := v1.NodeSelectorRequirement{Key: metav1.ObjectNameField, Operator: v1.NodeSelectorOpIn,
		Values: []string{node}}
	return &v1.Affinity{NodeAffinity: &v1.NodeAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{
			NodeSelectorTerms: []v1.NodeSelectorTerm{{
				MatchFields: []v1.NodeSelectorRequirement{name}}}}}}
}

func (c *cluster) remove(ctx context.Context, pod *v1.Pod) string {
	c.pods.Delete(pod)
	delete(c.podsOf, pod.Name)
	deletePod(c.scheduler, pod)
	c.refuse(ctx, pod.Name)
	return "gone " + pod.Name
}

func (c *cluster) bind(ctx context.Context, pod *v1.Pod, node string) {
	c.change(pod, func(pod *v1.Pod) { pod.Spec.NodeName = node })
	c.refuse(ctx, pod.Name)
}

// refuse answers its bind call, if there is one, after all else.
func (c *cluster) refuse(ctx context.Context, pod string) {
	if call, ok := c.bindings[pod]; ok {
		c.settle(ctx)
		delete(c.bindings, pod)
		call.answer <- errOutOfOrder
		<-c.failed
	}
}

// endBinding is of an assumed pod: bound, or not bound, or bound although the call fails.
func (c *cluster) endBinding(ctx context.Context, pod *v1.Pod) string {
	call := c.bindings[pod.Name]
	chance := c.chance.IntN(6)
	if pod.DeletionTimestamp != nil || chance < 2 {
		c.refuse(ctx, pod.Name)
		return "refuse " + pod.Name
	}
	if chance == 2 {
		c.bind(ctx, pod, call.node)
		return "lose " + pod.Name
	}
	delete(c.bindings, pod.Name)
	call.answer <- nil
	c.bind(ctx, pod, call.node)
	return "bind " + pod.Name
}

func (c *cluster) bindElsewhere(ctx context.Context, pod *v1.Pod) string {
	node := c.anyNode()
	c.bind(ctx, pod, node)
	return "elsewhere " + pod.Name + " " + node
}

func (c *cluster) changeNode() string {
	name := fmt.Sprint(c.chance.IntN(len(c.nodes) + 1))
	if old := c.nodes[name]; old != nil && c.chance.IntN(3) == 0 {
		delete(c.nodes, name)
		deleteNode(c.scheduler, old)
		return "drop " + name
	}
	return c.putNode(name)
}

// putNode changes all properties that wake pods (RECORD-3), or adds the node.
func (c *cluster) putNode(name string) string {
	c.version++
	version := fmt.Sprint(c.version)
	node := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
		"version": version}}}
	cpu, pods := 1000<<c.chance.IntN(4), 2+c.chance.IntN(5)
	node.Status.Allocatable = v1.ResourceList{"version": *resource.NewQuantity(int64(c.version),
		resource.DecimalSI), v1.ResourcePods: resource.MustParse(fmt.Sprint(pods)),
		v1.ResourceCPU: *resource.NewMilliQuantity(int64(cpu), resource.DecimalSI)}
	node.Spec.Taints = []v1.Taint{{Key: "version", Value: version,
		Effect: v1.TaintEffectPreferNoSchedule}}
	wishes := ""
	if zone := c.chance.IntN(4); zone > 0 {
		wishes = "abc"[zone-1 : zone]
		node.Labels[v1.LabelTopologyZone] = wishes
	}
	if c.chance.IntN(3) == 0 {
		wishes += "g"
		node.Status.Allocatable["example.com/gpu"] = resource.MustParse("2")
	}
	switch c.chance.IntN(8) {
	case 0:
		wishes += "t"
		node.Spec.Taints = append(node.Spec.Taints, taint)
	case 1:
		wishes += "u"
		node.Spec.Unschedulable = true
	}
	old := c.nodes[name]
	c.nodes[name] = node
	if old == nil {
		addNode(c.scheduler, node)
	} else {
		updateNode(c.scheduler, old, node)
	}
	return fmt.Sprintf("node %s %d %d -%s", name, cpu, pods, wishes)
}
