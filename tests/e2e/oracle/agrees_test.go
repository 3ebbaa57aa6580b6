package oracle

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// berthFor is BERTH_BINARY, or the berth beside BERTHD_BINARY, which scripts/e2e sets.
func berthFor(t *testing.T) string {
	t.Helper()
	if berth := os.Getenv("BERTH_BINARY"); berth != "" {
		return berth
	}
	berthd := os.Getenv("BERTHD_BINARY")
	if berthd == "" {
		t.Fatal("BERTH_BINARY is not set: it names the berth to compare with")
	}
	return filepath.Join(filepath.Dir(berthd), "berth")
}

// ORACLE-1, ORACLE-4, ORACLE-7.
func TestBerthAgrees(t *testing.T) {
	filters, berth := filtersFor(t), berthFor(t)
	clock := uint64(time.Now().UnixNano())
	for _, each := range []struct {
		seed, cases uint64
	}{
		{seed, 2000}, {clock, 400},
	} {
		// The name is printed also where the test passes.
		t.Run(fmt.Sprintf("seed %d", each.seed), func(t *testing.T) {
			comparison := Comparison{Filters: filters, Berth: berth, Seed: each.seed,
				Cases: each.cases, Features: Decided()}
			agree(t, &comparison)
		})
	}
}

// ORACLE-11: pods without spreads have the cluster's.
func TestBerthAgreesAboutDefaultSpreads(t *testing.T) {
	spreads := DefaultSpreads()
	filters, err := NewFilters(t.Context(), spreads...)
	if err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(t.TempDir(), "berth.yaml")
	if err := WriteConfig(config, spreads); err != nil {
		t.Fatal(err)
	}
	agree(t, &Comparison{Filters: filters, Berth: berthFor(t), Seed: seed, Cases: 800,
		Features: Decided(), Config: config})
}

func agree(t *testing.T, comparison *Comparison) {
	t.Helper()
	found, err := comparison.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if found == nil {
		return
	}
	cluster, err := json.Marshal(found.Cluster)
	t.Errorf("seed %d, cluster %d: %q in %s (%v)", comparison.Seed, found.Number, found.Lines, cluster,
		err)
}
