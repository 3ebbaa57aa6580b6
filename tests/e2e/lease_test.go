package e2e

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"berth.dev/berth/tests/e2e/harness"
)

// candidate is a replica whose requests, and those of the kube-scheduler behind it, pass through a
// proxy of its own.
type candidate struct {
	*harness.Berth
	proxy *harness.Proxy
}

// beginWithCandidates gives the test two of them, in either mode.
func beginWithCandidates(t *testing.T, configuration map[string]any) (*harness.Env, []*candidate) {
	t.Helper()
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	e.Must(e.StopBerth())
	forgetLease(e)
	var all []*candidate
	var berths []*harness.Berth
	for _, name := range []string{"a", "b"} {
		proxy, err := e.StartProxy()
		e.Must(err)
		t.Cleanup(proxy.Stop)
		berth, err := e.Replica(harness.BerthOptions{Name: "berthd-" + name, LeaderElect: true,
			APIURL: proxy.URL, Configuration: configuration})
		e.Must(err)
		e.Show(berth.Process, 40)
		e.Must(berth.Start(e.Context))
		t.Cleanup(func() {
			berth.Resume()
			berth.Kill()
		})
		all = append(all, &candidate{berth, proxy})
		berths = append(berths, berth)
		if e.Mode == harness.ThroughView {
			scheduler, err := e.NewKubeScheduler(harness.SchedulerOptions{
				Name: "kube-scheduler-" + name, Extender: berth.Address, View: berth.View})
			e.Must(err)
			e.Show(scheduler.Process, 20)
			e.Must(scheduler.Start(e.Context))
			t.Cleanup(scheduler.Kill)
		}
	}
	if e.Mode == harness.ThroughView {
		e.Scheduler.Kill()
		return e, all
	}
	service, err := harness.StartService(berths...)
	e.Must(err)
	t.Cleanup(service.Stop)
	e.Must(e.StartScheduler(e.Context, service.Address))
	t.Cleanup(e.Scheduler.Kill)
	return e, all
}

// awaitLeading waits until this one leads; nil: until any does. Returns it and the other one.
func awaitLeading(e *harness.Env, all []*candidate, wanted *candidate) (*candidate, *candidate) {
	e.Helper()
	var leader, other *candidate
	e.Await(harness.Soon, func() error {
		for i, each := range all {
			if (wanted == nil || each == wanted) && each.Leads(e.Context) == nil {
				leader, other = each, all[1-i]
				return nil
			}
		}
		return errors.New("no replica leads")
	})
	return leader, other
}

// awaitDeposed waits until a replica that was stopped says that it does not lead any more.
func awaitDeposed(e *harness.Env, replica *candidate) {
	e.Helper()
	e.Await(harness.Soon, func() error {
		err := replica.Leads(e.Context)
		if err == nil || !strings.Contains(err.Error(), "not the leader") {
			return fmt.Errorf("%s does not say that it has lost the lease: %w", replica.Name, err)
		}
		return nil
	})
}

// decisions are the writes by which a plan is carried out, of those that passed a proxy.
func decisions(proxy *harness.Proxy) map[string]int {
	found := map[string]int{}
	for what, count := range proxy.Writes() {
		if !strings.HasSuffix(what, " events") && !strings.HasSuffix(what, "reviews") {
			found[what] = count
		}
	}
	return found
}

// LEASE-4: a leader stands still while Bindings wait in its queue. When it goes on, others have the
// room.
func TestAStoppedLeaderBindsNothingWhenItGoesOn(t *testing.T) {
	e, all := beginWithCandidates(t, map[string]any{"kubeAPI": map[string]any{"maxInFlight": 1}})
	nodes := e.AddNodes(3, "4")
	leader, other := awaitLeading(e, all, nil)
	hold := leader.proxy.Hold(harness.Bindings, 0)
	e.CreateGang("gang", 6, 6, cpu("2"))
	await(t, hold)
	leader.Pause()
	hold.Abandon()
	for i, node := range nodes {
		name := fmt.Sprintf("filler-%d", i)
		e.Create(harness.NewPod(e.Namespace, name).CPU("4").Scheduler("nobody").Build())
		e.BindByHand(name, node)
	}
	awaitLeading(e, all, other)
	before := decisions(leader.proxy)
	leader.Resume()
	awaitDeposed(e, leader)
	e.AssertStays(2*time.Second, func() error {
		if bound := len(e.Bound("gang")); bound > 0 {
			return fmt.Errorf("%d pods of the gang are bound", bound)
		}
		return e.Overfull()
	})
	for what, count := range decisions(leader.proxy) {
		if count != before[what] {
			t.Errorf("%s: %d times %s after its lease", leader.Name, count-before[what], what)
		}
	}
	for i := range nodes {
		e.Delete(fmt.Sprintf("filler-%d", i))
	}
	e.AwaitBound("gang", 6, 2*harness.Soon)
	e.AssertNeverInPart("gang", harness.BarrierLimit)
}

