// Bench measures the time from the first patch to the last binding of single pods and of a gang,
// beside the same pods on the bare default profile; docs/e2e.md says how to read it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"berth.dev/berth/tests/e2e/harness"
)

const (
	pool     = "bench"
	bareGate = "e2e.berth.dev/hold"
	patience = 5 * time.Minute
)

type bench struct {
	*harness.Cluster
	ctx   context.Context
	pods  int
	runs  int
	times map[string][]phases
}

// phases of a run, in the watch's time, from the first patch on.
type phases struct {
	lastNominated, lastUngated, firstBound, lastBound time.Duration
	cpu                                               cpu // from the release to the last binding
}

// cpu is processor time of etcd, kube-apiserver, kube-scheduler, berthd, and of this program.
type cpu [5]time.Duration

func (c cpu) total() time.Duration {
	var sum time.Duration
	for _, each := range c {
		sum += each
	}
	return sum
}

func (b *bench) cpu() cpu {
	var taken cpu
	taken[0], taken[1], taken[2] = b.Etcd.CPU(), b.APIServer.CPU(), b.Scheduler.CPU()
	if b.Berth != nil {
		taken[3] = b.Berth.CPU()
	}
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) == nil {
		taken[4] = time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	}
	return taken
}

func main() {
	pods := flag.Int("pods", 1000, "single pods, and members of the gang")
	nodes := flag.Int("nodes", 100, "nodes, of 32 cores each")
	rounds := flag.Int("rounds", 3, "runs of each kind")
	flag.Parse()
	if err := run(*pods, *nodes, *rounds); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(pods, nodes, rounds int) error {
	ctx := context.Background()
	cluster, err := harness.StartCluster(ctx, harness.ClusterOptions{WithoutKubelets: true})
	if err != nil {
		return err
	}
	failed := true
	defer func() { cluster.Stop(failed) }()
	b := &bench{Cluster: cluster, ctx: ctx, pods: pods, times: map[string][]phases{}}
	var names []string
	for i := range nodes {
		names = append(names, fmt.Sprintf("node-%03d", i))
	}
	err = cluster.CreateNodes(ctx, pool, names, harness.Capacity("32", "256Gi", 110, 0))
	if err != nil {
		return err
	}
	for round := range rounds {
		fmt.Printf("round %d of %d\n", round+1, rounds)
		if err := b.bare(); err != nil {
			return err
		}
		if err := b.berth(); err != nil {
			return err
		}
	}
	b.report()
	failed = false
	return nil
}

// bare has the default profile bind pods that are ungated all at once, by berthd's account, so that
// a patch costs the API server the same; no extenders.
func (b *bench) bare() error {
	if err := b.StartScheduler(b.ctx, ""); err != nil {
		return err
	}
	if err := b.warmUp("default-scheduler"); err != nil {
		return err
	}
	client, err := b.AsBerth()
	if err != nil {
		return err
	}
	return b.measure("bare", false, func(pod harness.PodBuilder) harness.PodBuilder {
		return pod.Scheduler("default-scheduler").Gated(bareGate)
	}, func(pods []*core.Pod) error {
		return harness.InParallel(len(pods), func(i int) error {
			_, err := client.CoreV1().Pods(pods[i].Namespace).Patch(b.ctx, pods[i].Name,
				types.JSONPatchType, []byte(`[{"op":"remove","path":"/spec/schedulingGates"}]`),
				meta.PatchOptions{})
			return err
		})
	})
}

// berth has berthd steer in place; it sleeps while the pods are created.
func (b *bench) berth() error {
	const mode = harness.InPlace
	if err := b.InstallAdmission(b.ctx, harness.GateAndMarker); err != nil {
		return err
	}
	if err := b.StartScheduler(b.ctx, b.Address); err != nil {
		return err
	}
	if err := b.RunBerth(b.ctx, harness.BerthOptions{Mode: mode}); err != nil {
		return err
	}
	defer b.Berth.Kill()
	if err := b.warmUp(harness.SchedulerName); err != nil {
		return err
	}
	for _, isGang := range []bool{false, true} {
		what := mode + ", single pods"
		if isGang {
			what = mode + ", a gang"
		}
		b.Berth.Pause()
		err := b.measure(what, isGang,
			func(pod harness.PodBuilder) harness.PodBuilder { return pod },
			func([]*core.Pod) error { b.Berth.Resume(); return nil })
		if err != nil {
			return fmt.Errorf("%s: %w\n%s", what, err, b.Berth.Tail(0, 20))
		}
	}
	return nil
}

// warmUp waits until a pod has been bound: kube-scheduler has got its lease.
func (b *bench) warmUp(scheduler string) error {
	pod := harness.NewPod("default", "warm-up").Scheduler(scheduler).Pool(pool).Build()
	if err := b.CreatePods(b.ctx, []*core.Pod{pod}); err != nil {
		return err
	}
	err := b.Recorder.Await(b.ctx, patience, func() error {
		isBound := func(pod *core.Pod) bool { return pod.Spec.NodeName != "" }
		if len(b.Recorder.PodsOf("default", isBound)) == 0 {
			return errors.New("the first pod is not bound")
		}
		return nil
	})
	if err != nil {
		return err
	}
	return b.ClearNamespace(b.ctx, "default")
}

func (b *bench) measure(what string, isGang bool,
	word func(harness.PodBuilder) harness.PodBuilder, release func([]*core.Pod) error) error {
	b.runs++
	space := fmt.Sprintf("bench-%d", b.runs)
	_, err := b.Client.CoreV1().Namespaces().Create(b.ctx,
		&core.Namespace{ObjectMeta: meta.ObjectMeta{Name: space}}, meta.CreateOptions{})
	if err != nil {
		return err
	}
	if isGang {
		_, err := b.Dynamic.Resource(harness.PodGroups).Namespace(space).Create(b.ctx,
			harness.NewPodGroup(space, "gang", int64(b.pods)), meta.CreateOptions{})
		if err != nil {
			return err
		}
	}
	var pods []*core.Pod
	for i := range b.pods {
		pod := harness.NewPod(space, fmt.Sprintf("pod-%04d", i)).CPU("500m").Pool(pool)
		if isGang {
			pod = pod.Group("gang")
		}
		pods = append(pods, word(pod).Build())
	}
	if err := b.CreatePods(b.ctx, pods); err != nil {
		return err
	}
	before := b.cpu()
	if err := release(pods); err != nil {
		return err
	}
	err = b.Recorder.Await(b.ctx, patience, func() error {
		bound := b.Recorder.Count(space, "bound")
		if bound < len(pods) {
			return fmt.Errorf("%d of %d pods are bound", bound, len(pods))
		}
		return nil
	})
	if err != nil {
		return err
	}
	p := phasesOf(b.Recorder.History(space))
	for i, after := range b.cpu() {
		p.cpu[i] = after - before[i]
	}
	b.times[what] = append(b.times[what], p)
	fmt.Printf("  %-24s %6.2f s\n", what, p.lastBound.Seconds())
	b.Recorder.Forget(space)
	return b.ClearNamespace(b.ctx, space)
}

func phasesOf(history []harness.Moment) phases {
	var first time.Time
	p := phases{}
	for _, moment := range history {
		word, _, _ := strings.Cut(moment.What, " ")
		if first.IsZero() && (word == "nominated" || word == "ungated") {
			first = moment.At
		}
		since := moment.At.Sub(first)
		switch word {
		case "nominated":
			if moment.What != "nominated " { // binding clears it
				p.lastNominated = since
			}
		case "ungated":
			p.lastUngated = since
		case "bound":
			if p.firstBound == 0 {
				p.firstBound = since
			}
			p.lastBound = since
		}
	}
	return p
}

// report shows the median run of each kind by its last binding.
func (b *bench) report() {
	fmt.Printf("\nkube-scheduler 1.%d, %d pods; seconds from the first patch on, median run\n\n",
		b.Minor, b.pods)
	fmt.Println("| what | nominated | ungated | first bound | last bound | pods/s | of bare | " +
		"CPU: etcd | API server | scheduler | berthd | bench | bare's CPU over this |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|---|---|---|")
	median := func(what string) phases {
		all := slices.Clone(b.times[what])
		slices.SortFunc(all, func(x, y phases) int { return int(x.lastBound - y.lastBound) })
		return all[len(all)/2]
	}
	bare := median("bare")
	kinds := []string{}
	for what := range b.times {
		kinds = append(kinds, what)
	}
	slices.Sort(kinds)
	for _, what := range kinds {
		p := median(what)
		fmt.Printf("| %s | %.2f | %.2f | %.2f | %.2f | %.0f | %.2f |", what,
			p.lastNominated.Seconds(), p.lastUngated.Seconds(), p.firstBound.Seconds(),
			p.lastBound.Seconds(), float64(b.pods)/p.lastBound.Seconds(),
			bare.lastBound.Seconds()/p.lastBound.Seconds())
		for _, taken := range p.cpu {
			fmt.Printf(" %.2f |", taken.Seconds())
		}
		fmt.Printf(" %.2f |\n", bare.cpu.total().Seconds()/p.cpu.total().Seconds())
	}
}
