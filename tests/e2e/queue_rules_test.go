package e2e

import (
	"context"
	"strings"
	"testing"

	authorization "k8s.io/api/authorization/v1"
	core "k8s.io/api/core/v1"
	rbac "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"berth.dev/berth/tests/e2e/harness"
)

// What the API server says about queues that make no sense, by the rules of deploy/crds and the
// policies of deploy/admission/queues.

type spec = map[string]any

func guarantee(amounts spec) spec { return spec{"resource": amounts} }

func percentage(value float64, dimensions ...any) spec {
	part := spec{"value": value}
	if len(dimensions) > 0 {
		part["dimensions"] = dimensions
	}
	return spec{"percentage": part}
}

var dryRun = meta.CreateOptions{DryRun: []string{meta.DryRunAll}}

// refused fails the test unless the error is a refusal that says all these words.
func refused(t *testing.T, err error, words ...string) {
	t.Helper()
	if !errors.IsInvalid(err) && !errors.IsForbidden(err) {
		t.Errorf("not refused: %v", err)
		return
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%q is not in: %v", word, err)
		}
	}
}

func TestQueuesThatMakeNoSenseAreRefused(t *testing.T) {
	e := cluster.Begin(t)
	number := "-1"
	if e.Minor < 35 {
		number = "" // an API server of 1.34 does not repeat it
	}
	for _, each := range []struct {
		name  string
		spec  spec
		words []string
	}{
		{"guarantee above capability", spec{
			"capability": spec{"cpu": "4", "memory": "8Gi"},
			"guarantee":  guarantee(spec{"cpu": "4500m", "memory": "8Gi"})},
			[]string{"spec.guarantee.resource", "must not exceed spec.capability",
				"cpu 4500m is more than 4"}},
		{"guarantee above capability, a number", spec{
			"capability": spec{"nvidia.com/gpu": int64(2)},
			"guarantee":  guarantee(spec{"cpu": "1", "nvidia.com/gpu": "3"})},
			[]string{"spec.guarantee.resource", "nvidia.com/gpu 3 is more than 2"}},
		{"negative capability", spec{"capability": spec{"cpu": "-1"}},
			[]string{"spec.capability[cpu]", "an amount of 0 or more"}},
		{"negative capability, a number", spec{"capability": spec{"cpu": int64(-1)}},
			[]string{"spec.capability[cpu]", number, "an amount of 0 or more"}},
		{"negative deserved", spec{"deserved": spec{"memory": "-8Gi"}},
			[]string{"spec.deserved[memory]", "an amount of 0 or more"}},
		{"negative guarantee", spec{"guarantee": guarantee(spec{"cpu": "-1m"})},
			[]string{"spec.guarantee.resource[cpu]", "an amount of 0 or more"}},
		{"no amount", spec{"guarantee": guarantee(spec{"cpu": "2c"})},
			[]string{"spec.guarantee.resource[cpu]", `"2c"`, "such as 2, 500m or 64Gi"}},
		{"weight 0", spec{"weight": int64(0)},
			[]string{"spec.weight", "greater than or equal to 1"}},
		{"weight 65536", spec{"weight": int64(65536)},
			[]string{"spec.weight", "less than or equal to 65535"}},
		{"its own parent", spec{"parent": e.Namespace},
			[]string{"spec.parent", "must be another queue"}},
		{"percentage above 1", spec{"guarantee": percentage(1.01)},
			[]string{"spec.guarantee.percentage.value", "less than or equal to 1"}},
		{"percentage below 0", spec{"guarantee": percentage(-0.1)},
			[]string{"spec.guarantee.percentage.value", "greater than or equal to 0"}},
		{"dimension that is no resource", spec{"guarantee": percentage(0.5, "cpu", "a gpu")},
			[]string{"spec.guarantee.percentage.dimensions[1]", "should match"}},
		{"dimension that no node can have", spec{"guarantee": percentage(0.5, "cpu", "gpus")},
			[]string{"spec.guarantee.percentage.dimensions[1]", "must be cpu, memory"}},
		{"dimensions without a value", spec{"guarantee": spec{
			"percentage": spec{"dimensions": []any{"cpu"}}}},
			[]string{"spec.guarantee.percentage.value", "Required"}},
		{"another policy", spec{"guarantee": spec{"policy": "Besteffort"}},
			[]string{"spec.guarantee.policy", "Unsupported value", "Guaranteed"}},
		{"too many amounts", spec{"capability": manyAmounts(65)},
			[]string{"spec.capability", "64"}},
	} {
		t.Run(each.name, func(t *testing.T) {
			_, err := e.Dynamic.Resource(harness.Queues).Create(e.Context,
				harness.NewQueue(e.Namespace, each.spec), dryRun)
			refused(t, err, each.words...)
		})
	}
}

