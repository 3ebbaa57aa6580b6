package harness

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// Soon is the deadline for what takes a second on an idle machine.
const Soon = 60 * time.Second

// Env is a namespace with nodes of its own for one test. Its methods end the test on error.
type Env struct {
	testing.TB
	*Cluster
	Namespace string
	Context   context.Context
	nodes     []string
}

var notInNames = regexp.MustCompile(`[^a-z0-9]+`)

// Begin gives the test a namespace, and clears it up afterwards.
func (c *Cluster) Begin(t testing.TB) *Env {
	t.Helper()
	c.spaces++
	name := strings.Trim(notInNames.ReplaceAllString(strings.ToLower(t.Name()), "-"), "-")
	e := &Env{TB: t, Cluster: c, Context: context.Background(),
		Namespace: fmt.Sprintf("%.40s-%d", strings.TrimPrefix(name, "test"), c.spaces)}
	e.Must(c.Repair(e.Context))
	_, err := c.Client.CoreV1().Namespaces().Create(e.Context,
		&core.Namespace{ObjectMeta: meta.ObjectMeta{Name: e.Namespace}}, meta.CreateOptions{})
	e.Must(err)
	t.Cleanup(e.end)
	return e
}

// BeginWithBerth is Begin, with a berthd of these options.
func (c *Cluster) BeginWithBerth(t testing.TB, options BerthOptions) *Env {
	t.Helper()
	if !c.HasBerth() {
		t.Skip("BERTHD_BINARY is not set")
	}
	e := c.Begin(t)
	e.Must(c.RunBerth(e.Context, options))
	return e
}

// Must ends the test if there is an error.
func (e *Env) Must(err error) {
	e.Helper()
	if err != nil {
		e.Fatal(err)
	}
}

// AddNodes makes nodes for this test's pods, of cpu cores and 8 GPUs each, and names them.
func (e *Env) AddNodes(count int, cpu string) []string {
	e.Helper()
	first := len(e.nodes)
	for i := range count {
		e.nodes = append(e.nodes, fmt.Sprintf("%s-n%d", e.Namespace, first+i))
	}
	added := e.nodes[first:]
	e.Must(InParallel(len(added), func(i int) error {
		node := NodeOf(added[i], e.Namespace, Capacity(cpu, "64Gi", 110, 8))
		_, err := e.Client.CoreV1().Nodes().Create(e.Context, node, meta.CreateOptions{})
		return err
	}))
	return added
}

// Create makes pods, in parallel, on this test's nodes.
func (e *Env) Create(pods ...*core.Pod) {
	e.Helper()
	e.Must(InParallel(len(pods), func(i int) error {
		pod := pods[i].DeepCopy()
		pod.Spec.NodeSelector = map[string]string{PoolLabel: e.Namespace}
		_, err := e.Client.CoreV1().Pods(e.Namespace).Create(e.Context, pod, meta.CreateOptions{})
		return err
	}))
}

// CreateGroup makes a PodGroup and begins to measure for how long it is bound in part.
func (e *Env) CreateGroup(name string, minMember int) {
	e.Helper()
	e.Recorder.WatchGang(e.Namespace, name, minMember)
	e.CreateObject(NewPodGroup(e.Namespace, name, int64(minMember)))
}

// CreateObject makes a PodGroup or a Queue.
func (e *Env) CreateObject(object *unstructured.Unstructured) {
	e.Helper()
	resource := PodGroups
	if object.GetKind() == "Queue" {
		resource = Queues
	}
	_, err := e.Dynamic.Resource(resource).Namespace(object.GetNamespace()).Create(e.Context,
		object, meta.CreateOptions{})
	e.Must(err)
}

// CreateGang makes a PodGroup and `count` members of it.
func (e *Env) CreateGang(name string, minMember, count int,
	word func(PodBuilder) PodBuilder) []*core.Pod {
	e.Helper()
	e.CreateGroup(name, minMember)
	pods := Members(e.Namespace, name, count, word)
	e.Create(pods...)
	return pods
}

// Delete deletes a pod without grace.
func (e *Env) Delete(name string) {
	e.Helper()
	err := e.Client.CoreV1().Pods(e.Namespace).Delete(e.Context, name,
		meta.DeleteOptions{GracePeriodSeconds: new(int64)})
	if !errors.IsNotFound(err) {
		e.Must(err)
	}
}

