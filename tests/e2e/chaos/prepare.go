package chaos

import (
	"context"
	"fmt"

	core "k8s.io/api/core/v1"
	scheduling "k8s.io/api/scheduling/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/e2e/harness"
)

// priorities of gangs; most have the first ones.
var priorities = []struct {
	name  string
	value int32
}{{"chaos-high", 1000}, {"chaos-middle", 100}, {"chaos-low", 0}}

func nodeOf(name, pool string) *core.Node { return harness.NodeOf(name, pool, nodeCapacity) }

// prepare makes nodes, and starts two replicas as they are shipped.
func (r *run) prepare(ctx context.Context) error {
	c := r.cluster
	if !c.HasBerth() {
		return fmt.Errorf(harness.LacksBerthd)
	}
	var err error
	if r.history, err = openHistory(ctx, c.EtcdURL); err != nil {
		return err
	}
	_, err = c.Client.CoreV1().Namespaces().Create(ctx,
		&core.Namespace{ObjectMeta: meta.ObjectMeta{Name: space}}, meta.CreateOptions{})
	if err != nil {
		return err
	}
	for _, each := range priorities {
		_, err := c.Client.SchedulingV1().PriorityClasses().Create(ctx, &scheduling.PriorityClass{
			ObjectMeta: meta.ObjectMeta{Name: each.name}, Value: each.value}, meta.CreateOptions{})
		if err != nil {
			return err
		}
	}
	var names, otherNames []string
	for i := range gangNodes {
		names = append(names, nodeName(i))
	}
	for i := range otherNodes {
		otherNames = append(otherNames, fmt.Sprintf("%s-n%d", others, i))
	}
	if err := c.CreateNodes(ctx, space, names, nodeCapacity); err != nil {
		return err
	}
	if err := c.CreateNodes(ctx, others, otherNames, nodeCapacity); err != nil {
		return err
	}
	if c.Others != nil { // faults do not hit it, but its own do
		r.others = &part{Process: c.Others.Process, isOthers: true, ready: c.Others.Ready}
	}
	r.add(c.Etcd, false, func(context.Context) error { return nil })
	r.add(c.APIServer, false, func(ctx context.Context) error {
		return c.Client.Discovery().RESTClient().Get().AbsPath("/readyz").Do(ctx).Error()
	})
	return r.startReplicas(ctx)
}

func (r *run) add(process *harness.Process, isBerths bool, ready func(context.Context) error) {
	r.parts[process.Name] = &part{Process: process, isBerths: isBerths, ready: ready}
	r.order = append(r.order, process.Name)
}

// startReplicas starts two berthd and two kube-schedulers: behind their views, or, in mode nominate,
// with a lease of their own and a Service before the berthd.
func (r *run) startReplicas(ctx context.Context) error {
	c := r.cluster
	var replicas []*harness.Berth
	for _, name := range []string{"a", "b"} {
		berth, err := c.Replica(harness.BerthOptions{Name: "berthd-" + name, LeaderElect: true,
			AsShipped: true})
		if err != nil {
			return err
		}
		if err := berth.Start(ctx); err != nil {
			return err
		}
		r.add(berth.Process, true, func(ctx context.Context) error {
			_, err := berth.Metrics(ctx)
			return err
		})
		r.order = append(r.order, berth.Name) // hit twice as often
		replicas = append(replicas, berth)
	}
	address := ""
	if c.Mode == harness.InPlace {
		c.Scheduler.Kill() // it has no such Service
		service, err := harness.StartService(replicas...)
		if err != nil {
			return err
		}
		context.AfterFunc(ctx, service.Stop)
		address = service.Address
	}
	for i, name := range []string{"a", "b"} {
		options := harness.SchedulerOptions{Name: "kube-scheduler-" + name, Extender: address}
		if c.Mode == harness.ThroughView {
			options.Extender, options.View = replicas[i].Address, replicas[i].View
		}
		scheduler, err := c.NewKubeScheduler(options)
		if err != nil {
			return err
		}
		if err := scheduler.Process.Start(); err != nil {
			return err
		}
		r.add(scheduler.Process, true, scheduler.Ready)
		r.parts[scheduler.Name].throughView = options.View != nil
	}
	return nil
}

// killAll ends what prepare has started; the cluster ends the rest.
func (r *run) killAll() {
	for _, each := range r.parts {
		each.thaw()
		each.Kill()
	}
}
