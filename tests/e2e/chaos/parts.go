package chaos

import (
	"context"
	"regexp"
	"sync"
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
	ready       func(context.Context) error

	mutex    sync.Mutex
	killed   bool
	away     time.Duration // from a kill to the start
	frozen   bool
	wasReady bool
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
func (p *part) supervise(ctx context.Context, judge func(*part, time.Duration, bool)) {
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

func (p *part) startAgain(ctx context.Context, lived time.Duration,
	judge func(*part, time.Duration, bool)) {
	p.mutex.Lock()
	meant, away, wasReady := p.killed, p.away, p.wasReady
	p.mutex.Unlock()
	if !meant {
		judge(p, lived, wasReady)
		away = time.Second
	}
	select {
	case <-ctx.Done():
		return
	case <-time.After(away):
	}
	_ = p.Start()
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.killed, p.wasReady = false, false
}

// How a process ends by itself.
const (
	isFault    = "fault"     // a violation
	isByDesign = "by design" // kube-scheduler ends without its lease; a server cannot start
	isForeign  = "foreign"   // kube-scheduler's own fault, with lists that are not berthd's
)

var (
	crash = regexp.MustCompile(`(?m)panic:|fatal error:|AddressSanitizer|runtime error:|LeakSanitizer` +
		`|terminate called|broken invariant`)
	reusedName  = regexp.MustCompile(`updated on a different node|Pod was not found in`)
	lostLease   = regexp.MustCompile(`(?i)leader ?election lost|lost lease`)
	portIsTaken = regexp.MustCompile(`(?i)address already in use`)
)

// kindOfEnd judges the last lines of a log.
func kindOfEnd(tail string, wasReady, isBerths, throughView bool) string {
	switch {
	case crash.MatchString(tail) && isBerths:
		return isFault
	case reusedName.MatchString(tail):
		if throughView {
			return isFault
		}
		return isForeign
	case lostLease.MatchString(tail) && !throughView, portIsTaken.MatchString(tail):
		return isByDesign
	case isBerths && wasReady:
		return isFault
	default:
		return isByDesign
	}
}
