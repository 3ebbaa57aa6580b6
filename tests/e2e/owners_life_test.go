package e2e

import (
	"fmt"
	"strings"
	"testing"

	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"berth.dev/berth/tests/e2e/harness"
)

// beginWithOwners gives the test a berthd, whose requests it can hold, and a
// kube-controller-manager.
func beginWithOwners(t *testing.T) *harness.Env {
	t.Helper()
	cluster.StartControllers(t)
	e, _ := beginBehindProxy(t)
	return e
}

func boundNamed(e *harness.Env, prefix string) int {
	return len(e.Pods(func(pod *core.Pod) bool {
		return strings.HasPrefix(pod.Name, prefix) && pod.Spec.NodeName != "" &&
			pod.Status.Phase != core.PodSucceeded
	}))
}

func awaitBoundNamed(e *harness.Env, prefix string, count int) {
	e.Helper()
	e.Await(harness.Soon, func() error {
		if bound := boundNamed(e, prefix); bound != count {
			return fmt.Errorf("%d pods %s* are bound, expected %d", bound, prefix, count)
		}
		return nil
	})
}

// Two Jobs of eight pods on twelve places: one by one, each would hold places and wait for ever.
func TestJobsThatWouldBlockEachOtherTakeTurns(t *testing.T) {
	e := beginWithOwners(t)
	e.AddNodes(3, "4")
	names := []string{"one", "two"}
	for _, name := range names {
		e.WatchOwned(name+"-", 8)
		e.CreateJob(e.NewJob(name, 8).Gang("all").Build())
	}
	e.Await(harness.Soon, func() error {
		one, two := boundNamed(e, "one-"), boundNamed(e, "two-")
		if one+two != 8 || one*two != 0 {
			return fmt.Errorf("%d pods of the one and %d of the other are bound", one, two)
		}
		return nil
	})
	if boundNamed(e, "two-") == 8 {
		names = []string{"two", "one"}
	}
	for _, name := range names {
		awaitBoundNamed(e, name+"-", 8)
		e.AwaitNamed(name+"-.*", 8)
		e.Finish(func(pod *core.Pod) bool { return strings.HasPrefix(pod.Name, name+"-") })
		e.Await(harness.Soon, func() error {
			job, err := e.Client.BatchV1().Jobs(e.Namespace).Get(e.Context, name, meta.GetOptions{})
			if err == nil && job.Status.CompletionTime == nil {
				err = fmt.Errorf("Job %q is not complete: %+v", name, job.Status)
			}
			return err
		})
	}
	for _, name := range names {
		e.AssertNeverInPart(name+"-", promptly)
	}
}

// The first of these that names a queue decides: the pod, the Job, a label of Kueue if there is such
// a Queue, and the namespace.
func TestTheQueueOfAnOwnedGang(t *testing.T) {
	const (
		ofVolcano = "scheduling.volcano.sh/queue-name"
		label     = "volcano.sh/queue-name"
		ofKueue   = "kueue.x-k8s.io/queue-name"
	)
	e := beginWithOwners(t)
	queues := []string{"pods", "jobs", "labels", "kueues", "namespaces"}
	for _, name := range queues {
		e.CreateObject(harness.NewQueue("owned-"+name, map[string]any{"weight": int64(1)}))
	}
	_, err := e.Client.CoreV1().Namespaces().Patch(e.Context, e.Namespace, types.MergePatchType,
		[]byte(`{"metadata":{"labels":{"berth.dev/queue":"owned-namespaces"}}}`), meta.PatchOptions{})
	e.Must(err)
	e.AddNodes(2, "8")
	gang := func(name string) harness.JobBuilder { return e.NewJob(name, 2).Gang("all") }
	for _, job := range []harness.JobBuilder{
		gang("a").Annotate(ofVolcano, "owned-jobs").Label(ofKueue, "owned-kueues").
			Pods(func(pod harness.PodBuilder) harness.PodBuilder {
				return pod.Annotate(ofVolcano, "owned-pods")
			}),
		gang("b").Annotate(ofVolcano, "owned-jobs").Label(ofKueue, "owned-kueues"),
		gang("c").Label(label, "owned-labels").Label(ofKueue, "owned-kueues"),
		gang("d").Label(ofKueue, "owned-kueues"),
		gang("e").Label(ofKueue, "not-a-queue"), // a LocalQueue of Kueue
	} {
		e.CreateJob(job.Build())
	}
	for _, name := range queues {
		e.AwaitQueue("owned-"+name, "running", 1)
	}
}

