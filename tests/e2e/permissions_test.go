package e2e

import (
	"fmt"
	"testing"

	authorization "k8s.io/api/authorization/v1"
	rbac "k8s.io/api/rbac/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"berth.dev/berth/tests/e2e/harness"
)

// What users without rights try, by the policies of deploy/admission/permissions. They may do
// anything in the test's namespace, and nothing else.

// asUser is a client of a user of these groups.
func asUser(e *harness.Env, user string, groups ...string) dynamic.Interface {
	e.Helper()
	config := rest.CopyConfig(e.Admin)
	config.Impersonate = rest.ImpersonationConfig{UserName: user,
		Groups: append(groups, "system:authenticated")}
	client, err := dynamic.NewForConfig(config)
	e.Must(err)
	return client
}

// allowInNamespace lets a group do everything in the test's namespace.
func allowInNamespace(e *harness.Env, group string) {
	e.Helper()
	_, err := e.Client.RbacV1().RoleBindings(e.Namespace).Create(e.Context, &rbac.RoleBinding{
		ObjectMeta: meta.ObjectMeta{Name: group},
		RoleRef:    rbac.RoleRef{APIGroup: rbac.GroupName, Kind: "ClusterRole", Name: "cluster-admin"},
		Subjects:   []rbac.Subject{{APIGroup: rbac.GroupName, Kind: "Group", Name: group}},
	}, meta.CreateOptions{})
	e.Must(err)
	awaitRight(e, group, authorization.ResourceAttributes{Verb: "create", Namespace: e.Namespace,
		Group: harness.PodGroups.Group, Resource: harness.PodGroups.Resource})
}

// allowQueue gives a group a verb on one queue while the test runs.
func allowQueue(e *harness.Env, group, verb, queue string) {
	e.Helper()
	allowOn(e, e.Namespace+"-"+group+"-"+verb, group, queue, verb)
}

var resources = map[string]schema.GroupVersionResource{
	"Pod":                   {Version: "v1", Resource: "pods"},
	"ReplicationController": {Version: "v1", Resource: "replicationcontrollers"},
	"Job":                   {Group: "batch", Version: "v1", Resource: "jobs"},
	"CronJob":               {Group: "batch", Version: "v1", Resource: "cronjobs"},
	"Deployment":            {Group: "apps", Version: "v1", Resource: "deployments"},
	"ReplicaSet":            {Group: "apps", Version: "v1", Resource: "replicasets"},
	"StatefulSet":           {Group: "apps", Version: "v1", Resource: "statefulsets"},
	"DaemonSet":             {Group: "apps", Version: "v1", Resource: "daemonsets"},
	"PodGroup":              harness.PodGroups,
}

// parsed is the object of a manifest, with a name that it does not say itself.
func parsed(e *harness.Env, manifest string) *unstructured.Unstructured {
	e.Helper()
	object := &unstructured.Unstructured{}
	e.Must(yaml.Unmarshal([]byte(manifest), &object.Object))
	if object.GetName() == "" {
		object.SetName("x")
	}
	object.SetNamespace(e.Namespace)
	return object
}

func creating(e *harness.Env, who dynamic.Interface, manifest string, options meta.CreateOptions,
) func() error {
	object := parsed(e, manifest)
	return func() error {
		_, err := who.Resource(resources[object.GetKind()]).Namespace(e.Namespace).Create(e.Context,
			object, options)
		return err
	}
}

func patching(e *harness.Env, who dynamic.Interface, kind, name, change string) func() error {
	return func() error {
		_, err := who.Resource(resources[kind]).Namespace(e.Namespace).Patch(e.Context, name,
			types.MergePatchType, []byte(change), meta.PatchOptions{})
		return err
	}
}

// A pod's spec in JSON, for Berth.
const podSpec = `{schedulerName: berth, containers: [{name: c, image: i}]`

