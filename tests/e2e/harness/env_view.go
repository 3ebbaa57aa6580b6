package harness

import (
	"fmt"

	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// SeenBy are the names of this test's pods that the kube-scheduler behind a berthd's view sees, with
// the nodes that they are bound to.
func (e *Env) SeenBy(berth *Berth) (map[string]string, error) {
	client, err := berth.View.Client()
	if err != nil {
		return nil, err
	}
	// As kube-scheduler asks: without namespace.
	pods, err := client.CoreV1().Pods("").List(e.Context, meta.ListOptions{
		FieldSelector: "status.phase!=Succeeded,status.phase!=Failed"})
	if err != nil {
		return nil, err
	}
	seen := map[string]string{}
	for _, pod := range pods.Items {
		if pod.Namespace == e.Namespace {
			seen[pod.Name] = pod.Spec.NodeName
		}
	}
	return seen, nil
}

// AwaitSeen waits until kube-scheduler sees exactly so many pods of this test that are not bound.
func (e *Env) AwaitSeen(berth *Berth, count int) {
	e.Helper()
	e.Await(Soon, func() error {
		seen, err := e.SeenBy(berth)
		if err != nil {
			return err
		}
		unbound := 0
		for _, node := range seen {
			if node == "" {
				unbound++
			}
		}
		if unbound != count {
			return fmt.Errorf("kube-scheduler sees %d pods that are not bound, expected %d: %v",
				unbound, count, seen)
		}
		return nil
	})
}

// PlannedNode is the node that a pod in the view requires by name, or "".
func PlannedNode(pod *core.Pod) string {
	affinity := pod.Spec.Affinity
	if affinity == nil || affinity.NodeAffinity == nil ||
		affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return ""
	}
	for _, term := range affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.
		NodeSelectorTerms {
		for _, field := range term.MatchFields {
			if field.Key == meta.ObjectNameField && len(field.Values) == 1 {
				return field.Values[0]
			}
		}
	}
	return ""
}
