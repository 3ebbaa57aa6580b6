package e2e

import (
	"fmt"
	"slices"
	"testing"

	"berth.dev/berth/tests/e2e/harness"
)

// besidesLocks is what berthd's patch of a node holds besides locks.
func besidesLocks(patch map[string]any) []string {
	var found []string
	fields := func(where string, value any, known ...string) map[string]any {
		all, _ := value.(map[string]any)
		for key := range all {
			if !slices.Contains(known, key) {
				found = append(found, where+key)
			}
		}
		return all
	}
	all := fields("", patch, "metadata", "spec")
	fields("spec: ", all["spec"], "taints")
	metadata := fields("metadata: ", all["metadata"], "uid", "resourceVersion", "labels",
		"annotations")
	fields("labels: ", metadata["labels"], harness.LockedFor, harness.LockedForQueue)
	fields("annotations: ", metadata["annotations"], harness.LockedSince, harness.LockedForQueueSince)
	return found
}

// docs/SECURITY.md: what berthd writes where its role lets it write more, in this test and in those
// before it, by the API server's audit log.
func TestWhatBerthWritesIsInTheAuditLog(t *testing.T) {
	cluster.StartControllers(t)
	e := cluster.BeginWithBerth(t, reserving(map[string]any{"wait-duration": "1h"},
		map[string]any{"reservation": map[string]any{"authorization": "none"}}))
	e.AddNodes(2, "4")
	e.CreateGang("old", 2, 2, cpu("3"))
	e.AwaitBound("old", 2, harness.Soon)
	e.CreateGang("big", 2, 2, cpu("3500m"))
	annotateGroup(e, "big", `"true"`)
	e.AwaitLocked("big", 2)
	annotateGroup(e, "big", `null`)
	e.AwaitOpen()
	job := e.CreateJob(e.NewJob("job", 2).Gang("2").Build())
	e.AwaitGroupsOf(job, 1, 2)
	e.PatchJob("job", `{"metadata":{"annotations":{"`+harness.GangAnnotation+`":"1"}}}`)
	e.AwaitGroupsOf(job, 0, 0)

	var log []harness.Audited
	e.Await(harness.Soon, func() error {
		var err error
		log, err = e.AuditLog()
		for _, what := range []string{"create serviceaccounts/token", "patch nodes",
			"create podgroups", "delete podgroups"} {
			if !slices.ContainsFunc(log, func(each harness.Audited) bool { return each.What() == what }) {
				err = fmt.Errorf("the audit log has no %q: %v", what, err)
			}
		}
		return err
	})
	made := map[string]bool{}
	for _, each := range log {
		name := each.ObjectRef.Namespace + "/" + each.ObjectRef.Name
		switch each.What() {
		case "create serviceaccounts/token":
			if name != harness.Namespace+"/"+harness.SchedulersAccount {
				t.Errorf("berthd has asked for a token of %s", name)
			}
		case "patch nodes":
			if besides := besidesLocks(each.RequestObject); len(besides) > 0 {
				t.Errorf("berthd has written more than locks on node %s: %q", name, besides)
			}
		case "create podgroups":
			made[name] = true
		case "delete podgroups":
			if !made[name] {
				t.Errorf("berthd has deleted %s, which it had not made", name)
			}
		default:
			t.Errorf("berthd has asked for %s of %s", each.What(), name)
		}
	}
}