// The gang follows the Job's parallelism, up and down, while it waits and while it runs.
func TestParallelismOfAnOwnedGang(t *testing.T) {
	e := beginWithOwners(t)
	e.AddNodes(1, "3")
	job := e.CreateJob(e.NewJob("job", 4).Gang("all").Completes(20).Build())
	group := e.AwaitGroupsOf(job, 1, 4)[0]
	awaitNoRoom(e, group, 4)
	e.PatchJob("job", `{"spec":{"parallelism":6}}`)
	e.AwaitGroupsOf(job, 1, 6)
	awaitNoRoom(e, group, 6)
	e.PatchJob("job", `{"spec":{"parallelism":3}}`)
	e.AwaitGroupsOf(job, 1, 3)
	awaitBoundNamed(e, "job-", 3)
	e.AddNodes(1, "4")
	e.PatchJob("job", `{"spec":{"parallelism":5}}`)
	e.AwaitGroupsOf(job, 1, 5)
	awaitBoundNamed(e, "job-", 5)
}

// The annotation is set on a Job whose pods wait, one by one until then, and taken away again.
func TestAnAnnotationThatIsSetLater(t *testing.T) {
	e := beginWithOwners(t)
	job := e.CreateJob(e.NewJob("job", 4).Build())
	e.AwaitPods(harness.Soon, 4, "are there", func(*core.Pod) bool { return true })
	e.AwaitSaid("Job", "job", "berth.dev/gang: all")
	e.PatchJob("job", `{"metadata":{"annotations":{"berth.dev/gang":"4"}}}`)
	group := e.AwaitGroupsOf(job, 1, 4)[0]
	e.AddNodes(1, "3")
	awaitNoRoom(e, group, 4)
	if bound := boundNamed(e, "job-"); bound != 0 {
		t.Errorf("%d pods of a gang that waits are bound", bound)
	}
	e.PatchJob("job", `{"metadata":{"annotations":{"berth.dev/gang":"1"}}}`)
	e.AwaitGroupsOf(job, 0, 0)
	awaitBoundNamed(e, "job-", 3)
}

// A gang is asked for by a number that is none: its pods wait, and their events say what is wrong.
func TestAnAnnotationThatMakesNoSense(t *testing.T) {
	e := beginWithOwners(t)
	e.AddNodes(1, "4")
	job := e.CreateJob(e.NewJob("job", 2).Gang("eight").Build())
	e.Await(harness.Soon, func() error {
		for _, pod := range e.Pods(func(*core.Pod) bool { return true }) {
			if e.Said("Pod", pod.Name, `"eight", expected a number from 1`) == nil {
				return nil
			}
		}
		return fmt.Errorf("no event of a pod says what is wrong")
	})
	if bound := boundNamed(e, "job-"); bound != 0 {
		t.Errorf("%d pods are bound", bound)
	}
	e.PatchJob("job", `{"metadata":{"annotations":{"berth.dev/gang":"2"}}}`)
	e.AwaitGroupsOf(job, 1, 2)
	awaitBoundNamed(e, "job-", 2)
}

