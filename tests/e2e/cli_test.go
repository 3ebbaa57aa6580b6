package e2e

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	rbac "k8s.io/api/rbac/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/e2e/harness"
)

// The commands that ask the API server, as a user with the role `view` in one namespace. The roles
// reach `view` by kube-controller-manager, as in any cluster.

// says runs a command until it succeeds and its output has all words.
func says(e *harness.Env, user *harness.User, command string, words ...string) {
	e.Helper()
	lacks := func(output string, err error) bool {
		return err != nil || slices.ContainsFunc(words, func(word string) bool {
			return !strings.Contains(output, word)
		})
	}
	output, err := user.Runs(e.Context, command)
	for end := time.Now().Add(harness.Soon); lacks(output, err) && time.Now().Before(end); {
		time.Sleep(200 * time.Millisecond)
		output, err = user.Runs(e.Context, command)
	}
	if lacks(output, err) {
		e.Fatalf("%s: %v\n%s\nexpected: %q", command, err, output, words)
	}
}

// refuses runs a command that ends with that status, and expects the words.
func refuses(e *harness.Env, user *harness.User, status, command string, words ...string) {
	e.Helper()
	output, err := user.Runs(e.Context, command)
	if err == nil || !strings.Contains(err.Error(), "exit status "+status) {
		e.Errorf("%s: %v, expected exit status %s\n%s", command, err, status, output)
	}
	for _, word := range words {
		if !strings.Contains(output, word) {
			e.Errorf("%s does not say %q:\n%s", command, word, output)
		}
	}
}

func TestAUserWithViewAsksWhy(t *testing.T) {
	cluster.StartControllers(t)
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	e.AddNodes(1, "4")
	ada := e.User("ada", "view")
	e.CreateObject(harness.NewQueue("shown-to-ada", spec{"weight": int64(3)}))
	e.CreateGang("runs", 2, 2, func(pod harness.PodBuilder) harness.PodBuilder { return pod.CPU("1") })
	e.AwaitBound("runs", 2, harness.Soon)
	e.CreateGang("waits", 4, 4, func(pod harness.PodBuilder) harness.PodBuilder { return pod.CPU("1") })

	says(e, ada, "berth why waits -o wide", e.Namespace+"/waits (PodGroup", "waits since",
		"of 4 members could be placed", "queue", "default", "4 without a node; it starts with 4",
		"podgroup waits: Unschedulable")
	says(e, ada, "kubectl berth why pod/runs-0 -o wide", "/runs (PodGroup", "runs")
	says(e, ada, "kubectl berth jobs -o table", "runs", "waits", "0/4", "2/2")
	says(e, ada, "kubectl berth jobs --waiting -o json", `"kind": "Jobs"`, `"name": "waits"`)
	refuses(e, ada, "4", "berth why wiats", `did you mean "waits"?`)
	asJSON(e, ada)
	// kubectl finds the plugin's completion beside it.
	says(e, ada, "PATH=$PWD/scripts:$PATH kubectl __complete berth wh", "why")
	says(e, ada, "PATH=$PWD/scripts:$PATH kubectl __complete berth why wai", "waits", ":4")

	// Not in another namespace, and not the queues of all.
	refuses(e, ada, "3", "berth jobs -n kube-system", `user "ada" may not list`,
		"in namespace kube-system", "kubectl create rolebinding -n kube-system",
		"--clusterrole=view --user=ada")
	refuses(e, ada, "3", "berth why -n kube-system job/x", "may not list podgroups")
	refuses(e, ada, "3", "berth jobs -A", "clusterrolebinding")
	says(e, ada, "berth queues -o table", "--clusterrole=berth-queues-view --user=ada", "WAITING",
		"default")

	grantQueues(e, "ada")
	says(e, ada, "berth queues -o json", `"partial": true`, `"queue": "shown-to-ada"`, `"weight": 3`)
	// Who may look may not change.
	if output, err := ada.Runs(e.Context, "kubectl delete podgroup waits"); err == nil {
		t.Errorf("view deletes a PodGroup: %s", output)
	}
	eve := e.User("eve", "edit")
	if output, err := eve.Runs(e.Context, "kubectl delete podgroup waits"); err != nil {
		t.Errorf("edit deletes no PodGroup: %v\n%s", err, output)
	}
	if output, err := eve.Runs(e.Context, "kubectl get queues"); err == nil {
		t.Errorf("edit in a namespace lists the queues: %s", output)
	}
}

func asJSON(e *harness.Env, user *harness.User) {
	e.Helper()
	output, err := user.Runs(e.Context, "berth why waits")
	e.Must(err)
	var answer struct {
		APIVersion, Kind string
		Jobs             []struct {
			State, Queue, Reason string
			Pods                 struct{ All, Waiting int }
			Events               []struct{ Reason string }
		}
	}
	e.Must(json.Unmarshal([]byte(output), &answer))
	if answer.APIVersion != "berth.dev/v1" || answer.Kind != "Why" || len(answer.Jobs) != 1 ||
		answer.Jobs[0].State != "waits" || answer.Jobs[0].Queue != "default" ||
		answer.Jobs[0].Reason == "" || answer.Jobs[0].Pods.Waiting != 4 ||
		len(answer.Jobs[0].Events) == 0 {
		e.Errorf("why says %s", output)
	}
}

func grantQueues(e *harness.Env, user string) {
	e.Helper()
	binding := &rbac.ClusterRoleBinding{
		ObjectMeta: meta.ObjectMeta{Name: e.Namespace + "-queues"},
		RoleRef: rbac.RoleRef{APIGroup: rbac.GroupName, Kind: "ClusterRole",
			Name: "berth-queues-view"},
		Subjects: []rbac.Subject{{APIGroup: rbac.GroupName, Kind: "User", Name: user}},
	}
	bindings := e.Client.RbacV1().ClusterRoleBindings()
	_, err := bindings.Create(e.Context, binding, meta.CreateOptions{})
	e.Must(err)
	e.Cleanup(func() { e.Must(bindings.Delete(e.Context, binding.Name, meta.DeleteOptions{})) })
}

// Pods of a Job that are jobs of their own start in part; the answer says so, and how to have it
// otherwise.
func TestWhyMeetsAJobThatIsPlannedPodByPod(t *testing.T) {
	cluster.StartControllers(t)
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	e.AddNodes(1, "2")
	ada := e.User("ada", "view")
	e.CreateJob(e.NewJob("training", 4).Build())
	says(e, ada, "kubectl berth why job/training -o wide",
		"Job training is planned pod by pod: 2 pods run, 2 wait", "berth.dev/gang: all")
}