func manyAmounts(count int) spec {
	amounts := spec{}
	for i := range count {
		amounts["example.com/"+strings.Repeat("x", i+1)] = "1"
	}
	return amounts
}

func TestQueuesThatMakeSenseAreAccepted(t *testing.T) {
	e := cluster.Begin(t)
	for name, each := range map[string]spec{
		"nothing": {},
		"as text": {"capability": spec{"cpu": "2"}, "guarantee": guarantee(spec{"cpu": "2"})},
		"as numbers": {"capability": spec{"cpu": int64(2)},
			"guarantee": guarantee(spec{"cpu": int64(2)})},
		"mixed": {"capability": spec{"cpu": int64(2), "memory": "1Gi"},
			"guarantee": guarantee(spec{"cpu": "2000m", "memory": int64(1 << 30)})},
		"different dimensions": {"capability": spec{"cpu": "1"},
			"guarantee": guarantee(spec{"memory": "64Gi"}), "deserved": spec{"cpu": "0"}},
		"all that fit": {"capability": manyAmounts(64), "deserved": manyAmounts(64),
			"guarantee": guarantee(manyAmounts(64))},
		"another parent": {"parent": "root", "weight": int64(65535)},
		"the reservation design's": {"guarantee": spec{"policy": "Guaranteed",
			"percentage": spec{"dimensions": []any{"cpu"}, "value": 0.25}}},
		"half of the nodes": {"guarantee": percentage(0.5, "cpu", "nvidia.com/gpu",
			"hugepages-2Mi", "ephemeral-storage", "memory", "pods")},
		"the policy that is the default":  {"guarantee": spec{"policy": "Best-Effort"}},
		"the same spelt without a hyphen": {"guarantee": spec{"policy": "BestEffort"}},
		"Volcano's": {"weight": int64(1), "reclaimable": true, "type": "x",
			"capability":     spec{"cpu": "8", "pods": int64(100)},
			"extendClusters": []any{spec{"name": "x", "weight": int64(1)}}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := e.Dynamic.Resource(harness.Queues).Create(e.Context,
				harness.NewQueue(e.Namespace, each), dryRun)
			e.Must(err)
		})
	}
}

// refusedSoon attempts it, without effect, until it is refused: policies hear of other objects a
// moment later. What was written meanwhile would not be judged again, since it changes nothing.
func refusedSoon(e *harness.Env, attempt func() error, words ...string) {
	e.Helper()
	var last error
	e.Await(harness.Soon, func() error {
		if last = attempt(); last == nil {
			return errors.NewBadRequest("it is not refused")
		}
		return nil
	})
	refused(e.TB.(*testing.T), last, words...)
}

func TestAChildIsNotGuaranteedMoreThanItsParent(t *testing.T) {
	e := cluster.Begin(t)
	parent, child := e.Namespace+"-parent", e.Namespace+"-child"
	e.CreateObject(harness.NewQueue(parent, spec{
		"capability": spec{"cpu": "16", "memory": "64Gi"},
		"guarantee":  guarantee(spec{"cpu": "8"})}))
	queues := e.Dynamic.Resource(harness.Queues)
	tried := func(child, parent string, amounts spec) func() error {
		return func() error {
			_, err := queues.Create(e.Context, harness.NewQueue(child,
				spec{"parent": parent, "guarantee": guarantee(amounts)}), dryRun)
			return err
		}
	}
	refusedSoon(e, tried(child, parent, spec{"cpu": "9"}), child, parent, "cpu 9 is more than 8")
	refusedSoon(e, tried(child, parent, spec{"cpu": int64(8), "memory": "65Gi"}),
		"memory 65Gi is more than 64Gi")
	e.Must(tried(child, parent, spec{"cpu": "8", "memory": "64Gi", "nvidia.com/gpu": "1"})())

	// The policy is to judge also what costs most to judge: what fails is let in.
	many := manyAmounts(64)
	for name := range many {
		many[name] = "2"
	}
	wide := e.Namespace + "-wide"
	e.CreateObject(harness.NewQueue(wide, spec{"capability": manyAmounts(64)}))
	refusedSoon(e, tried(child, wide, many), "queue-parents.berth.dev")

	e.CreateObject(harness.NewQueue(child,
		spec{"parent": parent, "guarantee": guarantee(spec{"cpu": "8"})}))
	changed := func(change spec) func() error {
		return func() error { return e.ChangeQueue(parent, change, meta.DryRunAll) }
	}
	lowered := changed(spec{"guarantee": guarantee(spec{"cpu": "7"})})
	refusedSoon(e, lowered, child, parent, "cpu 8 is more than 7")
	refusedSoon(e, changed(spec{"parent": child}), "spec.parent must not be a queue below it")
	e.Must(e.ChangeQueue(child, spec{"guarantee": guarantee(spec{"cpu": "6"})}))
	e.Await(harness.Soon, lowered)
}

