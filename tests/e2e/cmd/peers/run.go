package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/e2e/harness"
)

// warmUp has a gang of four bound: informers are synced, connections are open.
func (d *driver) warmUp(v *variant) error {
	r, err := d.newRun(v, []gang{{"warm", 4}}, false)
	if err != nil {
		return err
	}
	if err := d.createGroups(v, r.space, r.gangs); err != nil {
		return err
	}
	if err := d.CreatePods(d.ctx, r.pods); err != nil {
		return err
	}
	if err := d.awaitMoments(r, "bound"); err != nil {
		return err
	}
	return d.clear(r)
}

// createRunning makes pods that are bound already, as many on each node.
func (d *driver) createRunning(nodes []string) error {
	var pods []*core.Pod
	for i := range d.running {
		pod := harness.NewPod("default", fmt.Sprintf("running-%06d", i)).CPU("100m").
			Scheduler("nobody").Build()
		pod.Spec.NodeName = nodes[i%len(nodes)]
		pods = append(pods, pod)
	}
	return d.CreatePods(d.ctx, pods)
}

// start starts the processes of a variant. If that is to be measured, a pod waits for them.
func (d *driver) start(v *variant, p plan) error {
	if !slices.Contains(p.phases, "start") {
		return v.start()
	}
	r, err := d.newRun(v, []gang{{"g", 1}}, true)
	if err != nil {
		return err
	}
	if err := d.CreatePods(d.ctx, r.pods); err != nil {
		return err
	}
	if v.groupsSingles {
		if err := d.createGroups(v, r.space, r.gangs); err != nil {
			return err
		}
	}
	result := Result{Round: d.round, Variant: v.name, Phase: "start", Nodes: d.nodes, Pods: 1,
		Workload: fmt.Sprintf("%d running", d.running), Load: loadAverage(),
		At: time.Now().UTC().Format(time.TimeOnly)}
	machine, before := busy(), d.cpu(v)
	began := time.Now()
	if err := v.start(); err != nil {
		return err
	}
	if err := d.awaitMoments(r, "bound"); err != nil {
		return err
	}
	result.times(d.Recorder.History(r.space), began)
	result.CPU = d.cpu(v).since(before)
	result.Others = max(0, busy()-machine-result.CPU.total())
	result.RSS = v.peaks()
	if err := d.clear(r); err != nil {
		return err
	}
	return d.note(result)
}

// awaitMoments waits until each pod of the run was "created", or "bound".
func (d *driver) awaitMoments(r *run, word string) error {
	return d.Recorder.Await(d.ctx, d.patience, func() error {
		if seen := d.Recorder.Count(r.space, word); seen < len(r.pods) {
			return fmt.Errorf("%d of %d pods are %s", seen, len(r.pods), word)
		}
		return nil
	})
}

// clear also waits until schedulers, and the API server's collections, have come to rest.
func (d *driver) clear(r *run) error {
	d.Recorder.Forget(r.space)
	err := d.ClearNamespace(d.ctx, r.space)
	for _, resource := range r.variant.groups {
		_ = d.Dynamic.Resource(resource).Namespace(r.space).DeleteCollection(d.ctx,
			meta.DeleteOptions{}, meta.ListOptions{})
	}
	time.Sleep(2 * time.Second)
	return err
}

// measure does one workload in one phase.
func (d *driver) measure(v *variant, workload, phase string) Result {
	result := Result{Round: d.round, Variant: v.name, Workload: workload, Phase: phase,
		Nodes: d.nodes, At: time.Now().UTC().Format(time.TimeOnly), Load: loadAverage()}
	gangs, single, err := gangsOf(workload)
	if err != nil {
		result.Error = err.Error()
		return result
	}
	r, err := d.newRun(v, gangs, single)
	if err == nil {
		result.Pods, result.Gangs = len(r.pods), len(gangs)
		err = d.fill(&result, r)
	}
	if err != nil {
		result.Error = err.Error()
	}
	return result
}

