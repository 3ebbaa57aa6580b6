package chaos

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"berth.dev/berth/tests/e2e/harness"
)

const (
	space      = "chaos"
	others     = "chaos-others" // pool of the nodes for pods that are not ours
	gangNodes  = 20
	otherNodes = 3
	otherPods  = 12
	gangNames  = 60 // names are used again
	overload   = 1.3
)

// world stands for users, for the controllers that make lost members again under their names, for
// kubelets and for the controller that deletes pods of lost nodes, and pods without a node whose
// deletion was begun: the API server writes a deletion in two steps. Each round looks at what is there
// and does what is missing, so an answer that is lost does no harm. Under the run's mutex.
type world struct {
	*state
	cluster  *harness.Cluster
	random   *rand.Rand
	draining bool // nothing new; what is whole ends
	nextGang time.Time
	nextLoss time.Time
	lostAt   map[string]time.Time // nodes that are not there

	slots chan struct{}
	busy  sync.Map // keys of requests under way
}

func newWorld(cluster *harness.Cluster, seed uint64, s *state) *world {
	return &world{state: s, cluster: cluster, random: rand.New(rand.NewPCG(seed, 1)),
		slots: make(chan struct{}, 24), lostAt: map[string]time.Time{}}
}

// do runs a request, unless one for the same thing is under way or too many are.
func (w *world) do(ctx context.Context, key string, request func(context.Context) error) {
	select {
	case w.slots <- struct{}{}:
	default:
		return
	}
	if _, is := w.busy.LoadOrStore(key, true); is {
		<-w.slots
		return
	}
	go func() {
		ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
		_ = request(ctx)
		<-w.slots
		w.busy.Delete(key)
	}()
}

// round does what is due now.
func (w *world) round(ctx context.Context, now time.Time) {
	if !w.draining {
		w.submit(now)
		w.lose(ctx, now)
	}
	for _, name := range slices.Sorted(maps.Keys(w.gangs)) {
		w.reconcile(ctx, w.gangs[name], now)
	}
	w.reconcileOthers(ctx)
	for _, key := range slices.Sorted(maps.Keys(w.pods)) {
		w.lookAfter(ctx, w.pods[key], now)
	}
}

// submit has a new gang come when there is too little work.
func (w *world) submit(now time.Time) {
	asked := 0
	for _, g := range w.gangs {
		asked += g.size * g.cores
	}
	if now.Before(w.nextGang) || float64(asked) > overload*gangNodes*nodeCores {
		return
	}
	w.nextGang = now.Add(time.Duration(w.random.IntN(1200)) * time.Millisecond)
	name := fmt.Sprintf("g%d", w.random.IntN(gangNames))
	if w.gangs[name] != nil {
		return
	}
	g := &gang{name: name, size: 2 + w.random.IntN(12), cores: 1 + w.random.IntN(3),
		runs:   time.Duration(4+w.random.IntN(25)) * time.Second,
		grace:  int64(w.random.IntN(3)),
		absent: map[int]time.Time{}}
	if w.random.IntN(5) == 0 {
		g.size = 2 + w.random.IntN(49)
	}
	g.min = g.size
	if w.random.IntN(5) == 0 {
		g.min = max(2, g.size*2/3)
	}
	g.priority = priorities[min(w.random.IntN(8), len(priorities)-1)].name
	w.gangs[name] = g
	w.counts["gangs"]++
	w.note("gang %s submitted: %d of %d members, %d cores each, %s", name, g.min, g.size, g.cores,
		g.priority)
}

// lose deletes a member, a whole gang or a pod of others now and then, as users do.
func (w *world) lose(ctx context.Context, now time.Time) {
	if now.Before(w.nextLoss) {
		return
	}
	w.nextLoss = now.Add(time.Duration(1000+w.random.IntN(4000)) * time.Millisecond)
	w.deletePod(ctx, w.pods[space+"/"+otherPod(w.random.IntN(otherPods))])
	names := slices.Sorted(maps.Keys(w.gangs))
	if len(names) == 0 {
		return
	}
	g := w.gangs[names[w.random.IntN(len(names))]]
	if g.phase != active {
		return
	}
	if w.random.IntN(4) == 0 {
		g.phase = leaving
		w.counts["gangs deleted"]++
		w.note("gang %s is deleted", g.name)
		return
	}
	w.counts["members deleted"]++
	w.deletePod(ctx, w.pods[space+"/"+g.member(w.random.IntN(g.size))])
}

func (w *world) deletePod(ctx context.Context, pod *podState) {
	if pod == nil {
		return
	}
	w.do(ctx, "delete "+string(pod.UID), func(ctx context.Context) error {
		return w.cluster.Client.CoreV1().Pods(space).Delete(ctx, pod.Name, meta.DeleteOptions{
			GracePeriodSeconds: new(int64), Preconditions: &meta.Preconditions{UID: &pod.UID}})
	})
}

// reconcile is the gang's controller.
func (w *world) reconcile(ctx context.Context, g *gang, now time.Time) {
	switch {
	case g.phase == active && !w.draining && !g.wholeAt.IsZero() && now.Sub(g.wholeAt) > g.runs:
		g.phase = ending
	case g.phase == ending || g.phase == active && w.draining && g.everWhole:
		w.end(ctx, g, now)
	}
	if g.phase == leaving {
		w.remove(ctx, g)
		return
	}
	if w.groups[space+"/"+g.name] == nil {
		w.do(ctx, "group "+g.name, func(ctx context.Context) error {
			group := harness.NewPodGroup(space, g.name, int64(g.min))
			group.Object["spec"].(map[string]any)["priorityClassName"] = g.priority
			_, err := w.cluster.Dynamic.Resource(harness.PodGroups).Namespace(space).Create(ctx,
				group, meta.CreateOptions{})
			return err
		})
	}
	for i := range g.size {
		w.remake(ctx, g, i, now)
	}
}

