package e2e

import (
	"fmt"
	"maps"
	"testing"

	"berth.dev/berth/tests/e2e/harness"
)

// inZones is a cluster of which one level is known.
func inZones() harness.BerthOptions {
	configuration := maps.Clone(sharing.Configuration)
	configuration["topology"] = map[string]any{"levels": []any{zone}}
	return harness.BerthOptions{Configuration: configuration}
}

// A gang that must be in one zone waits while none has room for it, and says so. It starts when a
// node is said to be in another zone, and a pod that is made anew goes where the others are.
func TestAGangIsInOneZone(t *testing.T) {
	e := cluster.BeginWithBerth(t, inZones())
	e.AddNodesIn("a", 1, "4")
	moved := e.AddNodesIn("b", 1, "4")[0]
	group := harness.NewPodGroup(e.Namespace, "near", 3)
	group.SetAnnotations(map[string]string{"berth.dev/topology-required": zone})
	e.CreateObject(group)
	pods := harness.Members(e.Namespace, "near", 3,
		func(pod harness.PodBuilder) harness.PodBuilder { return pod.CPU("2") })
	e.Create(pods...)
	e.AwaitWaits("near", "no "+zone+" can take all pods that must be together")
	e.PatchNode(moved, fmt.Sprintf(`{"metadata":{"labels":{%q:"a"}}}`, zone))
	awaitWhole(e, "near", 3)

	e.AddNodesIn("b", 2, "8")
	e.Delete(pods[0].Name)
	e.Recreate(pods[0])
	e.Await(harness.Soon, func() error {
		if counts := perDomain(e, "near", zone); counts["a"] != 3 {
			return fmt.Errorf("pods by zone: %v, expected 3 in a", counts)
		}
		return nil
	})
}
