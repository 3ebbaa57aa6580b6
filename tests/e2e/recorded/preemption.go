package recorded

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
)

// preemption is kube-scheduler's, under a name of its own. Its requests, which a goroutine sends, wait
// for the end of the attempt, and so does the cluster for the goroutine (RECORD-11).
type preemption struct {
	cluster  *cluster
	extender *fakeExtender
	plugin   *defaultpreemption.DefaultPreemption
	gate     sync.Mutex // held during an attempt
	isTrying bool
}

const preemptionName = "RecordedPreemption"

type namedPreemption struct {
	*defaultpreemption.DefaultPreemption
}

func (namedPreemption) Name() string { return preemptionName }

type gatedHandle struct {
	fwk.Handle
	preemption *preemption
}

func (h gatedHandle) Extenders() []fwk.Extender { return []fwk.Extender{h.preemption.extender} }

// NominatedPodsForNode is what the goroutine asks first.
func (h gatedHandle) NominatedPodsForNode(node string) []fwk.PodInfo {
	h.preemption.gate.Lock()
	defer h.preemption.gate.Unlock()
	return h.Handle.NominatedPodsForNode(node)
}

func (p *preemption) registry() frameworkruntime.Registry {
	return frameworkruntime.Registry{preemptionName: func(ctx context.Context, _ runtime.Object,
		handle fwk.Handle) (fwk.Plugin, error) {
		made, err := defaultpreemption.New(ctx, &config.DefaultPreemptionArgs{
			MinCandidateNodesPercentage: 10, MinCandidateNodesAbsolute: 100},
			gatedHandle{handle, p}, feature.Features{EnableAsyncPreemption: true})
		p.plugin = made
		return namedPreemption{made}, err
	}}
}

// preemptingProfile is the default profile without scores, which the stand-in leaves out.
func preemptingProfile(profile *config.KubeSchedulerProfile) {
	none := config.PluginSet{Disabled: []config.Plugin{{Name: "*"}}}
	own := []config.Plugin{{Name: preemptionName}}
	profile.Plugins.PreScore, profile.Plugins.Score = none, none
	profile.Plugins.PostFilter = config.PluginSet{Enabled: own, Disabled: none.Disabled}
	profile.Plugins.PreEnqueue.Enabled = append(profile.Plugins.PreEnqueue.Enabled, own...)
}

// try tries a pod, and binds it if there is a node.
func (p *preemption) try(ctx context.Context) {
	c := p.cluster
	p.gate.Lock()
	p.isTrying = true
	c.scheduler.ScheduleOne(ctx)
	p.isTrying = false
	p.gate.Unlock()
	if c.extender.binds {
		call := <-c.extender.bindings
		c.store(c.podsOf[call.pod], func(pod *v1.Pod) { pod.Spec.NodeName = call.node })
		c.outcomes = append(c.outcomes, call.pod+"="+call.node)
		call.answer <- nil
		return
	}
	for _, pod := range c.podsOf {
		for p.plugin.Executor.IsPodRunningPreemption(pod.UID) {
			time.Sleep(10 * time.Microsecond)
		}
	}
}

// takePatch is of the goroutine: of a victim's condition, which evict writes, too, or of a nomination
// that ends.
func (p *preemption) takePatch(action clienttesting.PatchAction) error {
	var body struct{ Status map[string]any }
	err := json.Unmarshal(action.GetPatch(), &body)
	pod := p.cluster.podsOf[action.GetName()]
	if _, ok := body.Status["nominatedNodeName"]; ok && pod != nil &&
		pod.Status.NominatedNodeName != "" {
		p.cluster.storeStatus(pod, func(pod *v1.Pod) { pod.Status.NominatedNodeName = "" })
	}
	return err
}

// evict may come again before kube-scheduler is shown that the pod terminates.
func (p *preemption) evict(name string) {
	if p.cluster.podsOf[name].DeletionTimestamp != nil {
		return
	}
	p.cluster.store(p.cluster.podsOf[name], func(pod *v1.Pod) {
		pod.DeletionTimestamp = &metav1.Time{Time: start}
		pod.Status.Conditions = []v1.PodCondition{{Type: v1.DisruptionTarget,
			Status: v1.ConditionTrue, Reason: v1.PodReasonPreemptionByScheduler}}
	})
	p.cluster.outcomes = append(p.cluster.outcomes, name+"-")
}

