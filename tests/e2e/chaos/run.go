// Package chaos has gangs come and go while processes are killed and frozen and nodes are lost, and
// holds what the API server has written against laws (docs/e2e.md).
package chaos

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"berth.dev/berth/tests/e2e/harness"
)

// Options of a run.
type Options struct {
	Length time.Duration // of the faults
	Seed   uint64
	Only   string // faults hit the processes whose names begin so
	Output io.Writer
}

// run is one run. The mutex guards the world, counts, words and violations.
type run struct {
	Options
	cluster *harness.Cluster
	parts   map[string]*part
	others  *part    // the kube-scheduler of pods that are not ours, if it is another
	order   []string // of the parts
	history *history
	seen    atomic.Int64 // the last revision that the world has
	answers atomic.Bool  // the API server does

	mutex      sync.Mutex
	world      *world
	troubled   map[string]bool // nodes
	worst      longest
	allUp      time.Time // since when all parts run; zero: one does not
	began      time.Time
	faultsFrom time.Time // zero: they have not begun
	faultsOver time.Time
	settled    time.Duration
	violations []string
	schedule   []string
	log        *os.File
	sizes      *sizes
}

// Run is one run of chaos, in the mode of BERTH_E2E_MODE; an error says which laws were violated.
// The cluster is its own, without kubelets.
func Run(parent context.Context, cluster *harness.Cluster, options Options) error {
	ctx, cancel := context.WithCancel(parent)
	defer cancel()
	r := &run{Options: options, cluster: cluster, parts: map[string]*part{},
		troubled: map[string]bool{}, began: time.Now(), sizes: newSizes()}
	s := newState()
	s.note = func(format string, arguments ...any) { r.write(fmt.Sprintf(format, arguments...)) }
	s.violated = r.violated
	r.world = newWorld(cluster, options.Seed, s)
	var err error
	if r.log, err = os.Create(filepath.Join(cluster.Directory, "chaos.log")); err != nil {
		return err
	}
	defer r.log.Close()
	fmt.Fprintf(r.Output, "chaos: mode %s, %v of faults, seed %d; logs in %s\n", cluster.Mode,
		options.Length, options.Seed, cluster.Directory)
	if err := r.prepare(ctx); err != nil {
		return err
	}
	defer r.killAll()
	defer cancel()
	r.begin(ctx)
	if err := r.warmUp(ctx); err != nil {
		return err
	}
	r.inflict(ctx)
	r.settle(ctx)
	r.judgeSizes()
	return r.verdict()
}

// begin starts what goes on for the whole run.
func (r *run) begin(ctx context.Context) {
	for _, each := range r.parts {
		go each.supervise(ctx, r.endedByItself)
	}
	if r.others != nil {
		go r.others.supervise(ctx, r.endedByItself)
	}
	go func() {
		err := r.history.follow(ctx, func(made change) {
			r.locked(func() { r.world.apply(made, time.Now()) })
		}, r.seen.Store)
		if err != nil && ctx.Err() == nil {
			r.locked(func() { r.violated(0, "the test is at fault: %v", err) })
		}
	}()
	go r.askAPIServer(ctx)
	go r.tick(ctx)
	go r.report(ctx)
	go r.sample(ctx)
}

// askAPIServer notices whether the API server answers.
func (r *run) askAPIServer(ctx context.Context) {
	for ctx.Err() == nil {
		asked, cancel := context.WithTimeout(ctx, 2*time.Second)
		err := r.cluster.Client.Discovery().RESTClient().Get().AbsPath("/readyz").Do(asked).Error()
		cancel()
		r.answers.Store(err == nil)
		time.Sleep(300 * time.Millisecond)
	}
}

// tick has time pass, and the world act.
func (r *run) tick(ctx context.Context) {
	const pace = 200 * time.Millisecond
	last := time.Now()
	for range time.Tick(pace) {
		if ctx.Err() != nil {
			return
		}
		up := r.answers.Load()
		for _, each := range r.parts {
			up = up && each.runs()
		}
		now := time.Now()
		r.locked(func() {
			if !up {
				r.allUp = time.Time{}
			} else if r.allUp.IsZero() {
				r.allUp = now
			}
			counts := !r.allUp.IsZero() && now.Sub(r.allUp) > recovery
			// When this process gets no processor, the others do not either.
			r.world.pass(min(now.Sub(last), 2*pace), counts, &r.worst)
			r.world.round(ctx, now)
		})
		last = now
	}
}

