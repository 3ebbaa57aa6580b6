package e2e

import (
	"context"
	"errors"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/e2e/harness"
)

// replica is a berthd and the kube-scheduler of its pod.
type replica struct {
	*harness.Berth
	scheduler *harness.KubeScheduler
}

func (r *replica) start(e *harness.Env) {
	e.Helper()
	e.Must(r.Berth.Start(e.Context))
	e.Must(r.scheduler.Start(e.Context))
}

func (r *replica) kill() {
	r.Berth.Kill()
	r.scheduler.Kill()
}

// beginWithReplicas gives the test two replicas with this duration of the lease, and its leader.
func beginWithReplicas(t *testing.T, lease time.Duration) (*harness.Env, []*replica, *replica) {
	t.Helper()
	e, proxy := beginBehindProxy(t)
	e.Must(e.StopBerth())
	e.Scheduler.Kill()
	forgetLease(e)
	e.AddNodes(6, "4")
	var replicas []*replica
	for _, name := range []string{"a", "b"} {
		berth, err := e.Replica(harness.BerthOptions{Name: "berthd-" + name, LeaderElect: true,
			APIURL: proxy.URL, Configuration: map[string]any{"leaderElection": map[string]any{
				"leaseDuration": lease.String(), "renewDeadline": (lease * 2 / 3).String()}}})
		e.Must(err)
		scheduler, err := e.NewKubeScheduler(harness.SchedulerOptions{
			Name: "kube-scheduler-" + name, Extender: berth.Address, View: berth.View})
		e.Must(err)
		e.Show(berth.Process, 40)
		e.Show(scheduler.Process, 20)
		each := &replica{berth, scheduler}
		each.start(e)
		t.Cleanup(func() {
			if berth.HasCrashed() || scheduler.HasCrashed() {
				t.Errorf("a process of replica %s has ended by itself", name)
			}
			each.kill()
		})
		replicas = append(replicas, each)
	}
	leader := awaitLeader(e, replicas)
	e.CreateGang("first", 6, 6, cpu("1"))
	e.AwaitBound("first", 6, harness.Soon)
	return e, replicas, leader
}

// forgetLease deletes what an earlier test has left: a replica that was killed keeps its lease, which
// may be of ten minutes.
func forgetLease(e *harness.Env) {
	e.Helper()
	leases := e.Client.CoordinationV1().Leases(harness.Namespace)
	err := leases.Delete(e.Context, "berthd", meta.DeleteOptions{})
	if !apierrors.IsNotFound(err) {
		e.Must(err)
	}
}

// awaitLeader waits until exactly one replica leads.
func awaitLeader(e *harness.Env, replicas []*replica) *replica {
	e.Helper()
	var leader *replica
	e.Await(harness.Soon, func() error {
		leader = nil
		for _, each := range replicas {
			probe, cancel := context.WithTimeout(e.Context, harness.ProbeTimeout)
			err := each.Leads(probe)
			cancel()
			if err != nil {
				continue
			}
			if leader != nil {
				return errors.New("two replicas lead")
			}
			leader = each
		}
		if leader == nil {
			return errors.New("no replica leads")
		}
		return nil
	})
	return leader
}

func otherThan(replicas []*replica, one *replica) *replica {
	if replicas[0] == one {
		return replicas[1]
	}
	return replicas[0]
}

// VIEW-10: the pod of the leader is lost, then the berthd of the next, then its machine stalls.
func TestTheLeaderIsKilled(t *testing.T) {
	e, replicas, leader := beginWithReplicas(t, 3*time.Second)
	next := otherThan(replicas, leader)
	leader.scheduler.Pause()
	e.CreateGang("second", 6, 6, cpu("1"))
	e.AwaitSeen(leader.Berth, 6)
	e.AwaitSeen(next.Berth, 0)
	leader.kill()
	e.AwaitBound("second", 6, harness.Soon)

	leader.start(e)
	next.Kill()
	e.CreateGang("third", 6, 6, cpu("1"))
	e.AwaitBound("third", 6, harness.Soon)
	if awaitLeader(e, replicas) != leader {
		t.Fatal("the replica that was killed leads")
	}

	e.Must(next.Start(e.Context))
	leader.Pause()
	e.CreateGang("fourth", 6, 6, cpu("1"))
	e.AwaitBound("fourth", 6, 2*harness.Soon)
	leader.Resume()
	if awaitLeader(e, replicas) != next {
		t.Error("the replica that was paused leads again although another had the lease")
	}
	for _, gang := range []string{"first", "second", "third", "fourth"} {
		e.AssertNeverInPart(gang, harness.BarrierLimit)
	}
}

// The next leader finishes the gang.
func TestTheLeaderIsKilledAmidBindings(t *testing.T) {
	e, _, leader := beginWithReplicas(t, 3*time.Second)
	hold := proxy.Hold(harness.Bindings, 3)
	e.CreateGang("second", 6, 6, cpu("2"))
	await(t, hold)
	leader.kill()
	hold.Abandon()
	e.AwaitBound("second", 6, 2*harness.Soon)
	e.AssertNeverInPart("second", harness.BarrierLimit)
}

// VIEW-12: berthd leads, but its kube-scheduler does not come back.
func TestTheLeadersKubeSchedulerIsLost(t *testing.T) {
	e, replicas, leader := beginWithReplicas(t, 3*time.Second)
	leader.scheduler.Kill()
	e.CreateGang("second", 6, 6, cpu("1"))
	e.AwaitBound("second", 6, harness.Soon)
	if awaitLeader(e, replicas) == leader {
		t.Error("the replica without a kube-scheduler leads")
	}
	e.AssertNeverInPart("second", harness.BarrierLimit)
}

// The metric is that of the probe: the alert BerthReplicaIsNotReady is not about one that stands by.
func assertAllReady(e *harness.Env, replicas []*replica) {
	e.Helper()
	for _, each := range replicas {
		e.Must(each.Ready(e.Context))
		ready, err := each.Metric(e.Context, `berth_state{what="ready"}`)
		e.Must(err)
		if ready != 1 {
			e.Errorf("%s has berth_state ready %v, expected 1", each.Name, ready)
		}
	}
}

// The leader releases its lease when it ends: nobody waits for ten minutes.
func TestTheLeaderStops(t *testing.T) {
	e, replicas, leader := beginWithReplicas(t, 10*time.Minute)
	assertAllReady(e, replicas)
	e.Must(leader.Stop(10 * time.Second))
	e.CreateGang("second", 6, 6, cpu("1"))
	e.AwaitBound("second", 6, harness.Soon)
	if awaitLeader(e, replicas) == leader {
		t.Error("the replica that was stopped leads")
	}
	for _, gang := range []string{"first", "second"} {
		e.AssertNeverInPart(gang, promptly)
	}
}