// Leaders are stopped for longer than the lease while gangs are bound, in each round with another
// number of Bindings under way. Each time the other one serves those that are left, and more.
func TestLeadersAreStoppedWhileGangsAreBound(t *testing.T) {
	const rounds, gangs, size = 8, 6, 4
	e, all := beginWithCandidates(t, nil)
	e.AddNodes(6, "4") // half of the gangs have room
	leader, other := awaitLeading(e, all, nil)
	for round := range rounds {
		gang := func(i int) string { return fmt.Sprintf("round-%d-%d", round, i) }
		const fit = gangs / 2 * size
		sent := leader.proxy.Writes()["POST pods/binding"]
		hold := leader.proxy.Hold(harness.Bindings, round)
		for i := range gangs / 2 {
			e.CreateGang(gang(i), size, size, cpu("2"))
		}
		// All of them: a request that is just being sent when its sender is stopped goes out after.
		e.Await(harness.Soon, func() error {
			if more := leader.proxy.Writes()["POST pods/binding"] - sent; more != fit {
				return fmt.Errorf("%d Bindings have been sent, not %d", more, fit)
			}
			return nil
		})
		leader.Pause()
		if round%2 == 0 {
			hold.Abandon()
		} else {
			hold.Release()
		}
		for i := gangs / 2; i < gangs; i++ {
			e.CreateGang(gang(i), size, size, cpu("2"))
		}
		awaitLeading(e, all, other)
		allBound := func() error {
			bound := 0
			for i := range gangs {
				bound += len(e.Bound(gang(i)))
			}
			if bound != fit {
				return fmt.Errorf("%d pods are bound, not %d", bound, fit)
			}
			return nil
		}
		if e.Mode == harness.ThroughView {
			e.Await(2*harness.Soon, allBound) // the one kube-scheduler in place may wait for its calls
		}
		before := decisions(leader.proxy)
		leader.Resume()
		awaitDeposed(e, leader)
		e.Await(2*harness.Soon, allBound)
		e.Must(e.Overfull())
		for what, count := range decisions(leader.proxy) {
			if count != before[what] {
				t.Errorf("round %d: %s: %d times %s after its lease", round, leader.Name,
					count-before[what], what)
			}
		}
		for i := range gangs {
			e.AssertNeverInPart(gang(i), harness.BarrierLimit)
		}
		e.Must(e.ClearNamespace(e.Context, e.Namespace))
		leader, other = awaitLeading(e, all, other)
	}
}

// API-34: an API server that stands still keeps its connections.
func TestAFrozenAPIServerIsSeenByTheProbe(t *testing.T) {
	e, all := beginWithCandidates(t, nil)
	awaitLeading(e, all, nil)
	e.APIServer.Pause()
	t.Cleanup(e.APIServer.Resume)
	for _, each := range all {
		e.Await(harness.Soon, func() error {
			err := each.Ready(e.Context)
			if err == nil || !strings.Contains(err.Error(), "the API server has not answered for") {
				return fmt.Errorf("%s: %v", each.Name, err)
			}
			return nil
		})
		e.Must(each.Alive(e.Context))
	}
	e.APIServer.Resume()
	leader, _ := awaitLeading(e, all, nil)
	e.Must(leader.AwaitReady(e.Context))
	e.AddNodes(1, "4")
	e.CreateGang("gang", 4, 4, cpu("1"))
	e.AwaitBound("gang", 4, 2*harness.Soon)
}
