// Command oracle compares `berth fits` with kube-scheduler's own filter plugins
// (docs/design/oracle.md):
//
//	go run ./cmd/oracle -berth BINARY -cases 200000          compares; ends with 1 at a difference
//	go run ./cmd/oracle -berth BINARY -gangs 20000           asks about plans of gangs, bind by bind
//	go run ./cmd/oracle -berth BINARY -defaults              the same with default spreads (SPREAD-8)
//	go run ./cmd/oracle -seed 7 -first 12 -print             writes cluster 12 of seed 7
//	go run ./cmd/oracle -cluster DUMP.json                   what kube-scheduler's filters say of a dump
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"

	"berth.dev/berth/tests/e2e/oracle"
)

var (
	berth    = flag.String("berth", "", "the berth to compare with")
	seed     = flag.Uint64("seed", 1, "of all clusters; 0: of the clock")
	first    = flag.Uint64("first", 0, "the number of the first cluster")
	cases    = flag.Uint64("cases", 2000, "how many pods to ask about")
	gangs    = flag.Uint64("gangs", 0, "plan so many gangs instead, and ask about each bind in its order")
	defaults = flag.Bool("defaults", false, "compare with default spreads of the cluster")
	write    = flag.Bool("print", false, "write the first cluster, and nothing else")
	only     = flag.String("features", "", "at least three, such as ports,spread,claim; default: to print, "+
		"all, and to compare, those that Berth decides")
	dump = flag.String("cluster", "", "ask kube-scheduler's filters about this List")
)

// features of -features; empty: all.
var features []string

func main() {
	flag.Parse()
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "oracle:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	if *only != "" {
		features = strings.Split(*only, ",")
	}
	known := oracle.FeatureNames()
	for _, each := range features {
		if !slices.Contains(known, each) {
			return fmt.Errorf("-features: %q is none of %v", each, known)
		}
	}
	if len(features) > 0 && len(features) < 3 {
		return errors.New("-features: expected at least three")
	}
	if *seed == 0 {
		*seed = uint64(time.Now().UnixNano())
	}
	if *write {
		made := oracle.Generate
		if *gangs > 0 {
			made = func(seed, number uint64, _ ...string) *oracle.Cluster {
				return oracle.GenerateGangs(seed, number)
			}
		}
		return json.NewEncoder(os.Stdout).Encode(made(*seed, *first, features...))
	}
	var spreads []v1.TopologySpreadConstraint
	if *defaults {
		spreads = oracle.DefaultSpreads()
	}
	filters, err := oracle.NewFilters(ctx, spreads...)
	if err != nil {
		return err
	}
	if *dump != "" {
		return answer(ctx, filters)
	}
	if *berth == "" {
		return errors.New("-berth: missing, expected the berth to compare with")
	}
	if *gangs > 0 {
		return plan(ctx, filters)
	}
	return compare(ctx, filters)
}

func answer(ctx context.Context, filters *oracle.Filters) error {
	text, err := os.ReadFile(*dump)
	if err != nil {
		return err
	}
	cluster := &oracle.Cluster{}
	if err := json.Unmarshal(text, cluster); err != nil {
		return err
	}
	if err := filters.Load(ctx, cluster); err != nil {
		return err
	}
	for _, pod := range cluster.Waiting() {
		answers, err := filters.Ask(ctx, pod)
		if err != nil {
			return err
		}
		for _, each := range answers {
			fmt.Printf("%s\t%s\t%v\t%s\t%q\n", oracle.FullName(pod), each.Node, each.Fits, each.Plugin,
				each.Reasons)
		}
	}
	return nil
}

func compare(ctx context.Context, filters *oracle.Filters) error {
	asked := oracle.Comparison{Filters: filters, Berth: *berth, Seed: *seed, First: *first,
		Cases: *cases, Features: features}
	if len(features) == 0 {
		asked.Features = oracle.Decided()
	}
	if *defaults {
		directory, err := os.MkdirTemp("", "oracle")
		if err != nil {
			return err
		}
		defer os.RemoveAll(directory)
		asked.Config = filepath.Join(directory, "berth.yaml")
		if err := oracle.WriteConfig(asked.Config, oracle.DefaultSpreads()); err != nil {
			return err
		}
	}
	fmt.Printf("seed %d, clusters %d to %d, features %s\n", *seed, *first, *first+asked.Clusters()-1,
		strings.Join(asked.Features, ","))
	found, err := asked.Run(ctx)
	if err != nil {
		return err
	}
	if found == nil {
		fmt.Printf("%d cases, 0 differences\n", asked.Clusters()*oracle.PodsInCluster)
		return nil
	}
	return show(found)
}

func plan(ctx context.Context, filters *oracle.Filters) error {
	asked := oracle.Sequences{Filters: filters, Berth: *berth, Seed: *seed, First: *first, Cases: *gangs}
	fmt.Printf("seed %d, clusters %d to %d\n", *seed, *first, *first+asked.Clusters()-1)
	found, err := asked.Run(ctx)
	if err != nil {
		return err
	}
	fmt.Println(asked.Text())
	if found == nil {
		fmt.Println("each bind fits")
		return nil
	}
	return show(found)
}

func show(found *oracle.Difference) error {
	if err := json.NewEncoder(os.Stdout).Encode(found.Cluster); err != nil {
		return err
	}
	return fmt.Errorf("-seed %d -first %d: %d differences, first %q", *seed, found.Number,
		len(found.Lines), found.Lines[0])
}