// madeOf has one manifest for each kind that makes pods: these annotations are on the pods.
func madeOf(annotations, scheduler string) map[string]string {
	spec := `{schedulerName: ` + scheduler + `, containers: [{name: c, image: i}]`
	once := `{metadata: {labels: {a: b}, annotations: ` + annotations + `}, spec: ` + spec +
		`, restartPolicy: Never}}`
	always := `{metadata: {labels: {a: b}, annotations: ` + annotations + `}, spec: ` + spec + `}}`
	apps := `, spec: {selector: {matchLabels: {a: b}}, template: ` + always + `}}`
	return map[string]string{
		"Pod": `{apiVersion: v1, kind: Pod, metadata: {annotations: ` + annotations + `}, spec: ` +
			spec + `}}`,
		"Job": `{apiVersion: batch/v1, kind: Job, spec: {template: ` + once + `}}`,
		"CronJob": `{apiVersion: batch/v1, kind: CronJob, spec: {schedule: "0 0 * * *",
			jobTemplate: {spec: {template: ` + once + `}}}}`,
		"Deployment":  `{apiVersion: apps/v1, kind: Deployment` + apps,
		"ReplicaSet":  `{apiVersion: apps/v1, kind: ReplicaSet` + apps,
		"StatefulSet": `{apiVersion: apps/v1, kind: StatefulSet` + apps,
		"DaemonSet":   `{apiVersion: apps/v1, kind: DaemonSet` + apps,
		"ReplicationController": `{apiVersion: v1, kind: ReplicationController, spec: {template: ` +
			always + `}}`,
	}
}

func podGroup(annotations, queue string) string {
	return fmt.Sprintf(`{apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup, metadata:
		{annotations: %s}, spec: {minMember: 2, queue: %q}}`, annotations, queue)
}

// Issue 14, part 3 (b).
func TestATargetIsNamedOnlyByThoseWhoMay(t *testing.T) {
	e := cluster.Begin(t)
	allowInNamespace(e, "users")
	mine, theirs := e.Namespace+"-mine", e.Namespace+"-theirs"
	allowQueue(e, "leads", "reserve", mine)
	user, lead := asUser(e, "ann", "users"), asUser(e, "tom", "users", "leads")
	named := func(queue string) string {
		return `{berth.dev/target: "true", scheduling.volcano.sh/queue-name: "` + queue + `"}`
	}
	e.Await(harness.Soon, creating(e, lead, podGroup(named(""), mine), dryRun))
	refusedSoon(e, creating(e, user, podGroup(named(""), mine), dryRun), `"reserve"`)

	for kind, manifest := range madeOf(named(mine), "berth") {
		t.Run(kind, func(t *testing.T) {
			refused(t, creating(e, user, manifest, dryRun)(), `queues.scheduling.volcano.sh "`+mine+`"`, `"reserve"`,
				`user "ann"`, "reserve.berth.dev")
			e.Must(creating(e, lead, manifest, dryRun)())
			refused(t, creating(e, lead, madeOf(named(theirs), "berth")[kind], dryRun)(),
				`queues.scheduling.volcano.sh "`+theirs+`"`, `user "tom"`)
			// Without a queue of its own it is in the default one.
			for _, none := range []string{"", `, scheduling.volcano.sh/queue-name: " "`} {
				refused(t, creating(e, lead, madeOf(`{berth.dev/target: "true"`+none+`}`, "berth")[kind],
					dryRun)(), `"default"`)
			}
			e.Must(creating(e, user, madeOf(`{berth.dev/target: "false"}`, "berth")[kind], dryRun)())
		})
	}
	for name, annotations := range map[string]string{
		"by name": `{berth.dev/target: "true"}`, "as elected": `{berth.dev/target: elected}`,
		"since long": `{berth.dev/target-since: "2026-01-01T00:00:00Z"}`} {
		t.Run("PodGroup "+name, func(t *testing.T) {
			refused(t, creating(e, user, podGroup(annotations, mine), dryRun)(), `"reserve"`)
			refused(t, creating(e, lead, podGroup(annotations, theirs), dryRun)(), `"reserve"`)
			e.Must(creating(e, lead, podGroup(annotations, mine), dryRun)())
		})
	}
	// A group's queue is that of its spec, else of this annotation alone.
	refused(t, creating(e, lead, podGroup(`{berth.dev/target: "true", volcano.sh/queue-name: `+mine+
		`}`, ""), dryRun)(), `"default"`)
	e.Must(creating(e, lead, podGroup(named(mine), ""), dryRun)())
}

