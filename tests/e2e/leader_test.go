package e2e

import (
	"context"
	"errors"
	"testing"

	"berth.dev/berth/tests/e2e/harness"
)

// Two replicas behind a Service whose endpoint is the one that is ready.
func TestLeaderElection(t *testing.T) {
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	e.Must(e.StopBerth())
	e.AddNodes(6, "4")
	var replicas []*harness.Berth
	for _, name := range []string{"berthd-a", "berthd-b"} {
		replica, err := e.Replica(harness.BerthOptions{Name: name, LeaderElect: true})
		e.Must(err)
		e.Show(replica.Process, 40)
		e.Must(replica.Start(e.Context))
		t.Cleanup(replica.Kill)
		replicas = append(replicas, replica)
	}
	service, err := harness.StartService(replicas...)
	e.Must(err)
	t.Cleanup(service.Stop)
	e.Must(e.StartScheduler(e.Context, service.Address))
	t.Cleanup(e.Scheduler.Kill)

	leader := awaitOneLeader(e, replicas)
	e.CreateGang("first", 6, 6, cpu("1"))
	e.AwaitBound("first", 6, harness.Soon)

	leader.Kill()
	e.CreateGang("second", 6, 6, cpu("1"))
	e.AwaitBound("second", 6, harness.Soon)
	next := awaitOneLeader(e, replicas)
	if next == leader {
		t.Fatal("the replica that was killed leads")
	}

	e.Must(leader.Start(e.Context))
	next.Pause()
	e.CreateGang("third", 6, 6, cpu("1"))
	e.AwaitBound("third", 6, harness.Soon)
	next.Resume()
	if awaitOneLeader(e, replicas) != leader {
		t.Error("the replica that was paused leads again although another had the lease")
	}
	e.CreateGang("fourth", 6, 6, cpu("1"))
	e.AwaitBound("fourth", 6, harness.Soon)
	for _, gang := range []string{"first", "second", "third", "fourth"} {
		e.AssertNeverInPart(gang, harness.BarrierLimit)
	}
}

// awaitOneLeader waits until exactly one replica says that it is ready.
func awaitOneLeader(e *harness.Env, replicas []*harness.Berth) *harness.Berth {
	e.Helper()
	var leader *harness.Berth
	e.Await(harness.Soon, func() error {
		leader = nil
		for _, replica := range replicas {
			probe, cancel := context.WithTimeout(e.Context, harness.ProbeTimeout)
			err := replica.Ready(probe)
			cancel()
			if err != nil {
				continue
			}
			if leader != nil {
				return errors.New("two replicas say that they are ready")
			}
			leader = replica
		}
		if leader == nil {
			return errors.New("no replica is ready")
		}
		return nil
	})
	return leader
}
