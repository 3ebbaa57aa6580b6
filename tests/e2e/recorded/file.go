package recorded

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"k8s.io/kubernetes/pkg/scheduler/metrics"
)

const (
	kubernetes = "v1.36.3" // as in go.mod
	// Seed and Runs are of the recording in the repository.
	Seed = 20261127
	Runs = 320
)

type header struct {
	Kubernetes string `json:"kubernetes"`
	Seed       uint64 `json:"seed"`
}

// QueueRun is a line of the file.
type QueueRun struct {
	PopsFromBackoff bool     `json:"popsFromBackoff"`
	Steps           []string `json:"steps"`
}

// WriteQueue records: a line about the recording, then a line for each run. Equal seeds give equal
// texts (RECORD-6).
func WriteQueue(ctx context.Context, to io.Writer, seed, runs uint64) error {
	metrics.Register()
	lines := json.NewEncoder(to)
	if err := lines.Encode(header{kubernetes, seed}); err != nil {
		return err
	}
	defer setPopFromBackoff(true) // the default
	for number := range runs {
		run := QueueRun{PopsFromBackoff: number%2 == 0}
		if err := setPopFromBackoff(run.PopsFromBackoff); err != nil {
			return err
		}
		var err error
		if run.Steps, err = steps(ctx, seed, number, 30+int(number%31)); err != nil {
			return fmt.Errorf("run %d: %w", number, err)
		}
		if err := lines.Encode(run); err != nil {
			return err
		}
	}
	return nil
}
