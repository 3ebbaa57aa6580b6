package e2e

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"

	core "k8s.io/api/core/v1"
	rbac "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"berth.dev/berth/tests/e2e/harness"
)

// line is a node that is full, and gangs of 4 cpu that wait for it.
type line struct{ *harness.Env }

// join makes a gang that waits in a namespace and a queue.
func (l line) join(namespace, queue, name, priority string) {
	l.Helper()
	group := harness.NewPodGroup(namespace, name, 4)
	group.Object["spec"].(map[string]any)["queue"] = queue
	group.Object["spec"].(map[string]any)["priorityClassName"] = priority
	l.CreateObject(group)
	l.Create(harness.Members(namespace, name, 4,
		func(pod harness.PodBuilder) harness.PodBuilder { return pod.Priority(priority) })...)
}

// as reads the PodGroups of a namespace as this user.
func (l line) as(user, namespace string) dynamic.ResourceInterface {
	l.Helper()
	config := rest.CopyConfig(l.Admin)
	config.Impersonate = rest.ImpersonationConfig{UserName: user,
		Groups: []string{"system:authenticated"}}
	client, err := dynamic.NewForConfig(config)
	l.Must(err)
	return client.Resource(harness.PodGroups).Namespace(namespace)
}

// letRead gives a user the right to read the PodGroups of this test's namespace, and nothing else.
func (l line) letRead(user string) {
	l.Helper()
	role := meta.ObjectMeta{Namespace: l.Namespace, Name: user}
	_, err := l.Client.RbacV1().Roles(l.Namespace).Create(l.Context, &rbac.Role{ObjectMeta: role,
		Rules: []rbac.PolicyRule{{APIGroups: []string{harness.GroupVersion.Group},
			Resources: []string{"podgroups"}, Verbs: []string{"get"}}}}, meta.CreateOptions{})
	l.Must(err)
	_, err = l.Client.RbacV1().RoleBindings(l.Namespace).Create(l.Context, &rbac.RoleBinding{
		ObjectMeta: role, RoleRef: rbac.RoleRef{APIGroup: rbac.GroupName, Kind: "Role", Name: user},
		Subjects: []rbac.Subject{{APIGroup: rbac.GroupName, Kind: "User", Name: user}},
	}, meta.CreateOptions{})
	l.Must(err)
}

// awaitWaiting waits until status.waiting of a PodGroup is there, and returns the PodGroup.
func (l line) awaitWaiting(groups dynamic.ResourceInterface,
	name string) (*unstructured.Unstructured, map[string]any) {
	l.Helper()
	var group *unstructured.Unstructured
	var waiting map[string]any
	l.Await(harness.Soon, func() (err error) {
		group, err = groups.Get(l.Context, name, meta.GetOptions{})
		if err != nil {
			return err
		}
		waiting, _, _ = unstructured.NestedMap(group.Object, "status", "waiting")
		if waiting["queuePosition"] == nil {
			return fmt.Errorf("PodGroup %q has no position: %v", name, group.Object["status"])
		}
		return nil
	})
	return group, waiting
}

// events counts the events on this test's pod.
func (l line) events(pod string) int {
	l.Helper()
	events, err := l.Client.CoreV1().Events(l.Namespace).List(l.Context, meta.ListOptions{
		FieldSelector: "reason=Unschedulable,involvedObject.kind=Pod,involvedObject.name=" + pod})
	l.Must(err)
	return len(events.Items)
}

func beginLine(t *testing.T) line {
	t.Helper()
	l := line{cluster.BeginWithBerth(t, sharing)}
	l.AddNodes(1, "4")
	l.CreateObject(harness.NewQueue("q1", spec{}))
	l.CreateObject(harness.NewQueue("q2", spec{}))
	l.CreateGangIn("q1", "busy", 4, false)
	l.AwaitBound("busy", 4, harness.Soon)
	return l
}