// Ungate takes our gate off by hand.
func (e *Env) Ungate(name string) {
	e.Helper()
	_, err := e.Client.CoreV1().Pods(e.Namespace).Patch(e.Context, name, types.JSONPatchType,
		[]byte(`[{"op":"remove","path":"/spec/schedulingGates"}]`), meta.PatchOptions{})
	e.Must(err)
}

// Await waits for the condition, which says what is the matter while it does not hold.
func (e *Env) Await(within time.Duration, condition func() error) {
	e.Helper()
	e.Must(e.Recorder.Await(e.Context, within, condition))
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

// AssertRoom shows that nothing is reserved any more: so many pods that are not ours, of so much
// cpu, all find a place.
func (e *Env) AssertRoom(count int, cpu string) {
	e.Helper()
	var pods []*core.Pod
	for i := range count {
		name := fmt.Sprintf("room-%d", i)
		pods = append(pods,
			NewPod(e.Namespace, name).CPU(cpu).Scheduler("default-scheduler").Build())
	}
	e.Create(pods...)
	e.AwaitAllBound(Soon, pods...)
}

func (e *Env) end() {
	if e.Failed() {
		e.report()
	}
	if err := e.Repair(e.Context); err != nil {
		e.Error(err)
		return
	}
	if err := e.clear(); err != nil {
		e.Errorf("clear up: %v", err)
	}
}

func (e *Env) clear() error {
	err := e.Dynamic.Resource(PodGroups).Namespace(e.Namespace).DeleteCollection(e.Context,
		meta.DeleteOptions{}, meta.ListOptions{})
	if err != nil {
		return err
	}
	err = e.Client.CoreV1().Pods(e.Namespace).DeleteCollection(e.Context,
		meta.DeleteOptions{GracePeriodSeconds: new(int64)}, meta.ListOptions{})
	if err != nil {
		return err
	}
	err = e.Recorder.Await(e.Context, Soon, func() error {
		if left := e.Pods(func(*core.Pod) bool { return true }); len(left) > 0 {
			return fmt.Errorf("%d pods are still there", len(left))
		}
		return nil
	})
	if err != nil {
		return err
	}
	return InParallel(len(e.nodes), func(i int) error {
		err := e.Client.CoreV1().Nodes().Delete(e.Context, e.nodes[i], meta.DeleteOptions{})
		if errors.IsNotFound(err) {
			return nil
		}
		return err
	})
}

// report shows what happened to the pods, and the ends of the logs.
func (e *Env) report() {
	var text strings.Builder
	for _, pod := range e.Pods(func(*core.Pod) bool { return true }) {
		fmt.Fprintf(&text, "%s on %q nominated %q gates %v", pod.Name, pod.Spec.NodeName,
			pod.Status.NominatedNodeName, pod.Spec.SchedulingGates)
		for _, condition := range pod.Status.Conditions {
			if condition.Status != core.ConditionTrue {
				fmt.Fprintf(&text, " %s: %s", condition.Reason, condition.Message)
			}
		}
		text.WriteString("\n")
	}
	history := e.Recorder.History(e.Namespace)
	for _, moment := range history[max(0, len(history)-80):] {
		fmt.Fprintln(&text, moment)
	}
	processes := []*Process{e.Scheduler, e.APIServer}
	if e.Berth != nil {
		processes = append(processes, e.Berth.Process)
	}
	for _, process := range processes {
		fmt.Fprintf(&text, "-- the end of %s (running: %t)\n%s\n", process.Name,
			process.Running(), process.Tail(25))
	}
	e.Log("\n" + text.String())
	if directory := os.Getenv("BERTH_E2E_LOGS"); directory != "" {
		e.Logf("logs are in %s", directory)
	}
}

// InParallel calls work for 0 to count-1 from 16 goroutines, and returns one of the errors.
func InParallel(count int, work func(int) error) error {
	var group sync.WaitGroup
	var once sync.Once
	var first error
	next := make(chan int)
	for range min(16, count) {
		group.Add(1)
		go func() {
			defer group.Done()
			for i := range next {
				if err := work(i); err != nil {
					once.Do(func() { first = err })
				}
			}
		}()
	}
	for i := range count {
		next <- i
	}
	close(next)
	group.Wait()
	return first
}
