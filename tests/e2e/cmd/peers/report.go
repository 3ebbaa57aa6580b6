package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// kind is what runs have in common of which the median is taken.
type kind struct {
	workload, phase string
	nodes           int
	variant         string
}

func (k kind) row() string { return fmt.Sprintf("%s | %s | %d", k.workload, k.phase, k.nodes) }

// printReport prints medians and ranges of the runs of each kind.
func printReport(file string) error {
	kinds, variants, err := readResults(file)
	if err != nil {
		return err
	}
	sorted := slices.SortedFunc(maps.Keys(kinds), func(a, b kind) int {
		if order := strings.Compare(fmt.Sprintf("%09d", a.nodes)+a.workload+a.phase,
			fmt.Sprintf("%09d", b.nodes)+b.workload+b.phase); order != 0 {
			return order
		}
		return slices.Index(variants, a.variant) - slices.Index(variants, b.variant)
	})
	printTimes(kinds, sorted, variants)
	fmt.Println()
	printDetails(kinds, sorted)
	return nil
}

// readResults returns the runs by kind, and the variants in the order in which they were run.
func readResults(file string) (map[kind][]Result, []string, error) {
	opened, err := os.Open(file)
	if err != nil {
		return nil, nil, err
	}
	defer opened.Close()
	kinds := map[kind][]Result{}
	var variants []string
	lines := bufio.NewScanner(opened)
	lines.Buffer(nil, 1<<20)
	for number := 1; lines.Scan(); number++ {
		var result Result
		if err := json.Unmarshal(lines.Bytes(), &result); err != nil {
			return nil, nil, fmt.Errorf("%s:%d: %w", file, number, err)
		}
		key := kind{result.Workload, result.Phase, result.Nodes, result.Variant}
		kinds[key] = append(kinds[key], result)
		if !slices.Contains(variants, result.Variant) {
			variants = append(variants, result.Variant)
		}
	}
	return kinds, variants, lines.Err()
}

func good(results []Result) []Result {
	var done []Result
	for _, each := range results {
		if each.Error == "" {
			done = append(done, each)
		}
	}
	return done
}

// printTimes prints the last bindings, a row for each workload and a column for each variant.
func printTimes(kinds map[kind][]Result, sorted []kind, variants []string) {
	fmt.Println("Seconds to the last binding, median")
	fmt.Println()
	fmt.Printf("| workload | from | nodes | %s |\n", strings.Join(variants, " | "))
	fmt.Println("|" + strings.Repeat("---|", 3+len(variants)))
	done := ""
	for _, each := range sorted {
		if each.row() == done {
			continue
		}
		done = each.row()
		fmt.Printf("| %s |", done)
		for _, each.variant = range variants {
			if runs := good(kinds[each]); len(runs) > 0 {
				fmt.Printf(" %.2f |", middle(runs, func(r Result) float64 { return r.LastBound }))
			} else {
				fmt.Print(" |")
			}
		}
		fmt.Println()
	}
}

func printDetails(kinds map[kind][]Result, sorted []kind) {
	fmt.Println("| workload | from | nodes | scheduler | runs | last bound s: median (range) | pods/s | " +
		"first bound s | longest in part s | CPU s | of it etcd, apiserver | schedulers | " +
		"CPU settled s | writes per pod | refused per pod | peak RSS MiB | sessions: count, s | " +
		"others' CPU s |")
	fmt.Println("|" + strings.Repeat("---|", 18))
	for _, each := range sorted {
		runs := good(kinds[each])
		if len(runs) == 0 {
			fmt.Printf("| %s | %s | 0 of %d | failed: %s |\n", each.row(), each.variant,
				len(kinds[each]), kinds[each][0].Error)
			continue
		}
		fmt.Printf("| %s | %s | %d of %d | %s |\n", each.row(), each.variant, len(runs),
			len(kinds[each]), details(runs))
	}
}

func details(runs []Result) string {
	median := func(of func(Result) float64) float64 { return middle(runs, of) }
	last := func(r Result) float64 { return r.LastBound }
	schedulers, rss := []string{}, []string{}
	for _, name := range slices.Sorted(maps.Keys(runs[0].RSS)) {
		schedulers = append(schedulers, fmt.Sprintf("%s %.2f", name,
			median(func(r Result) float64 { return r.CPU[name] })))
		rss = append(rss, fmt.Sprintf("%s %.0f", name,
			median(func(r Result) float64 { return float64(r.RSS[name]) / 1024 })))
	}
	low, high := ends(runs, last)
	return fmt.Sprintf("%.2f (%.2f to %.2f) | %.0f | %.2f | %.2f | %.2f | %.2f, %.2f | %s | %.2f | "+
		"%.2f | %.2f | %s | %.0f, %.3f | %.2f",
		median(last), low, high, float64(runs[0].Pods)/median(last),
		median(func(r Result) float64 { return r.FirstBound }),
		median(func(r Result) float64 { return r.InPart }),
		median(func(r Result) float64 { return r.CPU.total() - r.CPU["driver"] }),
		median(func(r Result) float64 { return r.CPU["etcd"] }),
		median(func(r Result) float64 { return r.CPU["apiserver"] }),
		strings.Join(schedulers, ", "),
		median(func(r Result) float64 { return r.CPUSettled.total() - r.CPUSettled["driver"] }),
		median(func(r Result) float64 { return float64(r.Writes.done()) / float64(r.Pods) }),
		median(func(r Result) float64 { return float64(r.Writes.refused()) / float64(r.Pods) }),
		strings.Join(rss, ", "),
		median(func(r Result) float64 { return r.Sessions.Count }),
		median(func(r Result) float64 { return r.Sessions.Seconds }),
		median(func(r Result) float64 { return r.Others }))
}

func middle(results []Result, of func(Result) float64) float64 {
	values := []float64{}
	for _, each := range results {
		values = append(values, of(each))
	}
	slices.Sort(values)
	if half := len(values) / 2; len(values)%2 == 0 {
		return (values[half-1] + values[half]) / 2
	}
	return values[len(values)/2]
}

func ends(results []Result, of func(Result) float64) (low, high float64) {
	low, high = of(results[0]), of(results[0])
	for _, each := range results {
		low, high = min(low, of(each)), max(high, of(each))
	}
	return low, high
}