// A user with rights in one namespace alone reads the position of his job there, and nothing of the
// jobs of other namespaces but their number. Who looks at a pod alone reads it, too.
func TestAJobSaysItsPosition(t *testing.T) {
	l := beginLine(t)
	admin := l.Dynamic.Resource(harness.PodGroups)
	other := l.Namespace + "-x"
	_, err := l.Client.CoreV1().Namespaces().Create(l.Context,
		&core.Namespace{ObjectMeta: meta.ObjectMeta{Name: other}}, meta.CreateOptions{})
	l.Must(err)
	l.Cleanup(func() { l.Must(l.ClearNamespace(context.Background(), other)) })
	l.join(other, "q1", "theirs", l.CreatePriority("high", 30, core.PreemptNever))
	l.awaitWaiting(admin.Namespace(other), "theirs")
	l.join(l.Namespace, "q1", "first", l.CreatePriority("middle", 20, core.PreemptNever))
	l.awaitWaiting(admin.Namespace(l.Namespace), "first")
	l.join(l.Namespace, "q2", "elsewhere", l.CreatePriority("low", 10, core.PreemptNever))
	l.awaitWaiting(admin.Namespace(l.Namespace), "elsewhere")
	l.join(l.Namespace, "q1", "second", l.Namespace+"-low")

	l.letRead("scientist")
	_, err = l.as("scientist", other).Get(l.Context, "theirs", meta.GetOptions{})
	if !apierrors.IsForbidden(err) {
		t.Fatalf("the premise fails: the user reads another namespace: %v", err)
	}
	group, waiting := l.awaitWaiting(l.as("scientist", l.Namespace), "second")
	if since, _ := waiting["since"].(string); since == "" {
		t.Errorf("it does not say since when it waits: %v", waiting)
	}
	ahead := []any{"elsewhere", "first"} // queue q2 has nothing, so its job is served before
	for field, expected := range map[string]any{"queue": "q1", "queuePosition": int64(3),
		"queueWaiting": int64(3), "jobsAhead": int64(3), "jobsAheadInNamespace": int64(2),
		"aheadInNamespace": ahead} {
		if !reflect.DeepEqual(waiting[field], expected) {
			t.Errorf("%s is %v, not %v: %v", field, waiting[field], expected, waiting)
		}
	}
	text := fmt.Sprint(group.Object["status"])
	position := "3rd of 3 in queue q1, with 3 jobs ahead in all queues; " +
		"2 of those ahead are in this namespace: elsewhere, first"
	if strings.Count(text, position) != 2 || strings.Contains(text, "theirs") {
		t.Errorf("the status is %v", text)
	}
	for i := range 4 {
		l.AwaitTold("Pod", fmt.Sprintf("second-%d", i), "its job "+l.Namespace+"/second waits: ",
			position)
	}

	// The next berthd writes nothing that is there already.
	l.Berth.Kill()
	l.Must(l.Berth.Start(l.Context))
	l.Must(l.Berth.AwaitReady(l.Context))
	l.AwaitSessions(5)
	again, err := admin.Namespace(l.Namespace).Get(l.Context, "second", meta.GetOptions{})
	l.Must(err)
	if again.GetResourceVersion() != group.GetResourceVersion() {
		t.Errorf("written again after a restart: %v, before: %v", again.Object["status"],
			group.Object["status"])
	}
	if count := l.events("second-0"); count != 1 {
		t.Errorf("%d events on the pod", count)
	}

	// It starts, and has no position any more.
	l.Must(l.ClearNamespace(l.Context, other))
	for _, name := range []string{"busy", "elsewhere", "first"} {
		l.EndGang(name)
	}
	l.AwaitBound("second", 4, harness.Soon)
	l.Await(harness.Soon, func() error {
		group := l.Recorder.Group(l.Namespace, "second")
		if _, is, _ := unstructured.NestedMap(group.Object, "status", "waiting"); is {
			return fmt.Errorf("it still waits: %v", group.Object["status"])
		}
		return nil
	})
}

// A gang of many pods has events on the first of them.
func TestALargeGangHasEventsOnItsFirstPods(t *testing.T) {
	l := beginLine(t)
	l.CreateGangIn("q1", "large", 20, false)
	for i := range 16 {
		l.AwaitTold("Pod", fmt.Sprintf("large-%d", i), "its job "+l.Namespace+"/large waits: ")
	}
	l.AwaitSessions(3)
	for i := 16; i < 20; i++ {
		if count := l.events(fmt.Sprintf("large-%d", i)); count != 0 {
			t.Errorf("%d events on pod %d", count, i)
		}
	}
}
