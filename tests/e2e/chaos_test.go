package e2e

import (
	"context"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"berth.dev/berth/tests/e2e/chaos"
	"berth.dev/berth/tests/e2e/harness"
)

// Two minutes of faults, on a control plane of its own; scripts/chaos does longer ones.
func TestChaos(t *testing.T) {
	seed := uint64(1)
	if text := os.Getenv("BERTH_CHAOS_SEED"); text != "" {
		given, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		seed = given
	}
	if !cluster.HasBerth() {
		t.Fatal(harness.LacksBerthd)
	}
	own, err := harness.StartCluster(context.Background(),
		harness.ClusterOptions{Name: "chaos", WithoutKubelets: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { own.Stop(t.Failed()) }()
	var said strings.Builder
	err = chaos.Run(context.Background(), own,
		chaos.Options{Length: 2 * time.Minute, Seed: seed, Output: &said})
	t.Log("\n" + said.String())
	if err != nil {
		t.Error(err)
	}
}
