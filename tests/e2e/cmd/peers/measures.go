package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"berth.dev/berth/tests/e2e/harness"
)

// Result is one run, a line in the file of results. Times in seconds from the release, or from the
// first creation on.
type Result struct {
	Round      int
	Variant    string
	Workload   string
	Phase      string
	Nodes      int
	Pods       int
	Gangs      int
	At         string
	Load       float64
	FirstBound float64
	HalfBound  float64
	LastBound  float64
	Created    float64 // last creation answered; before a release, from the first creation on
	CPUCreated seconds // before a release: of the creations, nobody deciding meanwhile
	InPart     float64 // the longest time from the first to the last binding of a gang
	CPU        seconds // until the last binding
	CPUSettled seconds // 3 s later
	Others     float64 // processor time of everything else on the machine, until the last binding
	Writes     counts  // of the API server, but for leases and the pods and groups created here
	RSS        counts  // peaks of the schedulers' processes, KiB
	Sessions   sessions
	Error      string `json:",omitempty"`
}

func (r Result) line() string {
	if r.Error != "" {
		return fmt.Sprintf("%s round %d %-15s %s %-7s FAILED %s", r.At, r.Round, r.Variant,
			r.Workload, r.Phase, r.Error)
	}
	return fmt.Sprintf("%s round %d %-15s %s %-7s first %.2f last %.2f s, cpu %.2f s %v, others "+
		"%.2f, load %.1f, writes %.2f/pod, rss %v, sessions %+v", r.At, r.Round, r.Variant,
		r.Workload, r.Phase, r.FirstBound, r.LastBound, r.CPU.total(), r.CPU, r.Others, r.Load,
		float64(r.Writes.done())/float64(r.Pods), r.RSS, r.Sessions)
}

// seconds of processor time, by process.
type seconds map[string]float64

func (s seconds) since(before seconds) seconds {
	between := seconds{}
	for name, value := range s {
		between[name] = round2(value - before[name])
	}
	return between
}

func (s seconds) total() float64 {
	sum := 0.0
	for _, each := range s {
		sum += each
	}
	return sum
}

func round2(value float64) float64 { return float64(int64(value*1000+0.5)) / 1000 }

func (d *driver) cpu(v *variant) seconds {
	taken := seconds{
		"etcd":      d.Etcd.CPU().Seconds(),
		"apiserver": d.APIServer.CPU().Seconds(),
	}
	for _, process := range v.processes {
		taken[process.Name] = process.CPU().Seconds()
	}
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) == nil {
		taken["driver"] = time.Duration(usage.Utime.Nano() + usage.Stime.Nano()).Seconds()
	}
	return taken
}

// busy is the processor time that the machine has spent, all cores together.
func busy() float64 {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0
	}
	line, _, _ := strings.Cut(string(text), "\n")
	sum := 0
	for i, field := range strings.Fields(line)[1:] {
		if value, err := strconv.Atoi(field); err == nil && i != 3 && i != 4 && i < 8 {
			sum += value // not idle, not waiting for a disk
		}
	}
	return float64(sum) / 100
}

func loadAverage() float64 {
	text, _ := os.ReadFile("/proc/loadavg")
	load, _ := strconv.ParseFloat(strings.Fields(string(text) + " 0")[0], 64)
	return load
}

// peakOf is the highest resident set of a process in KiB since resetPeak.
func peakOf(process *harness.Process) int {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", process.PID()))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if value, found := strings.CutPrefix(line, "VmHWM:"); found {
			peak, _ := strconv.Atoi(strings.Fields(value)[0])
			return peak
		}
	}
	return 0
}

func resetPeak(process *harness.Process) {
	_ = os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", process.PID()), []byte("5"), 0o200)
}

type counts map[string]int

func (c counts) total() int {
	sum := 0
	for _, each := range c {
		sum += each
	}
	return sum
}

// done are the writes that were not refused.
func (c counts) done() int {
	sum := 0
	for name, each := range c {
		if !strings.Contains(name, " refused ") {
			sum += each
		}
	}
	return sum
}

func (c counts) refused() int { return c.total() - c.done() }

func (c counts) take(name string, count int) {
	if c[name] -= count; c[name] == 0 {
		delete(c, name)
	}
}

// writes are the API server's requests that write, by verb and resource; leases are not counted.
func (d *driver) writes() (counts, error) {
	text, err := d.Client.Discovery().RESTClient().Get().AbsPath("/metrics").DoRaw(d.ctx)
	if err != nil {
		return nil, err
	}
	found := counts{}
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		rest, isCount := strings.CutPrefix(lines.Text(), "apiserver_request_total{")
		if !isCount {
			continue
		}
		labels, value, _ := strings.Cut(rest, "} ")
		label := func(name string) string {
			_, after, _ := strings.Cut(","+labels, ","+name+`="`)
			text, _, _ := strings.Cut(after, `"`)
			return text
		}
		verb, resource := label("verb"), label("resource")
		if !slices.Contains([]string{"POST", "PUT", "PATCH", "APPLY", "DELETE",
			"DELETECOLLECTION"}, verb) || resource == "leases" || label("dry_run") != "" {
			continue
		}
		if sub := label("subresource"); sub != "" {
			resource += "/" + sub
		}
		if code := label("code"); !strings.HasPrefix(code, "2") {
			resource += " refused " + code
		}
		count, _ := strconv.ParseFloat(value, 64)
		found[verb+" "+resource] += int(count)
	}
	return found, lines.Err()
}

func writesBetween(before, after counts) counts {
	between := counts{}
	for name, count := range after {
		if more := count - before[name]; more != 0 {
			between[name] = more
		}
	}
	return between
}

// sessions of a scheduler that has such: how many there were, and how long all of them together.
type sessions struct {
	Count   float64
	Seconds float64
}

func (s sessions) since(before sessions) sessions {
	return sessions{s.Count - before.Count, round2(s.Seconds - before.Seconds)}
}

// scrape returns the samples of a process's /metrics, by name and labels.
func scrape(ctx context.Context, url string) (map[string]float64, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	samples := map[string]float64{}
	for line := range strings.Lines(string(text)) {
		at := strings.LastIndexByte(strings.TrimSpace(line), ' ')
		if at < 0 || line[0] == '#' {
			continue
		}
		if value, err := strconv.ParseFloat(strings.TrimSpace(line[at:]), 64); err == nil {
			samples[line[:at]] = value
		}
	}
	return samples, nil
}