func TestATargetIsNotNamedLater(t *testing.T) {
	e := cluster.Begin(t)
	allowInNamespace(e, "users")
	mine, theirs := e.Namespace+"-mine", e.Namespace+"-theirs"
	allowQueue(e, "leads", "reserve", mine)
	user, lead := asUser(e, "ann", "users"), asUser(e, "tom", "users", "leads")
	e.Await(harness.Soon, creating(e, lead, podGroup(`{berth.dev/target: "true"}`, mine), dryRun))
	refusedSoon(e, creating(e, user, podGroup(`{berth.dev/target: "true"}`, mine), dryRun), `"reserve"`)
	e.Must(creating(e, user, podGroup(`{}`, mine), meta.CreateOptions{})())
	queueOfPods := `{scheduling.volcano.sh/queue-name: ` + mine + `}`
	for _, kind := range []string{"Pod", "Job"} {
		e.Must(creating(e, user, madeOf(queueOfPods, "nobodys")[kind], meta.CreateOptions{})())
	}
	const name = `{"metadata":{"annotations":{"berth.dev/target":"true"}}}`
	for _, kind := range []string{"PodGroup", "Pod", "Job"} {
		refused(t, patching(e, user, kind, "x", name)(), `"reserve"`, `user "ann"`)
	}
	for _, kind := range []string{"PodGroup", "Pod"} {
		e.Must(patching(e, lead, kind, "x", name)())
	}
	// What is there stays, and may be changed and taken back by anybody who may write it.
	e.Must(patching(e, user, "PodGroup", "x", `{"metadata":{"labels":{"a":"b"}}}`)())
	// Another queue needs the right to that one.
	refused(t, patching(e, user, "PodGroup", "x", `{"spec":{"queue":"`+theirs+`"}}`)(),
		`queues.scheduling.volcano.sh "`+theirs+`"`)
	refused(t, patching(e, lead, "Pod", "x", `{"metadata":{"annotations":{`+
		`"scheduling.volcano.sh/queue-name":"`+theirs+`"}}}`)(), `queues.scheduling.volcano.sh "`+theirs+`"`)
	e.Must(patching(e, user, "PodGroup", "x",
		`{"metadata":{"annotations":{"berth.dev/target":null}}}`)())
	refused(t, patching(e, user, "PodGroup", "x", name)(), `"reserve"`)
}

// Who may write a status or bind a pod writes annotations with it.
func TestATargetIsNotNamedByAStatus(t *testing.T) {
	e := cluster.Begin(t)
	allowInNamespace(e, "users")
	user := asUser(e, "ann", "users")
	refusedSoon(e, creating(e, user, podGroup(`{berth.dev/target: "true"}`, "default"), dryRun),
		`"reserve"`)
	const name = `{"metadata":{"annotations":{"berth.dev/target":"true"}}}`
	for kind, manifest := range madeOf(`{}`, "nobodys") {
		e.Must(creating(e, user, manifest, meta.CreateOptions{})())
		objects := user.Resource(resources[kind]).Namespace(e.Namespace)
		write := func(patch string) error {
			_, err := objects.Patch(e.Context, "x", types.MergePatchType, []byte(patch),
				meta.PatchOptions{}, "status")
			return err
		}
		refused(t, write(name), `"reserve"`, `user "ann"`)
		e.Must(write(`{"metadata":{"annotations":{"a":"b"}}}`))
	}
	binding := parsed(e, `{apiVersion: v1, kind: Binding, metadata: {annotations: {
		berth.dev/target: "true"}}, target: {kind: Node, name: n1}}`)
	_, err := user.Resource(resources["Pod"]).Namespace(e.Namespace).Create(e.Context, binding,
		meta.CreateOptions{}, "binding")
	refused(t, err, `"reserve"`, `user "ann"`)
}

// Controllers make pods of templates that were checked; nobody passes for one.
func TestPodsOfCheckedTemplatesAreMade(t *testing.T) {
	e := cluster.Begin(t)
	allowInNamespace(e, "users")
	owned := `{apiVersion: v1, kind: Pod, metadata: {annotations: {berth.dev/target: "true"},
		ownerReferences: [{apiVersion: batch/v1, kind: Job, name: j, uid: u, controller: true}]},
		spec: ` + podSpec + `}}`
	user := asUser(e, "ann", "users")
	refusedSoon(e, creating(e, user, owned, dryRun), `"reserve"`)
	const accounts = "system:serviceaccounts"
	jobs := asUser(e, "system:serviceaccount:kube-system:job-controller", accounts)
	e.Must(creating(e, jobs, owned, dryRun)())
	refused(t, creating(e, jobs, madeOf(`{berth.dev/target: "true"}`, "berth")["Pod"], dryRun)(),
		`"reserve"`)
	// An operator's account needs the right.
	operator := asUser(e, "system:serviceaccount:"+e.Namespace+":operator", accounts, "users")
	refused(t, creating(e, operator, owned, dryRun)(), `"reserve"`)
	allowQueue(e, accounts+":"+e.Namespace, "reserve", "default")
	trusted := asUser(e, "system:serviceaccount:"+e.Namespace+":operator", accounts,
		accounts+":"+e.Namespace, "users")
	e.Await(harness.Soon, creating(e, trusted, owned, dryRun))
}

