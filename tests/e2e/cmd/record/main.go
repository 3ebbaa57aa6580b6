// Command recordqueue records what kube-scheduler's own queue does (docs/design/embedded.md):
//
//	go run ./cmd/recordqueue > ../embedded/testdata/recorded_queue.jsonl
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"berth.dev/berth/tests/e2e/recorded"
)

var (
	seed = flag.Uint64("seed", recorded.Seed, "of all runs")
	runs = flag.Uint64("runs", recorded.Runs, "how many runs")
)

func main() {
	flag.Parse()
	if err := recorded.WriteQueue(context.Background(), os.Stdout, *seed, *runs); err != nil {
		fmt.Fprintln(os.Stderr, "recordqueue:", err)
		os.Exit(1)
	}
}
