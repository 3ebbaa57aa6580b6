package e2e

import (
	"testing"

	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/e2e/harness"
)

// STEER-15: kube-scheduler does not look again at pods whose Bindings the barrier holds.

func TestOthersTakeTheRoomOfHeldMembers(t *testing.T) {
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	taken := e.AddNodes(1, "4")[0]
	withVolume(e, 4, "1")
	other := harness.NewPod(e.Namespace, "other").CPU("3").Scheduler(core.DefaultSchedulerName).Build()
	e.Create(other)
	e.AwaitAllBound(harness.Soon, other)
	e.AwaitHeld(0)
	assertNotBound(e, "gang")
	e.AddNodes(1, "4")
	e.Provision("data")
	e.AwaitBound("gang", 4, 2*harness.Soon)
	there := 0
	for _, pod := range e.Bound("gang") {
		if pod.Spec.NodeName == taken {
			there++
		}
	}
	if there > 1 {
		t.Errorf("%d cpu of the gang are beside a pod of 3 on a node of 4", there)
	}
	e.AssertNeverInPart("gang", harness.BarrierLimit)
}

func TestTheNodeOfHeldMembersIsCordoned(t *testing.T) {
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	node := e.AddNodes(1, "4")[0]
	withVolume(e, 4, "1")
	e.PatchNode(node, `{"spec":{"unschedulable":true}}`)
	e.AwaitHeld(0)
	e.Provision("data")
	assertNotBound(e, "gang")
	e.PatchNode(node, `{"spec":{"unschedulable":false}}`)
	e.AwaitBound("gang", 4, 2*harness.Soon)
	e.AssertNeverInPart("gang", harness.BarrierLimit)
}

func TestThePodGroupOfHeldMembersIsDeleted(t *testing.T) {
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	e.AddNodes(2, "4")
	withVolume(e, 4, "1")
	e.Must(e.Dynamic.Resource(harness.PodGroups).Namespace(e.Namespace).Delete(e.Context, "gang",
		meta.DeleteOptions{}))
	e.AwaitHeld(0)
	e.Provision("data")
	assertNotBound(e, "gang")
	e.CreateGroup("gang", 4)
	e.AwaitBound("gang", 4, 2*harness.Soon)
	e.AssertNeverInPart("gang", harness.BarrierLimit)
}
