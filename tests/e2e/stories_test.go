package e2e

import (
	"fmt"
	"strings"
	"testing"

	core "k8s.io/api/core/v1"

	"berth.dev/berth/tests/e2e/harness"
)

// blocks are those of a document that tests carry out.
func blocks(t *testing.T, document string) map[string]harness.Block {
	t.Helper()
	found, err := harness.Blocks(document)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// The first gang of docs/operating.md, as a user with the role `edit` in one namespace.
func TestStoryOfTheFirstGang(t *testing.T) {
	document := blocks(t, "docs/operating.md")
	cluster.StartControllers(t)
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	ada := e.User("ada", "edit")
	ada.AwaitRight("create", "podgroups.scheduling.volcano.sh")
	nodes := e.AddNodes(2, "4")
	e.Create(harness.NewPod(e.Namespace, "in-the-way").Scheduler("nobody").Build())
	e.BindByHand("in-the-way", nodes[1])
	also := map[string]string{"default/": e.Namespace + "/", "training-7": `training-\d`,
		"n2": "(" + strings.Join(nodes, "|") + ")"}
	e.Cleanup(func() {
		_, err := ada.Runs(e.Context, "kubectl delete -f deploy/examples/gang.yaml")
		e.Must(err)
	})
	ada.Follows(document["first-gang-waits"], also)
	e.AwaitPods(harness.Soon, 0, "of the Job are bound", func(pod *core.Pod) bool {
		return pod.Name != "in-the-way" && pod.Spec.NodeName != ""
	})
	e.Delete("in-the-way")
	ada.Follows(document["first-gang-starts"], also)
	e.AwaitBound("training", 8, harness.Soon)
}

// docs/first-gpu-job.md, as a data scientist with the role `edit` in the namespace team-a, who has
// rights nowhere else. The pods of each job wait whole on seven GPUs, or three, and start whole.
func TestStoryOfTheFirstGPUJob(t *testing.T) {
	document := blocks(t, "docs/first-gpu-job.md")
	cluster.StartControllers(t)
	e := cluster.BeginIn(t, "team-a")
	e.WithBerth(harness.BerthOptions{})
	e.StartOperators()
	ada := e.User("ada", "edit")
	e.Cleanup(func() {
		_, err := ada.Runs(e.Context, "kubectl delete job,rayjob,pytorchjob --all")
		e.Must(err)
	})
	ada.AwaitRight("create", "podgroups.scheduling.volcano.sh")

	e.AddGPUNodes(1, 7)
	ada.Saves(document["job"], "training.yaml")
	ada.Follows(document["submit"], nil)
	e.AwaitPods(harness.Soon, 8, "wait", func(pod *core.Pod) bool { return pod.Spec.NodeName == "" })
	ada.Sees(document["why"], "nvidia.com/gpu")
	ada.Follows(document["jobs"], nil)
	ada.Follows(document["queues"], nil)
	e.AddGPUNodes(1, 1)
	e.AwaitNamed("training-[0-7]-.*", 8)

	for _, each := range []struct {
		name, file, pods string
		members, of      int
	}{
		{"pytorchjob", "pytorch.yaml", "mnist-", 4, 4},
		{"rayjob", "ray.yaml", "tune-x7k2p-", 5, 4}, // the head needs no GPU
	} {
		e.WatchOwned(each.pods, each.members)
		e.AddGPUNodes(1, int64(each.of-1))
		ada.Saves(document[each.name], each.file)
		ada.Follows(document["submit-"+each.name], nil)
		e.Await(harness.Soon, func() error {
			for _, group := range e.Recorder.GroupsIn(e.Namespace) {
				waits := e.Message(group.GetName(), "Unschedulable")
				if strings.Contains(waits, "nvidia.com/gpu") {
					return nil
				}
			}
			return fmt.Errorf("no PodGroup of %s waits for GPUs", each.name)
		})
		if bound := boundNamed(e, each.pods); bound > 0 {
			t.Errorf("%d pods of a %s that waits are bound", bound, each.name)
		}
		e.AddGPUNodes(1, 1)
		e.AwaitNamed(each.pods+".*", each.members)
		e.AssertNeverInPart(each.pods, promptly)
	}
}