// Issue 14, part 3 (a).
func TestQueuesAreForTheirNamespaces(t *testing.T) {
	e := cluster.Begin(t)
	allowInNamespace(e, "users")
	user := asUser(e, "ann", "users")
	label := func(team string) {
		_, err := e.Client.CoreV1().Namespaces().Patch(e.Context, e.Namespace, types.MergePatchType,
			[]byte(`{"metadata":{"labels":{"team":"`+team+`"}}}`), meta.PatchOptions{})
		e.Must(err)
	}
	label("web")
	byField, byText := e.Namespace+"-field", e.Namespace+"-text"
	e.CreateObject(harness.NewQueue(byField, spec{"namespaceSelector": spec{
		"matchLabels": spec{"team": "ml"}, "matchExpressions": []any{
			spec{"key": "old", "operator": "DoesNotExist"},
			spec{"key": "team", "operator": "In", "values": []any{"ml", "vision"}},
			spec{"key": "team", "operator": "NotIn", "values": []any{"web"}},
			spec{"key": "kubernetes.io/metadata.name", "operator": "Exists"}}}}))
	text := harness.NewQueue(byText, spec{})
	text.SetAnnotations(map[string]string{"berth.dev/namespaces": "team in (ml, vision),!old," +
		"team!=web, kubernetes.io/metadata.name,team notin (a,b)"})
	e.CreateObject(text)
	for _, queue := range []string{byField, byText} {
		annotations := `{scheduling.volcano.sh/queue-name: ` + queue + `}`
		words := []string{`namespace "` + e.Namespace + `" may not use queue "` + queue + `"`,
			"name another queue"}
		label("web")
		refusedSoon(e, creating(e, user, podGroup(`{}`, queue), dryRun), words...)
		refused(t, creating(e, user, podGroup(annotations, ""), dryRun)(), words...)
		e.Must(creating(e, user, podGroup(annotations, "default"), dryRun)())
		for _, kind := range []string{"Pod", "Job", "CronJob", "Deployment", "StatefulSet"} {
			refused(t, creating(e, user, madeOf(annotations, "berth")[kind], dryRun)(), words...)
			// Another scheduler's queue may have the same name.
			e.Must(creating(e, user, madeOf(annotations, "nobodys")[kind], dryRun)())
		}
		e.Must(creating(e, user, podGroup(`{}`, "default"), meta.CreateOptions{})())
		moved := patching(e, user, "PodGroup", "x", `{"spec":{"queue":"`+queue+`"}}`)
		refused(t, moved(), words...)
		label("ml")
		e.Await(harness.Soon, moved)
		e.Must(creating(e, user, madeOf(annotations, "berth")["Job"], dryRun)())
		// A namespace that loses the right can still change what is there.
		label("web")
		refusedSoon(e, creating(e, user, madeOf(annotations, "berth")["Job"], dryRun), words...)
		e.Must(patching(e, user, "PodGroup", "x", `{"metadata":{"labels":{"a":"b"}}}`)())
		e.Must(e.Dynamic.Resource(harness.PodGroups).Namespace(e.Namespace).Delete(e.Context, "x",
			meta.DeleteOptions{}))
	}
}

func TestQueueSelectorsMustBeSelectors(t *testing.T) {
	e := cluster.Begin(t)
	_, err := e.Dynamic.Resource(harness.Queues).Create(e.Context, harness.NewQueue(e.Namespace,
		spec{"namespaceSelector": spec{"matchExpressions": []any{
			spec{"key": "n", "operator": "Gt", "values": []any{"3"}}}}}), dryRun)
	refused(t, err, "spec.namespaceSelector.matchExpressions[0].operator", "NotIn")
}

