package e2e

import (
	"fmt"
	"testing"

	"berth.dev/berth/tests/e2e/harness"
)

// "Who may do what" of docs/operating.md, and what it points at, as a user with the role `edit` in
// one namespace: each thing that she may not do, in the words that she sees, and a grant.
func TestStoryOfAUserWithoutRights(t *testing.T) {
	operating, queues := blocks(t, "docs/operating.md"), blocks(t, "docs/queues.md")
	reservations := blocks(t, "docs/reservations.md")
	cluster.StartControllers(t)
	e := cluster.BeginIn(t, "research")
	e.WithBerth(harness.BerthOptions{})
	administrator := e.Administrator(t)
	ada := e.User("ada", "edit", "research-leads")
	ada.AwaitRight("create", "podgroups.scheduling.volcano.sh")
	nodes := e.AddNodes(2, "4500m")
	e.AddNodes(2, "250m") // half of all nodes may be locked
	e.Create(harness.NewPod(e.Namespace, "in-the-way").Scheduler("nobody").Finishes().Build())
	e.BindByHand("in-the-way", nodes[1])
	e.Cleanup(func() {
		for _, command := range []string{
			"kubectl label namespace research berth.dev/required-",
			"kubectl annotate namespace research scheduling.volcano.sh/queue-name-",
			"kubectl delete --ignore-not-found -f deploy/examples/reserve.yaml",
			"kubectl delete --ignore-not-found queue research vision",
		} {
			output, err := administrator.Runs(e.Context, command)
			if err != nil {
				t.Errorf("%s: %v\n%s", command, err, output)
			}
		}
	})

	administrator.Follows(operating["namespace-set-up"], nil)
	administrator.Applies(queues["for-some-namespaces"])
	// The API server reads queues, and labels of namespaces, a moment late.
	early := asUser(e, "ada", "research-leads")
	refusedSoon(e, creating(e, early, podGroup(`{}`, "vision"), dryRun), `queue "vision"`)
	refusedSoon(e, creating(e, early, madeOf(`{}`, "nobodys")["Pod"], dryRun), `and not "nobodys"`)
	ada.Follows(operating["user-submits"], nil)

	ada.IsRefused(reservations["target-refused"], nil)
	ada.IsRefused(queues["queue-refused"], nil)
	ada.IsRefused(operating["user-refused"], nil)

	administrator.Follows(reservations["target-granted"], nil)
	for _, step := range reservations["target-refused"].Steps() {
		e.Await(harness.Soon, func() error {
			output, err := ada.Runs(e.Context, step.Command)
			if err != nil {
				err = fmt.Errorf("%v is refused after the grant: %w\n%s", step, err, output)
			}
			return err
		})
	}
	e.AwaitTargeted("training", "True", "Locked")
	ada.IsRefused(operating["user-refused"], nil)
	// Two policies refuse these now. The API server has the words of either.
	for _, step := range queues["queue-refused"].Steps() {
		if output, err := ada.Runs(e.Context, step.Command); err == nil {
			t.Errorf("%v is accepted after the grant:\n%s", step, output)
		}
	}
}
