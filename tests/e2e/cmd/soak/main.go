// Soak has gangs and single pods come, run and go for a while, and tells whether berthd's memory
// and open files stay flat.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/e2e/harness"
)

const space = "soak"

// sample of berthd at one moment.
type sample struct {
	residentKB, files int
}

// Flat is what grows by no more than this from the second quarter of the time to the last.
const (
	residentSlack = 0.05
	filesSlack    = 8
)

func main() {
	last := flag.Duration("for", 20*time.Minute, "how long")
	users := flag.Int("users", 12, "who submit one job after the other")
	nodes := flag.Int("nodes", 50, "nodes, of 16 cores each")
	flag.Parse()
	if err := run(*last, *users, *nodes); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(last time.Duration, users, nodes int) error {
	ctx := context.Background()
	cluster, err := harness.StartCluster(ctx, harness.ClusterOptions{})
	if err != nil {
		return err
	}
	failed := true
	defer func() { cluster.Stop(failed) }()
	var names []string
	for i := range nodes {
		names = append(names, fmt.Sprintf("node-%02d", i))
	}
	if err := cluster.CreateNodes(ctx, space, names, harness.Capacity("16", "64Gi", 110, 0)); err != nil {
		return err
	}
	_, err = cluster.Client.CoreV1().Namespaces().Create(ctx,
		&core.Namespace{ObjectMeta: meta.ObjectMeta{Name: space}}, meta.CreateOptions{})
	if err != nil {
		return err
	}
	if err := cluster.RunBerth(ctx, harness.BerthOptions{}); err != nil {
		return err
	}
	timed, cancel := context.WithTimeout(ctx, last)
	defer cancel()
	var jobs, pods atomic.Int64
	var group sync.WaitGroup
	failures := make(chan error, users)
	for user := range users {
		group.Add(1)
		go func() {
			defer group.Done()
			failures <- submit(ctx, timed, cluster, user, &jobs, &pods)
		}()
	}
	samples, err := watch(timed, cluster, &jobs, &pods)
	cancel()
	group.Wait()
	close(failures)
	for failure := range failures {
		err = errors.Join(err, failure)
	}
	if err != nil {
		return err
	}
	if err := judge(samples); err != nil {
		return err
	}
	failed = false
	return nil
}

// submit runs one job after the other: a gang, or single pods, ours and others; one in ten gangs is
// deleted before it ends.
func submit(ctx, timed context.Context, cluster *harness.Cluster, user int,
	jobs, pods *atomic.Int64) error {
	random := rand.New(rand.NewPCG(1, uint64(user)))
	for number := 0; timed.Err() == nil; number++ {
		name := fmt.Sprintf("job-%d-%d", user, number)
		size := 1 + random.IntN(20)
		runs := time.Duration(100+random.IntN(1900)) * time.Millisecond
		scheduler, isGang := harness.SchedulerName, random.IntN(10) < 7
		if !isGang && random.IntN(2) == 0 {
			scheduler = "default-scheduler"
		}
		if isGang {
			_, err := cluster.Dynamic.Resource(harness.PodGroups).Namespace(space).Create(ctx,
				harness.NewPodGroup(space, name, int64(size)), meta.CreateOptions{})
			if err != nil {
				return err
			}
		}
		var members []*core.Pod
		for i := range size {
			pod := harness.NewPod(space, fmt.Sprintf("%s-%d", name, i)).Runs(runs).
				Scheduler(scheduler).Pool(space).Label("job", name)
			if isGang {
				pod = pod.Group(name)
			}
			members = append(members, pod.Build())
		}
		if err := cluster.CreatePods(ctx, members); err != nil {
			return err
		}
		wanted := size
		if isGang && random.IntN(10) == 0 {
			wanted = 0
		}
		if err := awaitEnded(ctx, cluster, name, wanted); err != nil {
			return err
		}
		if err := remove(ctx, cluster, name, isGang); err != nil {
			return err
		}
		jobs.Add(1)
		pods.Add(int64(size))
	}
	return nil
}

func isOf(job string) func(*core.Pod) bool {
	return func(pod *core.Pod) bool { return pod.Labels["job"] == job }
}

func awaitEnded(ctx context.Context, cluster *harness.Cluster, job string, count int) error {
	return cluster.Recorder.Await(ctx, 2*harness.Soon, func() error {
		ended := cluster.Recorder.PodsOf(space, func(pod *core.Pod) bool {
			return isOf(job)(pod) && pod.Status.Phase == core.PodSucceeded
		})
		if len(ended) < count {
			return fmt.Errorf("%s: %d of %d pods have ended", job, len(ended), count)
		}
		return nil
	})
}

func remove(ctx context.Context, cluster *harness.Cluster, job string, isGang bool) error {
	err := cluster.Client.CoreV1().Pods(space).DeleteCollection(ctx,
		meta.DeleteOptions{GracePeriodSeconds: new(int64)},
		meta.ListOptions{LabelSelector: "job=" + job})
	if err == nil && isGang {
		err = cluster.Dynamic.Resource(harness.PodGroups).Namespace(space).Delete(ctx, job,
			meta.DeleteOptions{})
	}
	if err != nil {
		return err
	}
	return cluster.Recorder.Await(ctx, harness.Soon, func() error {
		if left := cluster.Recorder.PodsOf(space, isOf(job)); len(left) > 0 {
			return fmt.Errorf("%s: %d pods are still there", job, len(left))
		}
		return nil
	})
}

// watch samples berthd sixty times.
func watch(timed context.Context, cluster *harness.Cluster, jobs, pods *atomic.Int64) ([]sample, error) {
	deadline, _ := timed.Deadline()
	started := time.Now()
	ticker := time.NewTicker(time.Until(deadline) / 61)
	defer ticker.Stop()
	var samples []sample
	fmt.Println("seconds  jobs   pods   resident KB  open files")
	for {
		select {
		case <-timed.Done():
			return samples, nil
		case <-ticker.C:
		}
		cluster.Recorder.Forget(space)
		now, err := sampleOf(cluster.Berth.PID())
		if err != nil {
			return nil, fmt.Errorf("%w\n%s", err, cluster.Berth.Tail(0, 40))
		}
		samples = append(samples, now)
		fmt.Printf("%7.0f  %5d  %5d  %11d  %10d\n", time.Since(started).Seconds(), jobs.Load(),
			pods.Load(), now.residentKB, now.files)
	}
}

func sampleOf(pid int) (sample, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return sample{}, err
	}
	files, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		return sample{}, err
	}
	for line := range strings.Lines(string(status)) {
		if value, found := strings.CutPrefix(line, "VmRSS:"); found {
			resident, err := strconv.Atoi(strings.Fields(value)[0])
			return sample{resident, len(files)}, err
		}
	}
	return sample{}, fmt.Errorf("process %d has no VmRSS", pid)
}

// judge compares the second quarter, when what is filled once is full, with the last.
func judge(samples []sample) error {
	quarter := len(samples) / 4
	if quarter == 0 {
		return errors.New("too short to judge")
	}
	early, late := peak(samples[quarter:2*quarter]), peak(samples[3*quarter:])
	growth := float64(late.residentKB-early.residentKB) / float64(early.residentKB)
	fmt.Printf("resident: %d KB at most in the second quarter, %d KB in the last (%+.1f %%)\n",
		early.residentKB, late.residentKB, 100*growth)
	fmt.Printf("open files: %d at most in the second quarter, %d in the last\n",
		early.files, late.files)
	if growth > residentSlack || late.files > early.files+filesSlack {
		return errors.New("not flat")
	}
	fmt.Println("flat")
	return nil
}

func peak(samples []sample) sample {
	var most sample
	for _, each := range samples {
		most.residentKB = max(most.residentKB, each.residentKB)
		most.files = max(most.files, each.files)
	}
	return most
}
