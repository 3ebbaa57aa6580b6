package chaos

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// size of a process at one moment.
type size struct{ residentKB, files int }

// sizes of Berth's processes: in the second quarter of the faults, from their last quarter on, and
// now.
type sizes struct {
	early, late map[string][]size
	now         map[string]size
	sanitized   bool     // berthd keeps freed memory for a while
	notJudged   []string // it did not run in one of the two times
}

func newSizes() *sizes {
	text, _ := os.ReadFile(os.Getenv("BERTHD_BINARY"))
	return &sizes{early: map[string][]size{}, late: map[string][]size{}, now: map[string]size{},
		sanitized: bytes.Contains(text, []byte("__asan_init"))}
}

// Flat is what has grown by no more than this. A process that was started again lists everything
// anew, and a large gang has a connection for each member that is held: hence peaks of memory, and
// medians of files.
const (
	residentFactor   = 1.5
	residentSlackKB  = 64 << 10
	sanitizedSlackKB = 512 << 10 // the quarantine is 256 MB
	residentLimitKB  = 2 << 20   // that of the shipped Deployment
	filesSlack       = 32
	sampleEvery      = 2 * time.Second
)

// sample measures Berth's processes.
func (r *run) sample(ctx context.Context) {
	for ctx.Err() == nil {
		for name, each := range r.parts {
			if !each.isBerths {
				continue
			}
			found, err := sizeOf(each.PID())
			if err != nil {
				continue
			}
			r.locked(func() {
				r.sizes.now[name] = found
				switch at := time.Since(r.faultsFrom); {
				case r.faultsFrom.IsZero():
				case at > r.Length/4 && at < r.Length/2:
					r.sizes.early[name] = append(r.sizes.early[name], found)
				case at > 3*r.Length/4:
					r.sizes.late[name] = append(r.sizes.late[name], found)
				}
			})
		}
		wait(ctx, sampleEvery)
	}
}

// peakOf is the most memory, and the median of files.
func peakOf(samples []size) size {
	if len(samples) == 0 {
		return size{}
	}
	var found size
	var files []int
	for _, each := range samples {
		found.residentKB = max(found.residentKB, each.residentKB)
		files = append(files, each.files)
	}
	slices.Sort(files)
	found.files = files[len(files)/2]
	return found
}

func sizeOf(pid int) (size, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return size{}, err
	}
	files, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		return size{}, err
	}
	for line := range strings.Lines(string(status)) {
		if value, found := strings.CutPrefix(line, "VmRSS:"); found {
			resident, err := strconv.Atoi(strings.Fields(value)[0])
			return size{resident, len(files)}, err
		}
	}
	return size{}, fmt.Errorf("process %d has no VmRSS", pid)
}

// measured are the names of Berth's processes.
func (r *run) measured() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(r.parts)), func(name string) bool {
		return !r.parts[name].isBerths
	})
}

// judgeSizes is law 5. The replicas take turns, so the larger of both counts before.
func (r *run) judgeSizes() {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for _, name := range r.measured() {
		before, after := size{}, peakOf(r.sizes.late[name])
		for other, samples := range r.sizes.early {
			if kindOf(other) == kindOf(name) {
				each := peakOf(samples)
				before = size{max(before.residentKB, each.residentKB), max(before.files, each.files)}
			}
		}
		if before == (size{}) || after == (size{}) {
			r.sizes.notJudged = append(r.sizes.notJudged, name)
			continue
		}
		slack := residentSlackKB
		if r.sizes.sanitized && kindOf(name) == "berthd" {
			slack = sanitizedSlackKB
		}
		limit := min(int(residentFactor*float64(before.residentKB))+slack, residentLimitKB)
		if after.residentKB > limit {
			r.violated(5, "%s has %d KB, at most %d KB in the second quarter", name,
				after.residentKB, before.residentKB)
		}
		if after.files > before.files+filesSlack {
			r.violated(5, "%s has %d open files, %d in the second quarter", name, after.files,
				before.files)
		}
	}
}

