package harness

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Process is a server in a process group of its own, which can be killed, paused and started again
// with the same arguments. Its log is appended to. One goroutine at a time.
type Process struct {
	Name string
	Log  string
	path string
	args []string
	env  []string

	cmd  *exec.Cmd
	done chan struct{} // closed when the present process has ended
}

// NewProcess prepares a process that logs to NAME.log in directory.
func NewProcess(name, directory, path string, args ...string) *Process {
	return &Process{Name: name, Log: filepath.Join(directory, name+".log"), path: path, args: args}
}

// Start starts it; an error if it runs already.
func (p *Process) Start() error {
	if p.Running() {
		return fmt.Errorf("%s runs already", p.Name)
	}
	log, err := os.OpenFile(p.Log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()
	fmt.Fprintf(log, "---- %s %s\n", time.Now().Format(time.RFC3339Nano), p.path)
	cmd := exec.Command(p.path, p.args...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Env = append(os.Environ(), p.env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if err := startOnLastingThread(cmd); err != nil {
		return fmt.Errorf("start %s: %w", p.Name, err)
	}
	p.cmd, p.done = cmd, make(chan struct{})
	go func(done chan struct{}) {
		_ = cmd.Wait()
		close(done)
	}(p.done)
	return nil
}

// Running tells whether the process has been started and has not ended.
func (p *Process) Running() bool {
	if p == nil || p.done == nil {
		return false
	}
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// Done is closed when the process ends.
func (p *Process) Done() <-chan struct{} { return p.done }

// PID of the process, 0 if it has never been started.
func (p *Process) PID() int {
	if p.cmd == nil {
		return 0
	}
	return p.cmd.Process.Pid
}

// Kill is kill -9, and waits for the end.
func (p *Process) Kill() {
	if p.Running() {
		_ = syscall.Kill(-p.PID(), syscall.SIGKILL)
		<-p.done
	}
}

// Stop asks for the end, and kills after the deadline, which is an error.
func (p *Process) Stop(within time.Duration) error {
	if !p.Running() {
		return nil
	}
	_ = syscall.Kill(-p.PID(), syscall.SIGTERM)
	select {
	case <-p.done:
		return nil
	case <-time.After(within):
		p.Kill()
		return fmt.Errorf("%s had not ended %v after SIGTERM", p.Name, within)
	}
}

// Pause freezes the process as a machine that stalls would.
func (p *Process) Pause() { _ = syscall.Kill(-p.PID(), syscall.SIGSTOP) }

// Resume undoes Pause.
func (p *Process) Resume() { _ = syscall.Kill(-p.PID(), syscall.SIGCONT) }

// Tail returns the last lines of the log.
func (p *Process) Tail(lines int) string {
	text, err := os.ReadFile(p.Log)
	if err != nil {
		return err.Error()
	}
	all := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
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

// FreePorts returns ports of 127.0.0.1 that were free a moment ago.
func FreePorts(count int) ([]int, error) {
	var ports []int
	var errs error
	for range count {
		listener, err := net.Listen("tcp4", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		ports = append(ports, listener.Addr().(*net.TCPAddr).Port)
		defer func() { errs = errors.Join(errs, listener.Close()) }()
	}
	return ports, errs
}