func TestDefaultAndRootAreNotDeleted(t *testing.T) {
	e := cluster.Begin(t)
	queues := e.Dynamic.Resource(harness.Queues)
	_, err := queues.Create(e.Context, harness.NewQueue("root", spec{}), meta.CreateOptions{})
	e.Must(err)
	deletion := func(options meta.DeleteOptions) func() error {
		return func() error { return queues.Delete(e.Context, "root", options) }
	}
	refusedSoon(e, deletion(meta.DeleteOptions{DryRun: dryRun.DryRun}),
		`"root" is not to be deleted`, "queue-deletion.berth.dev")

	binding := e.Client.AdmissionregistrationV1().ValidatingAdmissionPolicyBindings()
	e.Must(binding.Delete(e.Context, "queue-deletion.berth.dev", meta.DeleteOptions{}))
	e.Await(harness.Soon, deletion(meta.DeleteOptions{}))
	e.Must(e.InstallAdmission(e.Context, e.Policies()))
}

// as is a client of a user who may write queues.
func as(e *harness.Env, user string, groups ...string) dynamic.ResourceInterface {
	e.Helper()
	config := rest.CopyConfig(e.Admin)
	config.Impersonate = rest.ImpersonationConfig{UserName: user,
		Groups: append(groups, "system:authenticated")}
	client, err := dynamic.NewForConfig(config)
	e.Must(err)
	return client.Resource(harness.Queues)
}

// allow binds the verbs on queues to a group while the test runs.
func allow(e *harness.Env, group string, verbs ...string) {
	e.Helper()
	allowOn(e, e.Namespace+"-"+group, group, "", verbs...)
}

// allowOn makes a role and its binding, both called name. An empty queue stands for all.
func allowOn(e *harness.Env, name, group, queue string, verbs ...string) {
	e.Helper()
	rule := rbac.PolicyRule{APIGroups: []string{harness.GroupVersion.Group},
		Resources: []string{"queues"}, Verbs: verbs}
	if queue != "" {
		rule.ResourceNames = []string{queue}
	}
	allowRules(e, name, rbac.Subject{APIGroup: rbac.GroupName, Kind: "Group", Name: group}, rule)
	awaitRight(e, group, authorization.ResourceAttributes{Verb: verbs[0],
		Group: harness.GroupVersion.Group, Resource: "queues", Name: queue})
}

// allowRules makes a role and its binding, both called name, while the test runs.
func allowRules(e *harness.Env, name string, subject rbac.Subject, rules ...rbac.PolicyRule) {
	e.Helper()
	roles, bindings := e.Client.RbacV1().ClusterRoles(), e.Client.RbacV1().ClusterRoleBindings()
	_, err := roles.Create(e.Context, &rbac.ClusterRole{
		ObjectMeta: meta.ObjectMeta{Name: name}, Rules: rules}, meta.CreateOptions{})
	e.Must(err)
	_, err = bindings.Create(e.Context, &rbac.ClusterRoleBinding{
		ObjectMeta: meta.ObjectMeta{Name: name},
		RoleRef:    rbac.RoleRef{APIGroup: rbac.GroupName, Kind: "ClusterRole", Name: name},
		Subjects:   []rbac.Subject{subject},
	}, meta.CreateOptions{})
	e.Must(err)
	e.Cleanup(func() {
		e.Must(bindings.Delete(context.Background(), name, meta.DeleteOptions{}))
		e.Must(roles.Delete(context.Background(), name, meta.DeleteOptions{}))
	})
}

// awaitRight waits until the API server has heard of a new binding.
func awaitRight(e *harness.Env, group string, right authorization.ResourceAttributes) {
	e.Helper()
	e.Await(harness.Soon, func() error {
		review, err := e.Client.AuthorizationV1().SubjectAccessReviews().Create(e.Context,
			&authorization.SubjectAccessReview{Spec: authorization.SubjectAccessReviewSpec{
				User: "somebody", Groups: []string{group}, ResourceAttributes: &right}},
			meta.CreateOptions{})
		if err == nil && !review.Status.Allowed {
			err = errors.NewBadRequest(group + " may not yet")
		}
		return err
	})
}

