package harness

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Process is a server in a process group of its own, which can be killed, paused and started again
// with the same arguments. Its log is appended to. Any goroutine.
type Process struct {
	Name string
	Log  string
	// Respawn has it started again when it ends by itself, as a kubelet would.
	Respawn bool
	path    string
	args    []string

	mutex  sync.Mutex
	cmd    *exec.Cmd
	done   chan struct{} // closed when the present process has ended
	wanted bool          // started, and neither killed nor stopped
	ended  error         // of the last process that has ended
}

// NewProcess prepares a process that logs to NAME.log in directory.
func NewProcess(name, directory, path string, args ...string) *Process {
	return &Process{Name: name, Log: filepath.Join(directory, name+".log"), path: path, args: args}
}

// Start starts it; an error if it runs already.
func (p *Process) Start() error {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.isRunning() {
		return fmt.Errorf("%s runs already", p.Name)
	}
	return p.start()
}

func (p *Process) start() error {
	log, err := os.OpenFile(p.Log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()
	fmt.Fprintf(log, "---- %s %s\n", time.Now().Format(time.RFC3339Nano), p.path)
	cmd := exec.Command(p.path, p.args...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if err := startOnLastingThread(cmd); err != nil {
		return fmt.Errorf("start %s: %w", p.Name, err)
	}
	done := make(chan struct{})
	p.cmd, p.done, p.wanted = cmd, done, true
	go func() {
		err := cmd.Wait()
		p.mutex.Lock()
		p.ended = err
		p.mutex.Unlock()
		close(done)
		if p.Respawn {
			time.AfterFunc(200*time.Millisecond, p.respawn)
		}
	}()
	return nil
}

func (p *Process) respawn() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.wanted && !p.isRunning() {
		_ = p.start()
	}
}

func (p *Process) isRunning() bool {
	if p.done == nil {
		return false
	}
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// Running tells whether the process has been started and has not ended.
func (p *Process) Running() bool {
	if p == nil {
		return false
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.isRunning()
}

// Done is closed when the present process ends.
func (p *Process) Done() <-chan struct{} {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.done
}

// PID of the process, 0 if it has never been started.
func (p *Process) PID() int {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.cmd == nil {
		return 0
	}
	return p.cmd.Process.Pid
}

// CPU is the processor time that the process has taken, 0 if it does not run.
func (p *Process) CPU() time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.PID()))
	if err != nil || !p.Running() {
		return 0
	}
	// After the name in parentheses; Linux counts in hundredths of a second.
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}

// signal returns what is closed at the end, or nil if it does not run.
func (p *Process) signal(signal syscall.Signal) <-chan struct{} {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.wanted = false
	if !p.isRunning() {
		return nil
	}
	_ = syscall.Kill(-p.cmd.Process.Pid, signal)
	return p.done
}

// Kill is kill -9, and waits for the end.
func (p *Process) Kill() {
	if p == nil {
		return
	}
	if done := p.signal(syscall.SIGKILL); done != nil {
		<-done
	}
}

// HasCrashed tells whether it has ended although nobody asked for it.
func (p *Process) HasCrashed() bool {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.wanted && !p.isRunning() && p.done != nil
}

// Stop asks for the end. It is an error if that is not with status 0, or not within the time.
func (p *Process) Stop(within time.Duration) error {
	done := p.signal(syscall.SIGTERM)
	if done == nil {
		return nil
	}
	select {
	case <-done:
		p.mutex.Lock()
		defer p.mutex.Unlock()
		if p.ended != nil {
			return fmt.Errorf("%s ended with %w:\n%s", p.Name, p.ended, p.Tail(0, 40))
		}
		return nil
	case <-time.After(within):
		p.Kill()
		return fmt.Errorf("%s had not ended %v after SIGTERM", p.Name, within)
	}
}

// Ended is the error of the process that has ended last, nil if its status was 0.
func (p *Process) Ended() error {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.ended
}

// Pause freezes the process as a machine that stalls would.
func (p *Process) Pause() { _ = syscall.Kill(-p.PID(), syscall.SIGSTOP) }

// Resume undoes Pause.
func (p *Process) Resume() { _ = syscall.Kill(-p.PID(), syscall.SIGCONT) }

// Tail returns the last lines of the log, of what was logged after the first `from` bytes.
func (p *Process) Tail(from int64, lines int) string {
	text, err := os.ReadFile(p.Log)
	if err != nil {
		return err.Error()
	}
	text = text[min(from, int64(len(text))):]
	all := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}

// LogSize in bytes; 0 if there is no log.
func (p *Process) LogSize() int64 {
	if stat, err := os.Stat(p.Log); err == nil {
		return stat.Size()
	}
	return 0
}

type startRequest struct {
	cmd    *exec.Cmd
	result chan error
}

var startLasting = sync.OnceValue(func() chan<- startRequest {
	requests := make(chan startRequest)
	go func() {
		runtime.LockOSThread()
		for request := range requests {
			request.result <- request.cmd.Start()
		}
	}()
	return requests
})

// Linux sends Pdeathsig when the thread that started the child ends, not the process.
func startOnLastingThread(cmd *exec.Cmd) error {
	request := startRequest{cmd, make(chan error)}
	startLasting() <- request
	return <-request.result
}

// Below those that the kernel gives to connections: a server that is started again finds its port as it
// was.
const firstPort, lastPort = 10_000, 32_000

// FreePorts returns ports of 127.0.0.1 that were free a moment ago.
func FreePorts(count int) ([]int, error) {
	var ports []int
	var errs error
	for tries := 0; len(ports) < count; tries++ {
		port := firstPort + rand.IntN(lastPort-firstPort)
		listener, err := net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil && tries < 1000 {
			continue
		}
		if err != nil {
			return nil, err
		}
		ports = append(ports, port)
		defer func() { errs = errors.Join(errs, listener.Close()) }()
	}
	return ports, errs
}
