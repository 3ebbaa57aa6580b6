// Admission measures what admission policies cost the API server for each pod that is created:
// policies in turns with none, on one control plane. docs/e2e.md says how to run it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	core "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"berth.dev/berth/tests/e2e/harness"
)

const usage = `Measures the API server's processor time for each pod created, with and without policies.
usage: scripts/bench-admission [-rounds N] [-pods N] [DIRECTORY of a kustomization]...
Without a directory: deploy/admission/v1. Pods are created by dry run, so that etcd is left out.

`

type bench struct {
	*harness.Cluster
	ctx      context.Context
	pods     int
	profiles string
	turns    int
}

// cost of one pod.
type cost struct{ cpu, wall time.Duration }

func main() {
	flag.Usage = func() {
		fmt.Fprint(os.Stderr, usage)
		flag.PrintDefaults()
	}
	rounds := flag.Int("rounds", 5, "of all directories")
	pods := flag.Int("pods", 1000, "created in each turn")
	profiles := flag.String("profiles", "", "directory for a profile of each of the API server's turns")
	flag.Parse()
	directories := flag.Args()
	if len(directories) == 0 {
		directories = []string{harness.Deploy("admission", "v1")}
	}
	for i, each := range directories {
		if !filepath.IsAbs(each) { // the script has changed directory
			directories[i] = filepath.Join(os.Getenv("CALLER_DIRECTORY"), each)
		}
	}
	if err := run(directories, *rounds, *pods, *profiles); err != nil {
		fmt.Fprintln(os.Stderr, "admission:", err)
		os.Exit(1)
	}
}

func run(directories []string, rounds, pods int, profiles string) error {
	ctx := context.Background()
	cluster, err := harness.StartCluster(ctx,
		harness.ClusterOptions{WithoutKubelets: true, WithoutSchedulers: true})
	if err != nil {
		return err
	}
	failed := true
	defer func() { cluster.Stop(failed) }()
	b := &bench{Cluster: cluster, ctx: ctx, pods: pods, profiles: profiles}
	costs := map[string][]cost{}
	if _, err := b.measure(); err != nil { // connections and caches
		return err
	}
	for round := range rounds {
		for _, directory := range append([]string{""}, directories...) {
			each, err := b.turn(directory)
			if err != nil {
				return fmt.Errorf("%s: %w", directory, err)
			}
			costs[directory] = append(costs[directory], each)
			fmt.Printf("round %d %s: %.3f ms of processor, %.3f ms\n", round+1, nameOf(directory),
				milliseconds(each.cpu), milliseconds(each.wall))
		}
	}
	report(costs, directories)
	failed = false
	return nil
}

func nameOf(directory string) string {
	if directory == "" {
		return "no policies"
	}
	return directory
}

func milliseconds(time time.Duration) float64 { return time.Seconds() * 1000 }

// turn measures with the policies of a directory in force.
func (b *bench) turn(directory string) (cost, error) {
	if directory == "" {
		return b.measure()
	}
	objects, err := b.Kustomize(directory)
	if err != nil {
		return cost{}, err
	}
	b.AdaptToServer(objects)
	if err := b.Apply(b.ctx, objects); err != nil {
		return cost{}, err
	}
	if err := b.awaitGates(true); err != nil {
		return cost{}, err
	}
	measured, err := b.measure()
	if err != nil {
		return cost{}, err
	}
	return measured, b.remove(objects)
}

func (b *bench) remove(objects []*unstructured.Unstructured) error {
	for _, object := range slices.Backward(objects) {
		if err := b.Remove(b.ctx, object); err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}
	return b.awaitGates(false)
}

func (b *bench) awaitGates(wanted bool) error {
	return b.AwaitAnswer(b.ctx, func(ctx context.Context) error {
		pod, err := b.create(harness.NewPod("default", "probe").Build())
		if err == nil && (len(pod.Spec.SchedulingGates) > 0) != wanted {
			err = fmt.Errorf("gates %v, expected some: %t", pod.Spec.SchedulingGates, wanted)
		}
		return err
	})
}

func (b *bench) create(pod *core.Pod) (*core.Pod, error) {
	return b.Client.CoreV1().Pods(pod.Namespace).Create(b.ctx, pod,
		meta.CreateOptions{DryRun: []string{meta.DryRunAll}})
}

func (b *bench) measure() (cost, error) {
	pod := harness.NewPod("default", "pod").Group("gang").Label("app", "bench").Build()
	profiled := b.profile()
	cpu, began := b.APIServer.CPU(), time.Now()
	err := harness.InParallel(b.pods, func(int) error {
		_, err := b.create(pod)
		return err
	})
	count := time.Duration(b.pods)
	measured := cost{(b.APIServer.CPU() - cpu) / count, time.Since(began) / count}
	return measured, errors.Join(err, <-profiled)
}

// profile begins to write profiles/TURN.pprof, for go tool pprof.
func (b *bench) profile() <-chan error {
	done := make(chan error, 1)
	if b.profiles == "" {
		done <- nil
		return done
	}
	b.turns++
	file := filepath.Join(b.profiles, fmt.Sprintf("%02d.pprof", b.turns))
	go func() {
		seconds := fmt.Sprint(1 + b.pods/500)
		text, err := b.Client.Discovery().RESTClient().Get().AbsPath("/debug/pprof/profile").
			Param("seconds", seconds).DoRaw(b.ctx)
		if err == nil {
			err = os.WriteFile(file, text, 0o644)
		}
		done <- err
	}()
	return done
}

func report(costs map[string][]cost, directories []string) {
	median := func(directory string, of func(cost) time.Duration) float64 {
		values := []time.Duration{}
		for _, each := range costs[directory] {
			values = append(values, of(each))
		}
		slices.Sort(values)
		return milliseconds(values[len(values)/2])
	}
	fmt.Println("\n| policies | API server's processor, ms a pod | more than without | ms a pod |")
	fmt.Println("|---|---|---|---|")
	cpu := func(c cost) time.Duration { return c.cpu }
	without := median("", cpu)
	for _, each := range append([]string{""}, directories...) {
		name := strings.TrimPrefix(nameOf(each), harness.Repository()+"/")
		fmt.Printf("| %s | %.2f | %.2f | %.2f |\n", name, median(each, cpu),
			median(each, cpu)-without, median(each, func(c cost) time.Duration { return c.wall }))
	}
}