// warmUp waits for the first gangs.
func (r *run) warmUp(ctx context.Context) error {
	const enough = 10
	deadline := time.Now().Add(harness.StartUp)
	for time.Now().Before(deadline) && ctx.Err() == nil {
		started := 0
		r.locked(func() { started = r.world.counts["started"] })
		if started >= enough {
			return nil
		}
		time.Sleep(200 * time.Millisecond)
	}
	return fmt.Errorf("%d gangs have not started without any fault", enough)
}

// inflict carries the faults out.
func (r *run) inflict(parent context.Context) {
	ctx, cancel := context.WithCancel(parent)
	defer cancel()
	r.say("the faults begin")
	begin := time.Now()
	r.locked(func() { r.faultsFrom = begin })
	over := make(chan struct{})
	go func() {
		defer close(over)
		r.troubleNodes(ctx, r.Seed)
	}()
	hit := slices.DeleteFunc(slices.Clone(r.order), func(name string) bool {
		return !strings.HasPrefix(name, r.Only)
	})
	for _, each := range planFaults(r.Seed, r.Length, hit) {
		wait(parent, each.at-time.Since(begin))
		r.locked(func() { r.schedule = append(r.schedule, each.String()) })
		r.strike(each)
	}
	wait(parent, r.Length-time.Since(begin))
	cancel()
	<-over
}

// settle is law 4: what can start does, soon after the last fault.
func (r *run) settle(ctx context.Context) {
	deadline := time.Now().Add(harness.StartUp)
	isUp := false
	for !isUp && time.Now().Before(deadline) {
		time.Sleep(100 * time.Millisecond)
		r.locked(func() { isUp = !r.allUp.IsZero() })
	}
	r.say("the faults are over")
	if !isUp {
		r.locked(func() { r.violated(0, "the test is at fault: not all parts run again") })
	}
	r.locked(func() {
		r.world.draining = true
		r.faultsOver = time.Now()
	})
	// Longer than the law, to know whether it would come at all; until all gangs have come and gone.
	isTold := false
	for end := time.Now().Add(3 * settleLimit); time.Now().Before(end) && ctx.Err() == nil; {
		isEmpty := false
		r.locked(func() {
			isEmpty = len(r.world.gangs) == 0
			left, first := r.world.unbound()
			if left == 0 {
				return
			}
			r.settled = time.Since(r.faultsOver)
			if r.settled > settleLimit && !isTold {
				isTold = true
				r.violated(4, "%v after the last fault %d pods are not bound, such as %s: %s",
					settleLimit, left, first, r.world.whyNot(first))
			}
		})
		if isEmpty {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	if isTold {
		r.say("all was bound after %v, or never", r.settled)
	}
	r.say("settled after %.1f s", r.settled.Seconds())
	time.Sleep(2 * time.Second) // law 1 looks at the last bindings
}

// endedByItself is law 3.
func (r *run) endedByItself(p *part, e end) {
	kind := p.kindOf(e)
	r.count("ends " + kind + " of " + kindOf(p.Name))
	last := lastLines(e.log, 5)
	r.say("%s has ended by itself after %v (%s, %v)", p.Name, e.lived.Round(time.Second), kind,
		e.status)
	r.locked(func() {
		r.write(last)
		if kind == isFault {
			r.violated(3, "%s has ended by itself after %v: %v; the end of its log:\n%s", p.Name,
				e.lived.Round(time.Second), e.status, last)
		}
	})
}

func lastLines(text string, count int) string {
	all := strings.Split(text, "\n")
	return strings.Join(all[max(0, len(all)-count):], "\n")
}

// violated notes a violation; under the mutex.
func (r *run) violated(law int, format string, arguments ...any) {
	text := fmt.Sprintf("law %d: ", law) + fmt.Sprintf(format, arguments...)
	r.write("VIOLATION " + text)
	r.violations = append(r.violations, fmt.Sprintf("%s %s", stamp(), text))
	fmt.Fprintf(r.Output, "%s VIOLATION %s\n", stamp(), text)
}

func stamp() string { return time.Now().Format("15:04:05.000") }

// write is a line of chaos.log; under the mutex.
func (r *run) write(text string) { fmt.Fprintf(r.log, "%s %s\n", stamp(), text) }

func (r *run) say(format string, arguments ...any) {
	r.locked(func() {
		text := fmt.Sprintf(format, arguments...)
		r.write(text)
		if r.schedule = append(r.schedule, stamp()+" "+text); len(r.schedule) > 100_000 {
			r.schedule = r.schedule[1:]
		}
	})
}

func (r *run) count(what string) { r.locked(func() { r.world.counts[what]++ }) }
