package e2e

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"berth.dev/berth/tests/e2e/harness"
)

// ownedGang is a gang without a PodGroup of its user: berthd makes one.
type ownedGang struct {
	owner   string // KIND/NAME
	pods    string // what the names of its pods begin with
	members int
}

// What the steps of a file of fixtures/owners make: gangs of one owner each, or one pod that is in
// none.
type ownersStep struct {
	gangs  []ownedGang
	single string // a regular expression of its name
}

var owners = map[string][]ownersStep{
	"job":            {{gangs: []ownedGang{{"Job/training", "training-", 4}}}},
	"indexed-job":    {{gangs: []ownedGang{{"Job/training", "training-", 4}}}},
	"statefulset":    {{gangs: []ownedGang{{"StatefulSet/store", "store-", 3}}}},
	"jobset":         {{gangs: []ownedGang{{"JobSet/pytorch", "pytorch-", 5}}}},
	"trainjob":       {{gangs: []ownedGang{{"JobSet/mnist", "mnist-node-", 4}}}},
	"pytorchjob":     {{gangs: []ownedGang{{"PyTorchJob/mnist", "mnist-", 4}}}},
	"mpijob":         {{gangs: []ownedGang{{"MPIJob/pi", "pi-", 3}}}},
	"mpijob-in-turn": {{gangs: []ownedGang{{"MPIJob/pi", "pi-worker-", 2}}}, {single: "pi-launcher-.*"}},
	"raycluster":     {{gangs: []ownedGang{{"RayCluster/explore", "explore-", 3}}}},
	"rayjob": {{gangs: []ownedGang{{"RayCluster/tune-x7k2p", "tune-x7k2p-", 3}}},
		{single: "tune-.{5}"}},
	"spark": {{single: "spark-pi-driver"},
		{gangs: []ownedGang{{"Pod/spark-pi-driver", "spark-pi-exec-", 3}}}},
	"leaderworkerset": {{gangs: []ownedGang{{"LeaderWorkerSet/vllm", "vllm-0", 3},
		{"LeaderWorkerSet/vllm", "vllm-1", 3}}}},
}

// Pods of each owner, as its controller makes them, wait whole and start whole, and the PodGroup
// that berthd has made goes with the owner.
func TestGangsOfOwners(t *testing.T) {
	cluster.StartControllers(t)
	for _, name := range slices.Sorted(maps.Keys(owners)) {
		if name != "leaderworkerset" {
			t.Run(name, func(t *testing.T) { playOwners(t, name, owners[name]) })
		}
	}
}

// The labels on its pods are a webhook's, so they are not left to the controller of StatefulSets.
func TestGangsOfALeaderWorkerSet(t *testing.T) {
	cluster.StartControllers(t, "statefulset")
	playOwners(t, "leaderworkerset", owners["leaderworkerset"])
}

func playOwners(t *testing.T, name string, steps []ownersStep) {
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	script := e.Script(harness.Fixture("owners", name+".yaml"))
	for _, step := range steps {
		if step.single != "" {
			e.AddNodes(1, "1")
			script.Next()
			e.AwaitNamed(step.single, 1)
			continue
		}
		// One cpu too few for any of them.
		e.AddNodes(1, fmt.Sprint(step.gangs[0].members-1))
		for _, gang := range step.gangs {
			e.WatchOwned(gang.pods, gang.members)
		}
		script.Next()
		started := 0
		for i, gang := range step.gangs {
			owner := made(script, gang.owner)
			groups := e.AwaitGroupsOf(owner, len(step.gangs), gang.members)
			if i == 0 {
				for _, group := range groups {
					awaitNoRoom(e, group, gang.members)
				}
			}
			assertNoneBoundBut(e, step.gangs, started)
			cpus := "1"
			if i > 0 {
				cpus = fmt.Sprint(gang.members)
			}
			e.AddNodes(1, cpus)
			started++
			awaitStarted(e, step.gangs, started)
		}
		for _, gang := range step.gangs {
			e.AssertNeverInPart(gang.pods, promptly)
			for _, group := range e.AwaitGroupsOf(made(script, gang.owner), len(step.gangs),
				gang.members) {
				e.AwaitCondition(group, "Scheduled", harness.Soon)
				e.AwaitPhase(group, "Running", harness.Soon)
			}
		}
	}
	if script.Next() {
		t.Error("there are more steps in the file")
	}
	e.Must(script.Delete())
	e.Await(harness.Soon, func() error {
		if left := e.Recorder.GroupsIn(e.Namespace); len(left) > 0 {
			return fmt.Errorf("%d PodGroups are left, such as %v", len(left), left[0].GetName())
		}
		return nil
	})
}

func made(script *harness.Script, owner string) *unstructured.Unstructured {
	kind, name, _ := strings.Cut(owner, "/")
	return script.Made(kind, name)
}

// awaitNoRoom waits until the PodGroup's condition says that one cpu is missing: on the nodes, or
// in the whole cluster.
func awaitNoRoom(e *harness.Env, group string, members int) {
	e.Helper()
	e.Await(harness.Soon, func() error {
		message := e.Message(group, "Unschedulable")
		for _, words := range []string{fmt.Sprintf("%d of %d members", members-1, members),
			fmt.Sprintf("needs %d cpu", members)} {
			if strings.Contains(message, words) {
				return nil
			}
		}
		return fmt.Errorf("PodGroup %q of %d waits because %q", group, members, message)
	})
}

// boundOf are the bound pods of each gang.
func boundOf(e *harness.Env, gangs []ownedGang) []int {
	counts := make([]int, len(gangs))
	for i, gang := range gangs {
		counts[i] = len(e.Pods(func(pod *core.Pod) bool {
			return strings.HasPrefix(pod.Name, gang.pods) && pod.Spec.NodeName != ""
		}))
	}
	return counts
}

func wholeOf(gangs []ownedGang, bound []int) (whole, others int) {
	for i, gang := range gangs {
		if bound[i] == gang.members {
			whole++
		} else {
			others += bound[i]
		}
	}
	return whole, others
}

func assertNoneBoundBut(e *harness.Env, gangs []ownedGang, started int) {
	e.Helper()
	bound := boundOf(e, gangs)
	if whole, others := wholeOf(gangs, bound); whole != started || others > 0 {
		e.Errorf("of the gangs %v are bound, expected %d whole ones", bound, started)
	}
}

func awaitStarted(e *harness.Env, gangs []ownedGang, started int) {
	e.Helper()
	e.Await(harness.Soon, func() error {
		bound := boundOf(e, gangs)
		if whole, others := wholeOf(gangs, bound); whole != started || others > 0 {
			return fmt.Errorf("of the gangs %v are bound, expected %d whole ones", bound, started)
		}
		return nil
	})
}
