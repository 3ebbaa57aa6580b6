// Command record records what a kube-scheduler does (docs/design/embedded.md), its queue alone or
// all of it:
//
//	go run ./cmd/record queue > ../embedded/testdata/recorded_queue.jsonl
//	go run ./cmd/record cluster > ../embedded/testdata/recorded_cluster.jsonl
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
	record, ok := recorded.Writers[flag.Arg(0)]
	if !ok {
		fmt.Fprintln(os.Stderr, "usage: record [-seed N] [-runs N] queue|cluster")
		os.Exit(2)
	}
	if err := record(context.Background(), os.Stdout, *seed, *runs); err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		os.Exit(1)
	}
}
