package recorded

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
)

const (
	version = "v1.37.2" // as in go.mod
	// Seed is of the recordings in the repository.
	Seed = 20261127
)

// Recording is what writes one, and how many runs the repository has.
type Recording struct {
	Write func(ctx context.Context, to io.Writer, seed, runs uint64) error
	Runs  uint64
}

// Recordings by the name of their file: "recorded_NAME.jsonl".
var Recordings = map[string]Recording{
	"queue": {WriteQueue, 320}, "cluster": {WriteCluster, 320}, "preemption": {WritePreemption, 320},
}

type header struct {
	Kubernetes string `json:"kubernetes"`
	Seed       uint64 `json:"seed"`
}

// QueueRun is a line of the file of the queue.
type QueueRun struct {
	PopsFromBackoff bool     `json:"popsFromBackoff"`
	Steps           []string `json:"steps"`
}

// WriteQueue records the queue: a line about the recording, then a line for each run. Equal seeds give
// equal texts (RECORD-6).
func WriteQueue(ctx context.Context, to io.Writer, seed, runs uint64) error {
	defer setPopFromBackoff(true) // the default
	return write(ctx, to, seed, runs, func(ctx context.Context, number uint64) (any, error) {
		run := QueueRun{PopsFromBackoff: number%2 == 0}
		err := setPopFromBackoff(run.PopsFromBackoff)
		if err == nil {
			run.Steps, err = steps(ctx, seed, number, 30+int(number%31))
		}
		return run, err
	})
}

// WriteCluster records all of a kube-scheduler in the same way. Some clusters are large, so that
// not all nodes are looked at.
func WriteCluster(ctx context.Context, to io.Writer, seed, runs uint64) error {
	return write(ctx, to, seed, runs, func(ctx context.Context, number uint64) (any, error) {
		nodes, percentage := 1+int(number%6), int32(100)
		if number%8 == 7 {
			nodes, percentage = 100+int(number%100), int32(number/8%4*30)
		}
		steps, err := clusterSteps(ctx, seed, number, 40+int(number%31), nodes, percentage, nil)
		return ClusterRun{percentage, steps}, err
	})
}

// WritePreemption records a kube-scheduler of the default profile, without scores, on few nodes.
func WritePreemption(ctx context.Context, to io.Writer, seed, runs uint64) error {
	return write(ctx, to, seed, runs, func(ctx context.Context, number uint64) (any, error) {
		steps, err := clusterSteps(ctx, seed, number, 60+int(number%31), 1+int(number%6), 100,
			&preemption{})
		return ClusterRun{100, steps}, err
	})
}

func write(ctx context.Context, to io.Writer, seed, runs uint64,
	record func(ctx context.Context, number uint64) (any, error)) error {
	ctx = klog.NewContext(ctx, klog.Logger{}) // silent
	metrics.Register()
	lines := json.NewEncoder(to)
	lines.SetEscapeHTML(false)
	if err := lines.Encode(header{version, seed}); err != nil {
		return err
	}
	for number := range runs {
		run, err := record(ctx, number)
		if err != nil {
			return fmt.Errorf("run %d: %w", number, err)
		}
		if err := lines.Encode(run); err != nil {
			return err
		}
	}
	return nil
}
