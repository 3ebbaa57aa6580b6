package harness

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	core "k8s.io/api/core/v1"
	policy "k8s.io/api/policy/v1"
	kube "k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// CreatePriority makes a PriorityClass for this test and returns its name. Pods may name it at
// once.
func (e *Env) CreatePriority(word string, value int64, preempts core.PreemptionPolicy) string {
	e.Helper()
	name := e.Namespace + "-" + word
	e.CreateObject(&unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
		"metadata": map[string]any{"name": name}, "value": value,
		"preemptionPolicy": string(preempts)}})
	probe := NewPod(e.Namespace, "of-"+word).Priority(name).Build()
	e.Await(Soon, func() error { // the API server's admission hears of the class a moment later
		_, err := e.Client.CoreV1().Pods(e.Namespace).Create(e.Context, probe,
			meta.CreateOptions{DryRun: []string{meta.DryRunAll}})
		return err
	})
	return name
}

// CreateBudget makes a PodDisruptionBudget for the pods with the label. Its status is as the
// disruption controller, which is not there, would write it.
func (e *Env) CreateBudget(name, key, value string, allowed int32) {
	e.Helper()
	all := intstr.FromString("100%")
	_, err := e.Client.PolicyV1().PodDisruptionBudgets(e.Namespace).Create(e.Context,
		&policy.PodDisruptionBudget{
			ObjectMeta: meta.ObjectMeta{Name: name},
			Spec: policy.PodDisruptionBudgetSpec{MinAvailable: &all,
				Selector: &meta.LabelSelector{MatchLabels: map[string]string{key: value}}},
		}, meta.CreateOptions{})
	e.Must(err)
	e.Cleanup(func() {
		err := e.Client.PolicyV1().PodDisruptionBudgets(e.Namespace).Delete(e.Context, name,
			meta.DeleteOptions{})
		if err != nil {
			e.Error(err)
		}
	})
	e.AllowDisruptions(name, allowed)
}

// AllowDisruptions writes the budget's status; pods that were evicted before are gone.
func (e *Env) AllowDisruptions(name string, allowed int32) {
	e.Helper()
	budgets := e.Client.PolicyV1().PodDisruptionBudgets(e.Namespace)
	e.Await(Soon, func() error { // the API server writes it at each eviction, too
		budget, err := budgets.Get(e.Context, name, meta.GetOptions{})
		if err != nil {
			return err
		}
		budget.Status = policy.PodDisruptionBudgetStatus{ObservedGeneration: budget.Generation,
			DisruptionsAllowed: allowed, CurrentHealthy: allowed + 1, DesiredHealthy: 1,
			ExpectedPods: allowed + 1}
		_, err = budgets.UpdateStatus(e.Context, budget, meta.UpdateOptions{})
		return err
	})
}

// Recreate makes each of these pods again as soon as it is gone, as a controller would, until the
// test ends.
func (e *Env) Recreate(pods ...*core.Pod) {
	ctx, cancel := context.WithCancel(e.Context)
	done := make(chan struct{})
	e.Cleanup(func() { cancel(); <-done })
	goesOn := errors.New("goes on")
	again := func() error {
		for _, pod := range e.onOwnNodes(pods) {
			if len(e.Pods(func(each *core.Pod) bool { return each.Name == pod.Name })) > 0 {
				continue
			}
			_, err := e.Client.CoreV1().Pods(e.Namespace).Create(ctx, pod, meta.CreateOptions{})
			if err != nil && !kube.IsAlreadyExists(err) && ctx.Err() == nil {
				return err
			}
		}
		return goesOn
	}
	go func() {
		defer close(done)
		if err := e.Recorder.Await(ctx, time.Hour, again); !errors.Is(err, goesOn) {
			e.Errorf("pods are not made again: %v", err)
		}
	}()
}

// Gone are the names of pods that were deleted, as often as they were, sorted.
func (e *Env) Gone() []string {
	names := []string{}
	for _, moment := range e.Recorder.History(e.Namespace) {
		if moment.What == "deleted" {
			names = append(names, strings.TrimPrefix(moment.Key, e.Namespace+"/"))
		}
	}
	slices.Sort(names)
	return names
}

// AwaitEnding waits until exactly so many pods are being deleted and are still there.
func (e *Env) AwaitEnding(count int) {
	e.Helper()
	e.AwaitPods(Soon, count, "are ending", func(pod *core.Pod) bool {
		return pod.DeletionTimestamp != nil
	})
}

// AwaitRunning waits until all these pods run, and so count for a budget.
func (e *Env) AwaitRunning(pods ...*core.Pod) {
	e.Helper()
	e.Await(Soon, func() error {
		for _, wanted := range pods {
			found := e.Pods(func(pod *core.Pod) bool {
				return pod.Name == wanted.Name && pod.Status.Phase == core.PodRunning
			})
			if len(found) == 0 {
				return fmt.Errorf("pod %q does not run", wanted.Name)
			}
		}
		return nil
	})
}

// AwaitTold waits until an event about the object has all these words.
func (e *Env) AwaitTold(kind, name string, words ...string) {
	e.Helper()
	e.Await(Soon, func() error {
		events, err := e.Client.CoreV1().Events(e.Namespace).List(e.Context, meta.ListOptions{
			FieldSelector: "involvedObject.kind=" + kind + ",involvedObject.name=" + name})
		if err != nil {
			return err
		}
		told := []string{}
		for _, event := range events.Items {
			if !slices.ContainsFunc(words, func(word string) bool {
				return !strings.Contains(event.Message, word)
			}) {
				return nil
			}
			told = append(told, event.Message)
		}
		return fmt.Errorf("no event about %s %q has the words %q, but %q", kind, name, words, told)
	})
}
