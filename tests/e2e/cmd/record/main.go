// Command record records what a kube-scheduler does (docs/design/embedded.md), its queue alone or
// all of it:
//
//	go run ./cmd/record queue > ../embedded/testdata/recorded_queue.jsonl
//	go run ./cmd/record cluster > ../embedded/testdata/recorded_cluster.jsonl
//	go run ./cmd/record preemption > ../embedded/testdata/recorded_preemption.jsonl
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
	runs = flag.Uint64("runs", 0, "how many runs; 0: as many as the repository has")
)

func main() {
	flag.Parse()
	recording, ok := recorded.Recordings[flag.Arg(0)]
	if !ok {
		fmt.Fprintln(os.Stderr, "usage: record [-seed N] [-runs N] queue|cluster|preemption")
		os.Exit(2)
	}
	if *runs == 0 {
		*runs = recording.Runs
	}
	if err := recording.Write(context.Background(), os.Stdout, *seed, *runs); err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		os.Exit(1)
	}
}