// Issue 14, part 3 (c).
func TestNobodyGoesRoundBerthWhereItIsRequired(t *testing.T) {
	e := cluster.Begin(t)
	allowInNamespace(e, "users")
	allowQueue(e, "operators", "bypass", "")
	user, operator := asUser(e, "ann", "users"), asUser(e, "tom", "users", "operators")
	other := madeOf(`{}`, "default-scheduler")
	e.Must(creating(e, user, other["Pod"], dryRun)())
	_, err := e.Client.CoreV1().Namespaces().Patch(e.Context, e.Namespace, types.MergePatchType,
		[]byte(`{"metadata":{"labels":{"berth.dev/required":"true"}}}`), meta.PatchOptions{})
	e.Must(err)
	words := []string{`expected spec.schedulerName "berth"`, "required-namespaces.berth.dev"}
	refusedSoon(e, creating(e, user, other["Pod"], dryRun), words...)
	e.Must(creating(e, user, madeOf(`{}`, "berth")["Pod"], dryRun)())
	refused(t, creating(e, user, madeOf(`{}`, "mine")["Pod"], dryRun)(), `and not "mine"`)
	bound := `{apiVersion: v1, kind: Pod, spec: {nodeName: n1, ` + podSpec[1:] + `}}`
	refused(t, creating(e, user, bound, dryRun)(), `no spec.nodeName, which is "n1"`)
	// Who says that it is a DaemonSet's must be its controller.
	owned := func(version, kind string) string {
		return `{apiVersion: v1, kind: Pod, metadata: {ownerReferences: [{apiVersion: ` + version +
			`, kind: ` + kind + `, name: d, uid: u, controller: true}]}, spec: {` +
			`containers: [{name: c, image: i}]}}`
	}
	refused(t, creating(e, user, owned("apps/v1", "DaemonSet"), dryRun)(), words...)
	const accounts = "system:serviceaccounts"
	daemons := asUser(e, "system:serviceaccount:kube-system:daemon-set-controller", accounts)
	e.Must(creating(e, daemons, owned("apps/v1", "DaemonSet"), dryRun)())
	refused(t, creating(e, daemons, owned("example.com/v1", "DaemonSet"), dryRun)(), words...)
	replicas := asUser(e, "system:serviceaccount:kube-system:replicaset-controller", accounts)
	refused(t, creating(e, replicas, owned("apps/v1", "ReplicaSet"), dryRun)(), words...)
	// Not by way of a controller that may do everything, either.
	refused(t, creating(e, e.Dynamic, owned("apps/v1", "ReplicaSet"), dryRun)(), words...)
	refused(t, creating(e, user, other["DaemonSet"], dryRun)(), `"bypass"`, `user "ann"`)
	for _, kind := range []string{"Pod", "DaemonSet"} {
		e.Must(creating(e, operator, other[kind], dryRun)())
	}
}

// The same where the API server can set the name.
func TestPodsAreBerthsWhereItIsRequired(t *testing.T) {
	e := cluster.Begin(t)
	allowInNamespace(e, "users")
	user := asUser(e, "ann", "users")
	_, err := e.Client.CoreV1().Namespaces().Patch(e.Context, e.Namespace, types.MergePatchType,
		[]byte(`{"metadata":{"labels":{"berth.dev/required":"true"}}}`), meta.PatchOptions{})
	e.Must(err)
	objects, err := e.Kustomize(harness.Deploy("admission", "required-v1"))
	e.Must(err)
	e.Must(e.Apply(e.Context, objects))
	e.Cleanup(func() {
		for _, object := range objects {
			e.Must(e.Remove(e.Context, object))
		}
	})
	e.Await(harness.Soon, creating(e, user, madeOf(`{}`, "default-scheduler")["Pod"], dryRun))
	pod, err := user.Resource(resources["Pod"]).Namespace(e.Namespace).Create(e.Context,
		parsed(e, `{apiVersion: v1, kind: Pod, spec: {containers: [{name: c, image: i}]}}`), dryRun)
	e.Must(err)
	name, _, _ := unstructured.NestedString(pod.Object, "spec", "schedulerName")
	if name != harness.SchedulerName {
		t.Errorf("the pod is of scheduler %q", name)
	}
	refusedSoon(e, creating(e, user, madeOf(`{}`, "mine")["Pod"], dryRun), `and not "mine"`)
	refused(t, creating(e, user, `{apiVersion: v1, kind: Pod, spec: {nodeName: n1, containers: [`+
		`{name: c, image: i}]}}`, dryRun)(), `no spec.nodeName, which is "n1"`)
}
