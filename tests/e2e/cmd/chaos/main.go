// Chaos runs one chaos test (docs/e2e.md).
package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"time"

	"k8s.io/klog/v2"

	"berth.dev/berth/tests/e2e/chaos"
	"berth.dev/berth/tests/e2e/harness"
)

func main() {
	length := flag.Duration("length", 2*time.Minute, "how long there are faults")
	seed := flag.Uint64("seed", 0, "of the faults and of the gangs; 0: one that is printed")
	mode := flag.String("mode", "", "view or nominate; empty: BERTH_E2E_MODE")
	logs := flag.String("logs", "", "directory for logs, which is kept; empty: kept if a law is violated")
	only := flag.String("only", "", "faults hit only the processes whose names begin so, such as berthd")
	flag.Parse()
	options := chaos.Options{Length: *length, Seed: *seed, Only: *only, Output: os.Stdout}
	if err := run(options, *mode, *logs); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(options chaos.Options, mode, logs string) error {
	if options.Seed == 0 {
		options.Seed = uint64(time.Now().UnixNano()) % 1_000_000
	}
	for name, value := range map[string]string{"BERTH_E2E_MODE": mode, "BERTH_E2E_LOGS": logs} {
		if value != "" {
			if err := os.Setenv(name, value); err != nil {
				return err
			}
		}
	}
	klog.SetSlogLogger(slog.New(slog.DiscardHandler)) // a client whose server was killed says so
	ctx := context.Background()
	cluster, err := harness.StartCluster(ctx, harness.ClusterOptions{WithoutKubelets: true})
	if err != nil {
		return err
	}
	failed := true
	defer func() { cluster.Stop(failed) }()
	err = chaos.Run(ctx, cluster, options)
	failed = err != nil
	return err
}
