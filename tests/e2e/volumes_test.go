package e2e

import (
	"fmt"
	"strings"
	"testing"

	core "k8s.io/api/core/v1"

	"berth.dev/berth/tests/e2e/harness"
)

// Gangs whose members mount volumes (docs/design/volumes.md).

// mounting words members that mount one claim, or each its own of its name.
func mounting(claim string) func(harness.PodBuilder) harness.PodBuilder {
	return func(pod harness.PodBuilder) harness.PodBuilder {
		if claim == "" {
			return pod.Claim(pod.Name())
		}
		return pod.Claim(claim)
	}
}

// A volume that one zone reaches. There is room for the gang in another zone.
func TestAGangGoesWhereItsVolumeIs(t *testing.T) {
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	e.AddNodesIn("a", 2, "4")
	e.CreateBoundClaim("data", "b", core.ReadWriteMany)
	failed := failedAttempts(e)
	e.CreateGang("gang", 6, 6, mounting("data"))
	assertWaits(e, "gang", "didn't match PersistentVolume's node affinity", 2)
	e.AddNodesIn("b", 2, "4")
	awaitWhole(e, "gang", 6)
	if zones := perDomain(e, "gang", zone); zones["b"] != 6 {
		t.Errorf("six members are in zones %v, expected b", zones)
	}
	assertAttempts(e, failed, 1)
}

// Each has a claim of its own, bound to a volume in one of two zones.
func TestMembersGoWhereTheirVolumesAre(t *testing.T) {
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	e.AddNodesIn("a", 1, "4")
	e.AddNodesIn("b", 1, "4")
	for i := range 6 {
		e.CreateBoundClaim(fmt.Sprintf("gang-%d", i), []string{"a", "b"}[i%2], core.ReadWriteOnce)
	}
	failed := failedAttempts(e)
	e.CreateGang("gang", 6, 6, mounting(""))
	awaitWhole(e, "gang", 6)
	if zones := perDomain(e, "gang", zone); zones["a"] != 3 || zones["b"] != 3 {
		t.Errorf("six members are in zones %v, expected three in each", zones)
	}
	assertAttempts(e, failed, 0)
}

// Each has an unbound claim. Three volumes are free, then four.
func TestAGangWaitsForFreeVolumes(t *testing.T) {
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	e.AddNodesIn("a", 1, "4")
	e.AddNodesIn("b", 1, "4")
	class := e.CreateLateClass()
	for i := range 4 {
		e.CreateClaimOf(fmt.Sprintf("gang-%d", i), class, core.ReadWriteOnce)
	}
	for i, in := range []string{"a", "b", "b"} {
		e.CreateVolume(fmt.Sprintf("v%d", i), class, in)
	}
	failed := failedAttempts(e)
	e.CreateGang("gang", 4, 4, mounting(""))
	assertWaits(e, "gang", "didn't find available persistent volumes to bind", 2)
	if bound := e.BoundClaims(); len(bound) != 0 {
		t.Errorf("a gang that waits has bound claims: %v", bound)
	}
	e.CreateVolume("v3", class, "b")
	awaitWhole(e, "gang", 4)
	if zones := perDomain(e, "gang", zone); zones["a"] != 1 || zones["b"] != 3 {
		t.Errorf("four members are in zones %v, with volumes in a, b, b, b", zones)
	}
	assertAttempts(e, failed, 1)
}

// One claim for all, which is not bound: those on other nodes can come when it is.
func TestAGangSharesAClaimThatIsBoundLate(t *testing.T) {
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	e.AddNodesIn("a", 2, "4")
	e.AddNodesIn("b", 2, "4")
	class := e.CreateLateClass()
	e.CreateClaimOf("data", class, core.ReadWriteMany)
	e.CreateVolume("v0", class, "b")
	failed := failedAttempts(e)
	e.CreateGang("gang", 8, 8, mounting("data"))
	awaitWhole(e, "gang", 8)
	if zones := perDomain(e, "gang", zone); zones["b"] != 8 {
		t.Errorf("eight members are in zones %v, with a volume in b", zones)
	}
	assertAttempts(e, failed, 0)
}

// One pod at a time, whatever room there is. A gang that needs two at once waits.
func TestAClaimForOnePodIsUsedOnce(t *testing.T) {
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	e.AddNodesIn("a", 2, "4")
	e.CreateBoundClaim("data", "a", core.ReadWriteOncePod)
	failed := failedAttempts(e)
	first := harness.NewPod(e.Namespace, "first").Claim("data").Build()
	e.Create(first)
	e.AwaitAllBound(promptly, first)
	e.CreateGang("second", 1, 1, mounting("data"))
	e.CreateGang("two", 2, 2, mounting("data"))
	const words = "ReadWriteOncePod access mode already in-use by another pod"
	timed(e, "second says why it waits", func() {
		e.Await(promptly, func() error {
			if message := e.Message("second", "Unschedulable"); !strings.Contains(message, words) {
				return fmt.Errorf("the group says %q", message)
			}
			return nil
		})
	})
	assertNotBound(e, "second")
	e.Delete("first")
	awaitWhole(e, "second", 1)
	assertWaits(e, "two", "can take 1 of 2 members", 1)
	assertAttempts(e, failed, 0)
}
