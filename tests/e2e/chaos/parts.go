package chaos

import (
	"context"
	"errors"
	"os/exec"
	"regexp"
	"sync"
	"syscall"
	"time"

	"berth.dev/berth/tests/e2e/harness"
)

// part is a process that faults hit: it is started again when it has ended, as a kubelet would.
type part struct {
	*harness.Process
	// isBerths says that it must not end by itself once it has been ready.
	isBerths bool
	// throughView says that berthd serves its lists: they must not end a kube-scheduler.
	throughView bool
	// isOthers says that it has nothing to do with Berth, and is not hit by faults.
	isOthers bool
	ready    func(context.Context) error

	mutex    sync.Mutex
	killed   bool
	away     time.Duration // from a kill to the start
	frozen   bool
	wasReady bool
	logFrom  int64 // what this process has logged begins there
}

// kill ends it; it is started again after the time.
func (p *part) kill(away time.Duration) {
	p.mutex.Lock()
	p.killed, p.away = true, away
	p.mutex.Unlock()
	p.Kill()
}

func (p *part) freeze() {
	p.mutex.Lock()
	p.frozen = true
	p.mutex.Unlock()
	p.Pause()
}

func (p *part) thaw() {
	p.Resume()
	p.mutex.Lock()
	p.frozen = false
	p.mutex.Unlock()
}

// runs tells whether it runs and is not frozen.
func (p *part) runs() bool {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return !p.frozen && !p.killed && p.Running()
}

// supervise starts it again until the context ends.
func (p *part) supervise(ctx context.Context, judge func(*part, end)) {
	started := time.Now()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
			return
		case <-p.Done():
			p.startAgain(ctx, time.Since(started), judge)
			started = time.Now()
		case <-time.After(500 * time.Millisecond):
			p.probe(ctx)
		}
	}
}

func (p *part) probe(ctx context.Context) {
	p.mutex.Lock()
	skip := p.frozen || p.wasReady
	p.mutex.Unlock()
	if skip {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	isReady := p.ready(ctx) == nil
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.wasReady = p.wasReady || isReady
}

func (p *part) startAgain(ctx context.Context, lived time.Duration, judge func(*part, end)) {
	p.mutex.Lock()
	meant, away, wasReady, logFrom := p.killed, p.away, p.wasReady, p.logFrom
	p.mutex.Unlock()
	if !meant {
		judge(p, end{lived: lived, status: p.Ended(), wasReady: wasReady,
			log: p.Tail(logFrom, 60)})
		away = time.Second
	}
	logFrom = p.LogSize()
	select {
	case <-ctx.Done():
		return
	case <-time.After(away):
	}
	_ = p.Start()
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.killed, p.wasReady, p.logFrom = false, false, logFrom
}

// end of a process that nobody asked for.
type end struct {
	lived    time.Duration
	status   error // nil: 0
	wasReady bool
	log      string // the last lines since its start
}

// How a process ends by itself.
const (
	isFault    = "fault"     // a violation
	isByDesign = "by design" // kube-scheduler ends without its lease; a server cannot start
	isForeign  = "foreign"   // not by Berth: other processes, and kube-scheduler with lists that are not berthd's
)

var (
	crash = regexp.MustCompile(`(?m)panic:|fatal error:|AddressSanitizer|runtime error:|LeakSanitizer` +
		`|terminate called|broken invariant`)
	reusedName  = regexp.MustCompile(`updated on a different node|Pod was not found in`)
	lostLease   = regexp.MustCompile(`(?i)leader ?election lost|lost lease`)
	portIsTaken = regexp.MustCompile(`(?i)address already in use`)
)

// kindOf judges by the status first: what was ended by a signal, or by Go's runtime, has crashed,
// whatever it has logged before.
func (p *part) kindOf(e end) string {
	switch {
	case p.isOthers:
		return isForeign
	case !p.isBerths:
		return isByDesign
	case hasCrashed(e.status), e.wasReady && e.status == nil, crash.MatchString(e.log):
		return isFault
	case reusedName.MatchString(e.log):
		if p.throughView {
			return isFault
		}
		return isForeign
	case lostLease.MatchString(e.log) && !p.throughView, portIsTaken.MatchString(e.log):
		return isByDesign
	case e.wasReady:
		return isFault
	default:
		return isByDesign
	}
}

// hasCrashed tells whether a signal has ended it, or a panic of Go (status 2).
func hasCrashed(status error) bool {
	exited := &exec.ExitError{}
	if !errors.As(status, &exited) {
		return false
	}
	wait, is := exited.Sys().(syscall.WaitStatus)
	return is && (wait.Signaled() || wait.ExitStatus() == 2)
}