// remake makes a member that is not there, under its name.
func (w *world) remake(ctx context.Context, g *gang, i int, now time.Time) {
	if pod := w.pods[space+"/"+g.member(i)]; pod != nil || g.phase != active {
		delete(g.absent, i)
		return
	}
	due, known := g.absent[i]
	if !known {
		due = now
		if g.everWhole {
			due = now.Add(time.Duration(w.random.IntN(1500)) * time.Millisecond)
		}
		g.absent[i] = due
	}
	if now.Before(due) {
		return
	}
	w.do(ctx, "pod "+g.member(i), func(ctx context.Context) error {
		pod := harness.NewPod(space, g.member(i)).Group(g.name).Pool(space).Priority(g.priority).
			CPU(fmt.Sprint(g.cores)).Grace(g.grace).Finishes().Build()
		_, err := w.cluster.Client.CoreV1().Pods(space).Create(ctx, pod, meta.CreateOptions{})
		return err
	})
}

// end has the pods that are bound end well; then the gang goes. While all drains, those that wait
// are to be bound first.
func (w *world) end(ctx context.Context, g *gang, now time.Time) {
	left := 0
	for i := range g.size {
		pod := w.pods[space+"/"+g.member(i)]
		switch {
		case pod == nil && g.phase == active:
			left++
		case pod == nil || pod.isFinished():
		case pod.isBound():
			left++
			if now.Sub(pod.bound) > time.Second && pod.DeletionTimestamp == nil {
				w.patchStatus(ctx, pod, `{"status":{"phase":"Succeeded"}}`)
			}
		case g.phase == active:
			left++
		}
	}
	if left == 0 {
		g.phase = leaving
		w.counts["finished"]++
		w.note("gang %s has finished", g.name)
	}
}

func (w *world) remove(ctx context.Context, g *gang) {
	left := 0
	if w.groups[space+"/"+g.name] != nil {
		left++
		w.do(ctx, "group "+g.name, func(ctx context.Context) error {
			return w.cluster.Dynamic.Resource(harness.PodGroups).Namespace(space).Delete(ctx,
				g.name, meta.DeleteOptions{})
		})
	}
	for i := range g.size {
		_, isMade := w.busy.Load("pod " + g.member(i)) // its creation may be under way
		if pod := w.pods[space+"/"+g.member(i)]; pod != nil || isMade {
			left++
			w.deletePod(ctx, pod)
		}
	}
	if _, isMade := w.busy.Load("group " + g.name); left == 0 && !isMade {
		delete(w.gangs, g.name)
	}
}

func otherPod(i int) string { return fmt.Sprintf("others-%d", i) }

// reconcileOthers makes lost pods of the default scheduler again, under their names.
func (w *world) reconcileOthers(ctx context.Context) {
	for i := range otherPods {
		if w.pods[space+"/"+otherPod(i)] != nil {
			continue
		}
		w.do(ctx, "pod "+otherPod(i), func(ctx context.Context) error {
			pod := harness.NewPod(space, otherPod(i)).Scheduler(core.DefaultSchedulerName).
				Pool(others).Build()
			_, err := w.cluster.Client.CoreV1().Pods(space).Create(ctx, pod, meta.CreateOptions{})
			return err
		})
	}
}

// lookAfter has a pod that is bound run, and what is deleted or was on a lost node go.
func (w *world) lookAfter(ctx context.Context, pod *podState, now time.Time) {
	lost, isLost := w.lostAt[pod.Spec.NodeName]
	switch {
	case pod.DeletionTimestamp != nil, isLost && now.Sub(lost) > time.Second:
		w.deletePod(ctx, pod)
	case !pod.isBound():
	case pod.Status.Phase == core.PodPending:
		w.patchStatus(ctx, pod, `{"status":{"phase":"Running","conditions":[`+
			`{"type":"Ready","status":"True"}]}}`)
	}
}

func (w *world) patchStatus(ctx context.Context, pod *podState, patch string) {
	w.do(ctx, "status "+string(pod.UID), func(ctx context.Context) error {
		_, err := w.cluster.Client.CoreV1().Pods(space).Patch(ctx, pod.Name,
			types.StrategicMergePatchType, []byte(`{"metadata":{"uid":"`+string(pod.UID)+`"},`+
				patch[1:]), meta.PatchOptions{}, "status")
		return err
	})
}

// unbound counts pods, of gangs and of others, that are not there or not bound, and names one.
func (w *world) unbound() (int, string) {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(w.gangs)) {
		if g := w.gangs[name]; g.phase == active {
			for i := range g.size {
				names = append(names, g.member(i))
			}
		}
	}
	for i := range otherPods {
		names = append(names, otherPod(i))
	}
	names = slices.DeleteFunc(names, func(name string) bool {
		pod := w.pods[space+"/"+name]
		return pod != nil && pod.isBound()
	})
	if len(names) == 0 {
		return 0, ""
	}
	return len(names), names[0]
}