// Pods of a Job are made when it is resumed, and deleted when it is suspended.
func TestASuspendedJob(t *testing.T) {
	e := beginWithOwners(t)
	e.AddNodes(1, "3")
	job := e.CreateJob(e.NewJob("job", 4).Gang("all").Suspended().Build())
	e.PatchJob("job", `{"spec":{"suspend":false}}`)
	group := e.AwaitGroupsOf(job, 1, 4)[0]
	awaitNoRoom(e, group, 4)
	e.PatchJob("job", `{"spec":{"suspend":true}}`)
	e.AwaitPods(harness.Soon, 0, "are there", func(*core.Pod) bool { return true })
	e.AddNodes(1, "1")
	e.WatchOwned("job-", 4)
	e.PatchJob("job", `{"spec":{"suspend":false}}`)
	awaitBoundNamed(e, "job-", 4)
	e.AssertNeverInPart("job-", promptly)
	e.AwaitGroupsOf(job, 1, 4)
}

// A StatefulSet that makes one pod after the other never has its gang together, and says so.
func TestAStatefulSetInOrderIsNoGang(t *testing.T) {
	e := beginWithOwners(t)
	e.AddNodes(1, "4")
	script := e.Script(harness.Fixture("owners", "statefulset.yaml"))
	script.Change("podManagementPolicy: Parallel", "podManagementPolicy: OrderedReady")
	script.Next()
	e.Await(harness.Soon, func() error { return e.Said("Pod", "store-0", "OrderedReady") })
	if bound := boundNamed(e, "store-"); bound != 0 {
		t.Errorf("%d pods are bound", bound)
	}
}

// A Job is deleted and made again under its name: its gang is another.
func TestAJobThatIsMadeAgain(t *testing.T) {
	e := beginWithOwners(t)
	e.AddNodes(1, "3")
	gang := e.NewJob("job", 4).Gang("all").Build()
	before := proxy.Writes()["POST podgroups"]
	first := e.AwaitGroupsOf(e.CreateJob(gang), 1, 4)
	background := meta.DeletePropagationBackground
	e.Must(e.Client.BatchV1().Jobs(e.Namespace).Delete(e.Context, "job",
		meta.DeleteOptions{PropagationPolicy: &background}))
	// The Job controller itself may create no pods while it waits for events of the first Job's.
	e.AwaitPods(harness.Soon, 0, "of the first Job are left", func(*core.Pod) bool { return true })
	second := e.AwaitGroupsOf(e.CreateJob(gang), 1, 4)
	if first[0] == second[0] {
		t.Errorf("both have the PodGroup %q", first[0])
	}
	e.AddNodes(1, "1")
	e.WatchOwned("job-", 4)
	awaitBoundNamed(e, "job-", 4)
	e.AssertNeverInPart("job-", promptly)
	if made := proxy.Writes()["POST podgroups"] - before; made != 2 {
		t.Errorf("%d PodGroups were made for two Jobs", made)
	}
}

// berthd is killed when it is about to make the PodGroup, or when it has made it and does not know.
// The one that follows makes exactly one, and a third writes nothing.
func TestBerthKilledWhileItMakesAGroup(t *testing.T) {
	for name, hold := range map[string]func(harness.Kind, int) *harness.Hold{
		"request lost": proxy.Hold, "answer lost": proxy.LoseAnswer,
	} {
		t.Run(name, func(t *testing.T) {
			e := beginWithOwners(t)
			e.AddNodes(1, "3")
			held := hold(harness.NewGroups, 0)
			job := e.CreateJob(e.NewJob("job", 4).Gang("all").Build())
			await(t, held)
			e.Berth.Kill()
			held.Abandon()
			e.Must(e.RunBerth(e.Context, harness.BerthOptions{APIURL: proxy.URL}))
			group := e.AwaitGroupsOf(job, 1, 4)[0]
			awaitNoRoom(e, group, 4)
			e.Berth.Kill()
			before := proxy.Writes()["POST podgroups"]
			e.Must(e.RunBerth(e.Context, harness.BerthOptions{APIURL: proxy.URL}))
			e.AwaitSessions(3)
			if made := proxy.Writes()["POST podgroups"] - before; made > 0 {
				t.Errorf("%d PodGroups are made again after a restart", made)
			}
			e.AddNodes(1, "1")
			e.WatchOwned("job-", 4)
			awaitBoundNamed(e, "job-", 4)
			e.AssertNeverInPart("job-", harness.BarrierLimit)
		})
	}
}
