package e2e

import (
	"fmt"
	"strings"
	"testing"

	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"berth.dev/berth/tests/e2e/harness"
)

// docs/SECURITY.md: what berthd's account may not write, though its role lets it.
func TestBerthdsAccountWritesOnlyWhatItNeeds(t *testing.T) {
	e := cluster.Begin(t)
	node := e.AddNodes(1, "4")[0]
	e.Create(harness.NewPod(e.Namespace, "p").Build())
	e.CreateObject(harness.NewPodGroup(e.Namespace, "theirs", 1))
	berthd := asUser(e, "system:serviceaccount:"+harness.Namespace+":"+harness.ServiceAccount,
		"system:serviceaccounts", "system:serviceaccounts:"+harness.Namespace)
	dryRun := meta.PatchOptions{DryRun: []string{meta.DryRunAll}}
	nodes := schema.GroupVersionResource{Version: "v1", Resource: "nodes"}
	pods := berthd.Resource(schema.GroupVersionResource{Version: "v1", Resource: "pods"}).
		Namespace(e.Namespace)
	for name, patch := range map[string]func(body string) error{
		"node": func(body string) error {
			_, err := berthd.Resource(nodes).Patch(e.Context, node, types.StrategicMergePatchType,
				[]byte(body), dryRun)
			return err
		},
		"pod": func(body string) error {
			_, err := pods.Patch(e.Context, "p", types.StrategicMergePatchType, []byte(body), dryRun)
			return err
		},
		"status": func(body string) error {
			_, err := pods.Patch(e.Context, "p", types.StrategicMergePatchType, []byte(body), dryRun,
				"status")
			return err
		},
	} {
		for _, body := range map[string][]string{
			"node": {`{"metadata":{"labels":{"team":"x"}}}`, `{"spec":{"unschedulable":true}}`,
				`{"spec":{"taints":[{"key":"x","effect":"NoExecute"}]}}`},
			"pod": {`{"metadata":{"labels":{"app":"x"}}}`, `{"metadata":{"annotations":{"a":"x"}}}`,
				`{"spec":{"containers":[{"name":"main","image":"other"}]}}`,
				`{"spec":{"activeDeadlineSeconds":1}}`},
			"status": {`{"status":{"phase":"Succeeded"}}`},
		}[name] {
			// The server takes a moment to put new policies into force.
			e.Await(harness.Soon, func() error {
				if err := patch(body); err == nil || !strings.Contains(err.Error(), "berthd") {
					return fmt.Errorf("berthd's account patches a %s by %s: %w", name, body, err)
				}
				return nil
			})
		}
	}
	e.Await(harness.Soon, func() error {
		err := berthd.Resource(harness.PodGroups).Namespace(e.Namespace).Delete(e.Context, "theirs",
			meta.DeleteOptions{DryRun: []string{meta.DryRunAll}})
		if err == nil || !strings.Contains(err.Error(), "berth.dev/made-for") {
			return fmt.Errorf("berthd's account deletes a group that it has not made: %w", err)
		}
		return nil
	})
}
