package e2e

import (
	"fmt"
	"testing"
	"time"

	core "k8s.io/api/core/v1"

	"berth.dev/berth/tests/e2e/harness"
)

// A step of a gang's life: the request that is stopped while a process is killed.
type step struct {
	name string
	kind harness.Kind
	pass int
}

// steps of a mode.
var steps = map[string][]step{
	harness.InPlace: {
		{"before nominations", harness.Nominations, 0},
		{"amid nominations", harness.Nominations, 3},
		{"before commits", harness.Commits, 0},
		{"amid commits", harness.Commits, 3},
		{"before bindings", harness.Bindings, 0},
		{"amid bindings", harness.Bindings, 3},
	},
	harness.ThroughView: {
		{"before bindings", harness.Bindings, 0},
		{"amid bindings", harness.Bindings, 3},
		{"amid events", harness.Events, 3},
		{"before the status", harness.Statuses, 0},
	},
}

// A process is killed at each step, and comes back. The gang gets whole, nothing stays reserved,
// and nobody is stuck.
func atEachStep(t *testing.T, crash func(*harness.Env, *harness.Hold)) {
	for _, step := range steps[cluster.Mode] {
		t.Run(step.name, func(t *testing.T) {
			e, proxy := beginBehindProxy(t)
			e.AddNodes(3, "4")
			hold := proxy.Hold(step.kind, step.pass)
			e.CreateGang("gang", 6, 6, cpu("1"))
			await(t, hold)
			crash(e, hold)
			e.AwaitBound("gang", 6, 2*harness.Soon)
			e.AssertNeverInPart("gang", harness.BarrierLimit)
			e.AssertRoom(6, "1")
		})
	}
}

func TestBerthKilledAtEachStep(t *testing.T) {
	atEachStep(t, func(e *harness.Env, hold *harness.Hold) {
		e.Berth.Kill()
		hold.Abandon()
		e.Must(e.Berth.Start(e.Context))
	})
}

func TestKubeSchedulerKilledAtEachStep(t *testing.T) {
	atEachStep(t, func(e *harness.Env, hold *harness.Hold) {
		e.Scheduler.Kill()
		hold.Release()
		e.Must(e.RestartScheduler(e.Context))
	})
}

func TestAPIServerKilledAtEachStep(t *testing.T) {
	atEachStep(t, func(e *harness.Env, hold *harness.Hold) {
		// kube-scheduler's reflectors wait twice as long after each loss, up to a minute.
		e.Cleanup(func() {
			e.Scheduler.Kill()
			e.Must(e.RestartScheduler(e.Context))
		})
		e.Must(e.RestartAPIServer(e.Context, func() error {
			hold.Abandon()
			return nil
		}))
	})
}

// writes of a mode by which berthd steers.
var writes = map[string]map[string]harness.Kind{
	harness.InPlace: {"nomination": harness.Nominations, "commit": harness.Commits,
		"binding": harness.Bindings},
	harness.ThroughView: {"binding": harness.Bindings},
}

// What was asked for is done, and berthd does not hear of it.
func TestAnswersLost(t *testing.T) {
	for name, kind := range writes[cluster.Mode] {
		t.Run(name, func(t *testing.T) {
			e, proxy := beginBehindProxy(t)
			e.AddNodes(3, "4")
			lost := proxy.LoseAnswer(kind, 0)
			e.CreateGang("gang", 6, 6, cpu("1"))
			await(t, lost)
			proxy.ReleaseAll()
			e.AwaitBound("gang", 6, 2*harness.Soon)
			e.AssertNeverInPart("gang", harness.BarrierLimit)
			e.AssertRoom(6, "1")
		})
	}
}

// What was asked for never arrives.
func TestRequestsLost(t *testing.T) {
	for name, kind := range writes[cluster.Mode] {
		t.Run(name, func(t *testing.T) {
			e, proxy := beginBehindProxy(t)
			e.AddNodes(3, "4")
			hold := proxy.Hold(kind, 0)
			e.CreateGang("gang", 6, 6, cpu("1"))
			await(t, hold)
			hold.Abandon()
			e.AwaitBound("gang", 6, 2*harness.Soon)
			e.AssertNeverInPart("gang", harness.BarrierLimit)
			e.AssertRoom(6, "1")
		})
	}
}

