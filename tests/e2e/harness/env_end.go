package harness

import (
	"fmt"
	"os"
	"strings"

	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func (e *Env) end() {
	if e.Berth != nil && e.Berth.HasCrashed() {
		e.Error("berthd has ended by itself")
	}
	if e.Mode == ThroughView && e.Scheduler != nil && e.Scheduler.HasCrashed() {
		e.Error("the kube-scheduler behind the view has ended by itself")
	}
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
	if err := e.ClearNamespace(e.Context, e.Namespace); err != nil {
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
	for _, log := range e.shown {
		fmt.Fprintf(&text, "-- the end of %s (running: %t)\n%s\n", log.process.Name,
			log.process.Running(), log.process.Tail(log.from, log.lines))
	}
	e.Log("\n" + text.String())
	if directory := os.Getenv("BERTH_E2E_LOGS"); directory != "" {
		e.Logf("logs are in %s", directory)
	}
}