// limit makes a ConfigMap of guarantee limits while the test runs.
func limit(e *harness.Env, name string, data map[string]string) {
	e.Helper()
	maps := e.Client.CoreV1().ConfigMaps(harness.Namespace)
	_, err := maps.Create(e.Context, &core.ConfigMap{ObjectMeta: meta.ObjectMeta{
		Name: name, Labels: map[string]string{"berth.dev/guarantee-limits": "true"}},
		Data: data}, meta.CreateOptions{})
	e.Must(err)
	e.Cleanup(func() { e.Must(maps.Delete(context.Background(), name, meta.DeleteOptions{})) })
}

func TestGuaranteesAreLimitedByUser(t *testing.T) {
	e := cluster.Begin(t)
	allow(e, "users", "create", "update", "patch", "get")
	allow(e, "trusted", "reserve-unlimited")
	user, trusted := as(e, "ann", "users"), as(e, "tom", "users", "trusted")
	team := as(e, "eve", "users", "team")
	tried := func(who dynamic.ResourceInterface, wanted spec) func() error {
		return func() error {
			_, err := who.Create(e.Context, harness.NewQueue(e.Namespace, wanted), dryRun)
			return err
		}
	}
	much := spec{"guarantee": guarantee(spec{"cpu": "17", "nvidia.com/gpu": int64(5)})}
	e.Await(harness.Soon, tried(user, much)) // nothing is limited, and roles take a moment

	limit(e, "limits", map[string]string{"cpu": "16", "nvidia.com_gpu": "4", "percentage": "0.1"})
	refusedSoon(e, tried(user, much), "cpu 17 is more than 16", "nvidia.com/gpu 5 is more than 4",
		"ConfigMap berth-system/limits", `"reserve-unlimited"`, "an administrator may")
	refused(t, tried(user, spec{"guarantee": spec{"percentage": spec{"value": 0.2}}})(),
		"0.2 is more than 0.1")
	e.Must(tried(user, spec{"guarantee": spec{"resource": spec{"cpu": "16", "memory": "1Ti"},
		"percentage": spec{"value": 0.1}}})())
	e.Must(tried(trusted, much)())

	limit(e, "limits-of-the-team", map[string]string{"group": "team", "parent": "research",
		"cpu": "8"})
	small := guarantee(spec{"cpu": "9"})
	refusedSoon(e, tried(team, spec{"guarantee": small, "parent": "research"}),
		"cpu 9 is more than 8", "limits-of-the-team")
	refused(t, tried(team, spec{"parent": "research",
		"guarantee": spec{"percentage": spec{"value": 0.05}}})(), "0.05 is more than 0")
	refused(t, tried(team, spec{"guarantee": guarantee(spec{"cpu": "1"})})(),
		`spec.parent must be "research"`)
	e.Must(tried(user, spec{"guarantee": small})())

	limit(e, "limits-with-a-mistake", map[string]string{"user": "ann", "memory": "2 GB"})
	refusedSoon(e, tried(user, spec{"guarantee": small}), "limits-with-a-mistake",
		`memory "2 GB"`)
	e.Must(tried(user, spec{"weight": int64(2)})())
}

// A user may lower what an administrator has given, and change the rest.
func TestWhatIsBeyondTheLimitMayShrink(t *testing.T) {
	e := cluster.Begin(t)
	allow(e, "users", "create", "update", "patch", "get")
	user := as(e, "ann", "users")
	limit(e, "limits", map[string]string{"cpu": "16"})
	e.CreateObject(harness.NewQueue(e.Namespace, spec{"guarantee": guarantee(spec{"cpu": "40"})}))
	changed := func(change spec, dryRun ...string) func() error {
		return func() error {
			return harness.PatchQueue(e.Context, user, e.Namespace, change, dryRun...)
		}
	}
	refusedSoon(e, changed(spec{"guarantee": guarantee(spec{"cpu": "41"})}, meta.DryRunAll),
		"cpu 41 is more than 16")
	e.Must(changed(spec{"weight": int64(3)})())
	e.Must(changed(spec{"guarantee": guarantee(spec{"cpu": "39"})})())
	refused(t, changed(spec{"guarantee": guarantee(spec{"cpu": "40"})})(), "cpu 40 is more than 16")
}

// For clusters whose rules cannot compare amounts.
func TestDefinitionsWithoutRulesAreAccepted(t *testing.T) {
	e := cluster.Begin(t)
	objects, err := e.Kustomize(harness.Deploy("crds-without-rules"))
	e.Must(err)
	e.Must(e.TryApply(e.Context, objects))
	for _, object := range objects {
		if text, _ := object.MarshalJSON(); strings.Contains(string(text), "x-kubernetes-valid") {
			t.Errorf("%s has rules", object.GetName())
		}
	}
}
