package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	core "k8s.io/api/core/v1"
	rbac "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/e2e/harness"
)

// forbidClasses has a quota that lets no pod of these classes into the test's namespace.
func forbidClasses(e *harness.Env, classes ...string) {
	e.Helper()
	_, err := e.Client.CoreV1().ResourceQuotas(e.Namespace).Create(e.Context, &core.ResourceQuota{
		ObjectMeta: meta.ObjectMeta{Name: "classes"},
		Spec: core.ResourceQuotaSpec{
			Hard: core.ResourceList{core.ResourcePods: resource.MustParse("0")},
			ScopeSelector: &core.ScopeSelector{
				MatchExpressions: []core.ScopedResourceSelectorRequirement{{
					ScopeName: core.ResourceQuotaScopePriorityClass,
					Operator:  core.ScopeSelectorOpIn, Values: classes}}},
		}}, meta.CreateOptions{})
	e.Must(err)
}

// createGroupOfClass makes a gang whose group names a class that its pods do not.
func createGroupOfClass(e *harness.Env, name, class string, members int) {
	e.Helper()
	group := harness.NewPodGroup(e.Namespace, name, int64(members))
	group.Object["spec"].(map[string]any)["priorityClassName"] = class
	e.CreateObject(group)
	e.Create(harness.Members(e.Namespace, name, members, cpu("3"))...)
}

// awaitUnhonoured waits until the group's condition says so.
func awaitUnhonoured(e *harness.Env, name string, words ...string) {
	e.Helper()
	e.Await(harness.Soon, func() error {
		message := e.Denial(name, "Honoured")
		for _, each := range words {
			if !strings.Contains(message, each) {
				return fmt.Errorf("condition Honoured of %s: %q, expected %q", name, message, each)
			}
		}
		return nil
	})
}

// MAY-12, MAY-13: the namespace may not have pods of these classes, so its groups evict nobody by
// their names.
func TestAGroupsClassDoesNotGoRoundTheQuota(t *testing.T) {
	e := beginEvicting(t)
	high := e.CreatePriority("high", 1000, core.PreemptLowerPriority)
	forbidClasses(e, high, "system-node-critical", "system-cluster-critical")
	e.AddNodes(2, "4")
	e.CreateGang("old", 2, 2, cpu("3"))
	e.AwaitBound("old", 2, harness.Soon)

	createGroupOfClass(e, "system", "system-node-critical", 2)
	awaitUnhonoured(e, "system", "system-node-critical", "counts on pods only")
	createGroupOfClass(e, "urgent", high, 2)
	awaitUnhonoured(e, "urgent", high, `needs the verb "name" on priorityclasses.scheduling.k8s.io`)
	e.AwaitWaits("urgent", "insufficient cpu")
	e.AwaitBound("old", 2, harness.Soon)

	allowRules(e, e.Namespace+"-name", rbac.Subject{APIGroup: rbac.GroupName, Kind: "Group",
		Name: "system:serviceaccounts:" + e.Namespace},
		rbac.PolicyRule{APIGroups: []string{"scheduling.k8s.io"}, Verbs: []string{"name"},
			Resources: []string{"priorityclasses"}, ResourceNames: []string{high}})
	e.AwaitBound("urgent", 2, time.Minute) // a refusal is asked about again after 30 s
}