// report prints a line each minute.
func (r *run) report(ctx context.Context) {
	for {
		wait(ctx, time.Minute)
		if ctx.Err() != nil {
			return
		}
		r.locked(func() { fmt.Fprintln(r.Output, r.line()) })
	}
}

// line is the state now; under the mutex.
func (r *run) line() string {
	counts := r.world.counts
	unbound, _ := r.world.unbound()
	faults, writes := 0, 0
	for what, count := range counts {
		switch {
		case strings.HasPrefix(what, "kills"), strings.HasPrefix(what, "freezes"):
			faults += count
		case strings.HasPrefix(what, "writes"):
			writes += count
		}
	}
	var used []string
	for _, name := range slices.Sorted(maps.Keys(r.sizes.now)) {
		each := r.sizes.now[name]
		used = append(used, fmt.Sprintf("%s %d MB %d files", name, each.residentKB>>10, each.files))
	}
	return fmt.Sprintf("%s %5.0f s: %d gangs, %d there, %d started; %d pods, %d wait; %d binds, "+
		"%d evictions, %d writes; %d kills and freezes; longest in part %.0f s (%.0f s count); "+
		"%d violations; %s", stamp(), time.Since(r.began).Seconds(), counts["gangs"],
		len(r.world.gangs), counts["started"], counts["pods"], unbound, counts["binds"],
		counts["evictions"], writes, faults, r.worst.wall.Seconds(), r.worst.counted.Seconds(),
		len(r.violations), strings.Join(used, ", "))
}

// verdict prints the end, and is an error if a law was violated.
func (r *run) verdict() error {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	fmt.Fprintln(r.Output, r.line())
	for _, what := range slices.Sorted(maps.Keys(r.world.counts)) {
		fmt.Fprintf(r.Output, "  %-40s %d\n", what, r.world.counts[what])
	}
	for _, name := range r.measured() {
		early, late := peakOf(r.sizes.early[name]), peakOf(r.sizes.late[name])
		fmt.Fprintf(r.Output, "  %-40s %d KB, then %d KB; %d open files, then %d\n", name,
			early.residentKB, late.residentKB, early.files, late.files)
	}
	if len(r.sizes.notJudged) > 0 {
		fmt.Fprintf(r.Output, "  law 5 is not judged for %s\n", strings.Join(r.sizes.notJudged, ", "))
	}
	fmt.Fprintf(r.Output, "  longest in part: %.1f s, of which %.1f s count (limit %v)\n",
		r.worst.wall.Seconds(), r.worst.counted.Seconds(), partLimit)
	fmt.Fprintf(r.Output, "  time to settle: %.1f s (limit %v)\n", r.settled.Seconds(), settleLimit)
	if len(r.violations) == 0 {
		fmt.Fprintf(r.Output, "chaos: PASS, mode %s, seed %d, %v\n", r.cluster.Mode, r.Seed, r.Length)
		return nil
	}
	fmt.Fprintf(r.Output, "the faults, by seed %d:\n", r.Seed)
	for _, each := range r.schedule {
		fmt.Fprintln(r.Output, " ", each)
	}
	for _, each := range r.violations {
		line, _, _ := strings.Cut(each, "\n")
		fmt.Fprintln(r.Output, line)
	}
	fmt.Fprintf(r.Output, "chaos: FAIL, %d violations, mode %s, seed %d, %v; logs are in %s\n",
		len(r.violations), r.cluster.Mode, r.Seed, r.Length, r.cluster.Directory)
	return errors.New("a law was violated")
}

// whyNot is what is known about a member that is not bound; under the mutex.
func (w *world) whyNot(name string) string {
	pod := w.pods[space+"/"+name]
	if pod == nil {
		return "it does not exist"
	}
	g := w.gangOf(space + "/" + name)
	return fmt.Sprintf("%d of %d bound, created %s, %s", w.bound(g), g.min,
		pod.since.Format("15:04:05"), w.reasonOf(pod.Pod))
}
