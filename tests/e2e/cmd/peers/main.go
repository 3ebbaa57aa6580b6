// Peers measures how fast pods and gangs are bound by Berth and by other schedulers, one after the
// other on the same control plane, nodes and machine; docs/e2e.md says how to read it.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"berth.dev/berth/tests/e2e/harness"
)

const usage = `Measures how fast schedulers bind the same pods, in turns, on one control plane.
usage: scripts/bench-peers [--berthd FILE] [option]...

variant       needs                          is
bare                                         kube-scheduler's default profile, 2,000 requests a second
native                                       the same with Kubernetes' own gangs, by their feature gate
view          BERTHD_BINARY                  berthd, kube-scheduler sees the cluster through it
nominate      BERTHD_BINARY                  berthd, in place: gates and policies
volcano       VOLCANO_SCHEDULER (binary),    Volcano's scheduler as its chart runs it; groups of single
              VOLCANO_CONF, VOLCANO_CRDS     pods are made before the time begins
coscheduling  COSCHEDULER (binary),          scheduler-plugins' kube-scheduler with Coscheduling
              COSCHEDULING_CRDS

workload  W1 a gang of 1,000; W2 50 gangs of 20; W3 1,000 single pods; W4 4,000 pods in gangs of 16 to
          128; 10xW1 is a tenth of W1. Pods of 1 cpu, nodes of 32.
phase     release: the scheduler is stopped, the pods are created, it goes on; until the last binding
          create: it runs; from the first creation, by 16 writers, to the last binding
          start: a pod waits; from the start of the processes to its binding, once a turn

`

func main() {
	flag.Usage = func() {
		fmt.Fprint(os.Stderr, usage)
		flag.PrintDefaults()
	}
	variants := flag.String("variants", "bare,view,nominate", "in this order, in each round")
	workloads := flag.String("workloads", "W1,W2,W3", "in this order")
	phases := flag.String("phases", "release,create", "in this order")
	nodes := flag.Int("nodes", 100, "nodes")
	running := flag.Int("running", 0, "pods that are bound before, of 100m")
	rounds := flag.Int("rounds", 3, "of all variants")
	results := flag.String("results", "results.jsonl", "a line for each run is appended")
	patience := flag.Duration("patience", 3*time.Minute, "for one run")
	report := flag.Bool("report", false, "no run; only the tables of the results, in Markdown")
	flag.Parse()
	if flag.NArg() > 0 {
		fail(fmt.Errorf("unexpected argument %q; -help shows the options", flag.Arg(0)))
	}
	if !filepath.IsAbs(*results) { // the script has changed directory
		*results = filepath.Join(os.Getenv("CALLER_DIRECTORY"), *results)
	}
	if *report {
		if err := printReport(*results); err != nil {
			fail(err)
		}
		return
	}
	d := &driver{ctx: context.Background(), patience: *patience, nodes: *nodes, running: *running}
	p := plan{strings.Split(*variants, ","), strings.Split(*workloads, ","),
		strings.Split(*phases, ","), *rounds}
	if err := p.check(); err != nil {
		fail(err)
	}
	if err := d.run(p, *results); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "peers:", err)
	os.Exit(1)
}

// plan is what to measure.
type plan struct {
	variants, workloads, phases []string
	rounds                      int
}

func (p plan) check() error {
	for _, name := range p.variants {
		if _, known := makers[name]; !known {
			return fmt.Errorf("no variant %q, expected one of %v", name,
				slices.Sorted(maps.Keys(makers)))
		}
	}
	for _, name := range p.workloads {
		if _, _, err := gangsOf(name); err != nil {
			return err
		}
	}
	for _, name := range p.phases {
		if name != "release" && name != "create" && name != "start" {
			return fmt.Errorf("no phase %q, expected release, create or start", name)
		}
	}
	return nil
}

type driver struct {
	*harness.Cluster
	ctx      context.Context
	patience time.Duration
	nodes    int
	running  int
	spaces   int
	round    int
	log      *os.File
}

const pool = "peers"

func (d *driver) run(p plan, results string) error {
	log, err := os.OpenFile(results, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()
	d.log = log
	options := harness.ClusterOptions{WithoutKubelets: true, WithoutSchedulers: true}
	if slices.Contains(p.variants, "native") {
		options.Server = harness.ServerOptions{Gates: []string{nativeGate},
			APIs: []string{nativeGroups.String()}}
	}
	d.Cluster, err = harness.StartCluster(d.ctx, options)
	if err != nil {
		return err
	}
	failed := true
	defer func() { d.Cluster.Stop(failed) }()
	if err := d.prepare(); err != nil {
		return err
	}
	var names []string
	for i := range d.nodes {
		names = append(names, fmt.Sprintf("node-%04d", i))
	}
	err = d.CreateNodes(d.ctx, pool, names, harness.Capacity("32", "256Gi", 110, 0))
	if err != nil {
		return err
	}
	if err := d.createRunning(names); err != nil {
		return err
	}
	failures := 0
	for d.round = 1; d.round <= p.rounds; d.round++ {
		for _, name := range p.variants {
			if err := d.one(name, p); err != nil {
				fmt.Printf("round %d %s: %v\n", d.round, name, err)
				failures++
			}
		}
	}
	if failures > 0 {
		return fmt.Errorf("%d of %d turns failed", failures, p.rounds*len(p.variants))
	}
	failed = false
	return nil
}

// one starts the variant anew, measures all workloads, and ends it.
func (d *driver) one(name string, p plan) error {
	v := makers[name](d)
	v.name = name
	defer v.stop(d)
	if v.install != nil {
		if err := v.install(); err != nil {
			return fmt.Errorf("install: %w", err)
		}
	}
	if err := d.start(v, p); err != nil {
		return fmt.Errorf("start: %w\n%s", err, v.tails())
	}
	if err := d.warmUp(v); err != nil {
		return fmt.Errorf("warm-up: %w\n%s", err, v.tails())
	}
	for _, workload := range p.workloads {
		for _, phase := range p.phases {
			if phase == "start" {
				continue
			}
			if err := d.note(d.measure(v, workload, phase)); err != nil {
				return fmt.Errorf("%w\n%s", err, v.tails())
			}
		}
	}
	return nil
}

// note appends a result to the file.
func (d *driver) note(result Result) error {
	line, err := json.Marshal(result)
	if err != nil {
		return err
	}
	fmt.Fprintf(d.log, "%s\n", line)
	fmt.Println(result.line())
	if result.Error != "" {
		return fmt.Errorf("%s %s: %s", result.Workload, result.Phase, result.Error)
	}
	return nil
}