func (p *preemption) step(ctx context.Context) string {
	c := p.cluster
	all := slices.Sorted(maps.Keys(c.podsOf))
	if len(all) < 4 || len(all) < 16 && c.chance.IntN(3) == 0 {
		return p.addPod()
	}
	pod := c.podsOf[all[c.chance.IntN(len(all))]]
	leaves, isBound := pod.DeletionTimestamp != nil, pod.Spec.NodeName != ""
	switch chance := c.chance.IntN(20); {
	case chance < 2:
		return c.changeNode()
	case chance < 4:
		return p.changeBudget()
	case chance < 6 || leaves && chance < 14:
		return c.remove(ctx, pod)
	case chance == 6:
		return "label " + c.change(pod, func(pod *v1.Pod) {
			pod.Labels = maps.Clone(pod.Labels)
			pod.Labels["version"] = fmt.Sprint(c.version)
		}).Name
	case chance == 7 && pod.Status.NominatedNodeName == "":
		return "terminate " + c.change(pod, func(pod *v1.Pod) {
			pod.DeletionTimestamp = &metav1.Time{Time: start}
		}).Name
	case chance == 8 && isBound:
		return "grow " + c.change(pod, func(pod *v1.Pod) { addCPU(pod, 500) }).Name
	case isBound || leaves || chance > 12:
		return "wait" // RECORD-10
	case chance == 9 && pod.Spec.Containers[0].Ports == nil && hasCPU(pod):
		return "shrink " + c.change(pod, func(pod *v1.Pod) { addCPU(pod, -10) }).Name
	case chance == 10:
		return c.bindElsewhere(ctx, pod)
	}
	node := ""
	if c.chance.IntN(4) > 0 {
		node = c.anyNode()
	}
	c.change(pod, func(pod *v1.Pod) { pod.Status.NominatedNodeName = node })
	return "nominate " + pod.Name + " " + node
}

// addPod is of a pod with wishes: g a GPU, p a port, t a toleration, n never to preempt. x and y have
// a budget each. No two pods start at once (RECORD-11).
func (p *preemption) addPod() string {
	c := p.cluster
	name := c.newName()
	priority, cpu, wishes := int32(c.chance.IntN(4)), int64(c.chance.IntN(6)*500), ""
	pod := podNamed(name, c.made, priority, false)
	setCPU(pod, cpu)
	pod.Status.StartTime = &metav1.Time{Time: start.Add(time.Duration(c.made) * time.Second)}
	pod.Labels = map[string]string{"version": "0"}
	if c.chance.IntN(5) == 0 {
		wishes += "g"
		addGPU(pod)
	}
	if c.chance.IntN(8) == 0 {
		wishes += "p"
		pod.Spec.Containers[0].Ports = []v1.ContainerPort{{HostPort: 80}}
	}
	if c.chance.IntN(8) == 0 {
		wishes += "t"
		tolerate(pod)
	}
	if c.chance.IntN(10) == 0 {
		wishes += "n"
		never := v1.PreemptNever
		pod.Spec.PreemptionPolicy = &never
	}
	if app := c.chance.IntN(4); app < 2 {
		wishes += "xy"[app : app+1]
		pod.Labels["app"] = "xy"[app : app+1]
	}
	c.bring(pod)
	return fmt.Sprintf("pod %s %d %d -%s ", name, priority, cpu, wishes)
}

func (p *preemption) changeBudget() string {
	app, allowed := []string{"x", "y"}[p.cluster.chance.IntN(2)], p.cluster.chance.IntN(4)
	budget := &policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Namespace: "default",
		Name: app}}
	if allowed == 3 {
		p.cluster.budgets.Delete(budget)
		return "unprotect " + app
	}
	budget.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}}
	budget.Status.DisruptionsAllowed = int32(allowed)
	p.cluster.budgets.Update(budget)
	return fmt.Sprintf("protect %s %d", app, allowed)
}