// A gang has its nominations when berthd dies, and has lost a member when it returns: what was
// reserved for it is free.
func TestNominationsOfABrokenGangAreCleared(t *testing.T) {
	e, proxy := beginBehindProxy(t)
	e.AddNodes(3, "4")
	hold := proxy.Hold(harness.Commits, 0)
	e.CreateGang("gang", 6, 6, cpu("2"))
	await(t, hold)
	e.Berth.Kill()
	hold.Abandon()
	e.Delete("gang-0")
	e.Must(e.Berth.Start(e.Context))
	e.AssertRoom(6, "2")
	e.AwaitPods(harness.Soon, 0, "are nominated", func(pod *core.Pod) bool {
		return pod.Spec.NodeName == "" && pod.Status.NominatedNodeName != ""
	})
	if bound := e.Bound("gang"); len(bound) > 0 {
		t.Errorf("%q is bound", bound[0].Name)
	}
}

// Gangs come and go while one process after the other is killed.
func TestGangsComeAndGoWhileProcessesDie(t *testing.T) {
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	e.AddNodes(3, "4")
	const gangs, size = 12, 5
	gang := func(i int) string { return fmt.Sprintf("gang-%d", i) }
	finished := func(i int) {
		e.AwaitPods(2*harness.Soon, size, "of "+gang(i)+" have run and ended",
			func(pod *core.Pod) bool {
				return pod.Status.Phase == core.PodSucceeded &&
					pod.Annotations[harness.GroupAnnotation] == gang(i)
			})
	}
	for i := range gangs {
		e.CreateGang(gang(i), size, size, func(pod harness.PodBuilder) harness.PodBuilder {
			return pod.Runs(50 * time.Millisecond)
		})
	}
	for i := range gangs {
		switch i % 3 {
		case 0:
			e.Berth.Kill()
			e.Must(e.Berth.Start(e.Context))
		case 1:
			e.Scheduler.Kill()
			e.Must(e.RestartScheduler(e.Context))
		case 2:
			e.Must(e.RestartAPIServer(e.Context, func() error { return nil }))
		}
		finished(i)
	}
	for i := range gangs {
		e.AssertNeverInPart(gang(i), harness.BarrierLimit)
	}
}

// While the API server is away, what berthd knew has changed and is compacted away: its watches
// cannot be resumed.
func TestWatchExpired(t *testing.T) {
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	nodes := e.AddNodes(2, "4")
	e.CreateGang("gang", 6, 6, cpu("1"))
	e.AwaitBound("gang", 6, harness.Soon)
	version := e.ResourceVersion()
	e.Berth.Pause()
	e.AddNodes(1, "4")
	for i := range 3 {
		e.Delete(fmt.Sprintf("gang-%d", i))
	}
	e.DeleteNode(nodes[0])
	e.CreateGang("next", 5, 5, cpu("1"))
	e.Must(e.RestartAPIServer(e.Context, func() error { return e.CompactEtcd(e.Context) }))
	if err := e.ResumeWatch(version); err == nil {
		t.Error("the premise fails: a watch can be resumed")
	}
	e.Berth.Resume()
	e.AwaitBound("next", 5, harness.Soon)
	e.AssertNeverInPart("next", promptly)
}

// A killed API server takes berthd's lists and watches with it; nothing is lost or doubled.
func TestAPIServerRestartedWhileAGangWaits(t *testing.T) {
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	e.AddNodes(1, "4")
	e.CreateGang("gang", 6, 6, cpu("1"))
	e.AwaitCondition("gang", "Unschedulable", harness.Soon)
	e.Must(e.RestartAPIServer(e.Context, func() error { return nil }))
	e.AddNodes(1, "4")
	e.AwaitBound("gang", 6, harness.Soon)
	e.AssertNeverInPart("gang", promptly)
}

func TestBerthRestartedWhileAGangWaits(t *testing.T) {
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	e.AddNodes(1, "4")
	e.CreateGang("gang", 6, 6, cpu("1"))
	e.AwaitCondition("gang", "Unschedulable", harness.Soon)
	e.Must(e.StopBerth())
	e.AddNodes(1, "4")
	e.Must(e.Berth.Start(e.Context))
	e.AwaitBound("gang", 6, harness.Soon)
	e.AssertNeverInPart("gang", promptly)
}
