package e2e

import (
	"testing"

	"berth.dev/berth/tests/e2e/harness"
)

// kube-scheduler stands still from the moment at which it sees a gang of 6, on 3 nodes of 4 cpu.
func beginShown(t *testing.T, amount string) *harness.Env {
	t.Helper()
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	e.AddNodes(3, "4")
	e.AwaitKubeSchedulerKnowsNodes()
	e.Scheduler.Pause()
	t.Cleanup(e.Scheduler.Resume)
	e.CreateGang("gang", 6, 6, cpu(amount))
	e.AwaitSeen(e.Berth, 6)
	return e
}

// VIEW-7: the next berthd does not know what kube-scheduler knows.
func TestBerthKilledWhileItsPodsAreShown(t *testing.T) {
	e := beginShown(t, "1")
	e.Berth.Kill()
	e.Scheduler.Resume()
	e.Must(e.Berth.Start(e.Context))
	e.AwaitBound("gang", 6, 2*harness.Soon)
	e.AssertNeverInPart("gang", harness.BarrierLimit)
	e.AssertRoom(6, "1")
}

// A member goes while berthd is away and its gang is shown, or bound to be shown: the others wait,
// and their room is free.
func TestABrokenGangIsTakenOutOfSight(t *testing.T) {
	for _, isAway := range []bool{false, true} {
		name := map[bool]string{false: "while berthd runs", true: "while berthd is away"}[isAway]
		t.Run(name, func(t *testing.T) {
			e := beginShown(t, "2")
			if isAway {
				e.Berth.Kill()
			}
			e.Delete("gang-0")
			if isAway {
				e.Must(e.Berth.Start(e.Context))
				e.Must(e.Berth.AwaitReady(e.Context))
			}
			e.AwaitSeen(e.Berth, 0)
			e.Scheduler.Resume()
			e.AssertRoom(6, "2")
			assertNotBound(e, "gang")
		})
	}
}

// VIEW-5: the member that comes back is another pod of the same name.
func TestMemberDeletedWhileItIsShown(t *testing.T) {
	e := beginShown(t, "1")
	e.Delete("gang-0")
	e.AwaitSeen(e.Berth, 0)
	e.Create(harness.NewPod(e.Namespace, "gang-0").Group("gang").Build())
	e.AwaitSeen(e.Berth, 6)
	e.Scheduler.Resume()
	e.AwaitBound("gang", 6, harness.Soon)
	e.AssertNeverInPart("gang", promptly)
	e.AssertRoom(6, "1")
}

// withVolume has the last member of a gang wait for its volume in kube-scheduler while all others
// are held at the barrier. Returns the node that was chosen for the volume.
func withVolume(e *harness.Env, members int, amount string) string {
	e.Helper()
	e.CreateClaim("data")
	e.CreateGroup("gang", members)
	pods := harness.Members(e.Namespace, "gang", members, cpu(amount))
	last := harness.NewPod(e.Namespace, pods[members-1].Name).Group("gang").CPU(amount).Claim("data")
	pods[members-1] = last.Build()
	e.Create(pods...)
	node := e.AwaitSelected("data")
	e.AwaitHeld(members - 1)
	return node
}

func TestAVolumeIsMadeBeforeItsGangIsBound(t *testing.T) {
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	e.AddNodes(2, "4")
	node := withVolume(e, 4, "1")
	assertNotBound(e, "gang")
	e.Provision("data")
	e.AwaitBound("gang", 4, harness.Soon)
	e.AssertNeverInPart("gang", promptly)
	for _, pod := range e.Bound("gang") {
		if pod.Name == "gang-3" && pod.Spec.NodeName != node {
			t.Errorf("bound to %q, its volume is for %q", pod.Spec.NodeName, node)
		}
	}
}

// Three of four members are held in the barrier when one of them is deleted.
func TestMemberDeletedWhileOthersAreHeld(t *testing.T) {
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	e.AddNodes(2, "4")
	withVolume(e, 4, "1")
	e.Delete("gang-0")
	e.AwaitHeld(0)
	e.Create(harness.NewPod(e.Namespace, "gang-0").Group("gang").Build())
	e.Provision("data")
	e.AwaitBound("gang", 4, 2*harness.Soon)
	e.AssertNeverInPart("gang", harness.BarrierLimit)
	e.AssertRoom(4, "1")
}

// A planned node goes away while members are held.
func TestNodeDeletedWhileMembersAreHeld(t *testing.T) {
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	nodes := e.AddNodes(3, "4")
	chosen := withVolume(e, 6, "2")
	lost := nodes[0]
	if lost == chosen {
		lost = nodes[1]
	}
	e.DeleteNode(lost)
	e.AwaitHeld(0)
	e.AddNodes(1, "4")
	e.Provision("data")
	e.AwaitBound("gang", 6, 2*harness.Soon)
	e.AssertNeverInPart("gang", harness.BarrierLimit)
	for _, pod := range e.Bound("gang") {
		if pod.Spec.NodeName == lost {
			t.Errorf("%q is bound to a node that is gone", pod.Name)
		}
	}
}