func (d *driver) fill(result *Result, r *run) error {
	v := r.variant
	// Groups of single pods are not part of the time.
	if r.single && v.groupsSingles {
		if err := d.createGroups(v, r.space, r.gangs); err != nil {
			return err
		}
		r.grouped = true
		time.Sleep(2 * time.Second)
	}
	v.resetPeaks()
	sessions := v.sessions(d.ctx)
	if result.Phase == "release" {
		if err := d.createFrozen(result, r); err != nil {
			return err
		}
	}
	writes, err := d.writes()
	if err != nil {
		return err
	}
	if err := d.bind(result, r); err != nil {
		return err
	}
	after, err := d.writes()
	if err != nil {
		return err
	}
	result.Writes = writesBetween(writes, after)
	if result.Phase == "create" {
		result.Writes.take("POST pods", len(r.pods))
		if !r.single {
			result.Writes.take("POST podgroups", len(r.gangs))
		}
	}
	result.RSS = v.peaks()
	result.Sessions = v.sessions(d.ctx).since(sessions)
	if err := d.checkPlaces(r.space); err != nil {
		return err
	}
	return d.clear(r)
}

// createFrozen creates everything while the scheduler stands still.
func (d *driver) createFrozen(result *Result, r *run) error {
	r.variant.pause()
	if err := d.createGroupsOf(r); err != nil {
		return err
	}
	cpu, began := d.cpu(r.variant), time.Now()
	if err := d.CreatePods(d.ctx, r.pods); err != nil {
		return err
	}
	result.Created = time.Since(began).Seconds()
	if err := d.awaitMoments(r, "created"); err != nil {
		return err
	}
	result.CPUCreated = d.cpu(r.variant).since(cpu)
	time.Sleep(time.Second)
	return nil
}

func (d *driver) createGroupsOf(r *run) error {
	if r.single || r.grouped {
		return nil
	}
	r.grouped = true
	return d.createGroups(r.variant, r.space, r.gangs)
}

// bind measures from the release, or the first creation, to the last binding.
func (d *driver) bind(result *Result, r *run) error {
	cpu, machine := d.cpu(r.variant), busy()
	began := time.Now()
	if result.Phase == "release" {
		r.variant.resume()
	} else {
		if err := d.createGroupsOf(r); err != nil {
			return err
		}
		if err := d.CreatePods(d.ctx, r.pods); err != nil {
			return err
		}
		result.Created = time.Since(began).Seconds()
	}
	if err := d.awaitMoments(r, "bound"); err != nil {
		return err
	}
	result.CPU = d.cpu(r.variant).since(cpu)
	result.Others = max(0, busy()-machine-result.CPU.total())
	result.times(d.Recorder.History(r.space), began)
	time.Sleep(3 * time.Second) // events and statuses that are written late
	result.CPUSettled = d.cpu(r.variant).since(cpu)
	return nil
}

// checkPlaces fails if a node got more pods than it has room for.
func (d *driver) checkPlaces(space string) error {
	perNode := map[string]int{}
	for _, moment := range d.Recorder.History(space) {
		if node, bound := strings.CutPrefix(moment.What, "bound "); bound && node != "" {
			perNode[node]++
		}
	}
	for node, count := range perNode {
		if count > 32 {
			return fmt.Errorf("node %s got %d pods of 1 cpu", node, count)
		}
	}
	return nil
}

// times takes from the watch when pods were bound.
func (r *Result) times(history []harness.Moment, began time.Time) {
	first, last := map[string]time.Time{}, map[string]time.Time{}
	var all []time.Time
	for _, moment := range history {
		if !strings.HasPrefix(moment.What, "bound ") {
			continue
		}
		all = append(all, moment.At)
		_, name, _ := strings.Cut(moment.Key, "/")
		group := name[:strings.LastIndexByte(name, '-')]
		if first[group].IsZero() {
			first[group] = moment.At
		}
		last[group] = moment.At
	}
	slices.SortFunc(all, time.Time.Compare)
	r.FirstBound = all[0].Sub(began).Seconds()
	r.HalfBound = all[len(all)/2].Sub(began).Seconds()
	r.LastBound = all[len(all)-1].Sub(began).Seconds()
	for group := range first {
		r.InPart = max(r.InPart, last[group].Sub(first[group]).Seconds())
	}
}
