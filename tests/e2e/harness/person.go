package harness

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// Person types commands, with a kubeconfig and a home of their own. Its methods end the test on error.
type Person struct {
	Name       string
	Kubeconfig string
	t          testing.TB
	commands   string // a directory of programs
	directory  string // of commands: the repository, or one of the person's own
}

// Administrator is a person who may do everything, and has helm, too.
func (c *ControlPlane) Administrator(t testing.TB) *Person {
	t.Helper()
	person := &Person{Name: "administrator", t: t, directory: Repository(),
		Kubeconfig: filepath.Join(t.TempDir(), "kubeconfig")}
	text, err := os.ReadFile(c.AdminKubeconfig())
	person.must(err)
	person.must(os.WriteFile(person.Kubeconfig, text, 0o600))
	if os.Getenv("HELM_BINARY") == "" {
		t.Fatal("HELM_BINARY is not set; it is what scripts/kube-binaries --helm prints")
	}
	person.commands, err = c.commands()
	person.must(err)
	return person
}

func (p *Person) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

// Command is a shell command in the repository. kubectl, `kubectl berth` and berth are found, and use
// the user's kubeconfig.
func (p *Person) Command(ctx context.Context, command string) *exec.Cmd {
	shell := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", command)
	shell.Dir = p.directory
	shell.Env = append(os.Environ(), "KUBECONFIG="+p.Kubeconfig, "HOME="+filepath.Dir(p.Kubeconfig),
		"PATH="+p.commands+":"+os.Getenv("PATH"))
	return shell
}

// Runs carries it out, and returns all that it printed.
func (p *Person) Runs(ctx context.Context, command string) (string, error) {
	shell := p.Command(ctx, command)
	var output bytes.Buffer
	shell.Stdout, shell.Stderr = &output, &output
	err := shell.Run()
	return output.String(), err
}

// commands is a directory with kubectl, berth, kubectl-berth and helm: BERTH_BINARY or the berth beside
// BERTHD_BINARY, and HELM_BINARY.
func (c *ControlPlane) commands() (string, error) {
	directory := filepath.Join(c.Directory, "commands")
	if err := os.MkdirAll(directory, 0o755); err != nil {
		return "", err
	}
	berth := os.Getenv("BERTH_BINARY")
	if berth == "" {
		berth = filepath.Join(filepath.Dir(os.Getenv("BERTHD_BINARY")), "berth")
	}
	for name, target := range map[string]string{"kubectl": filepath.Join(c.binaries, "kubectl"),
		"berth": berth, "kubectl-berth": berth, "helm": os.Getenv("HELM_BINARY")} {
		if target == "" {
			continue
		}
		err := os.Symlink(target, filepath.Join(directory, name))
		if err != nil && !errors.Is(err, os.ErrExist) {
			return "", err
		}
	}
	return directory, nil
}

// Saves writes a block to a file in a directory of the user's own, which the commands that follow
// are carried out in.
func (p *Person) Saves(block Block, file string) {
	p.t.Helper()
	p.directory = filepath.Dir(p.Kubeconfig)
	p.must(os.WriteFile(filepath.Join(p.directory, file), []byte(block.Text), 0o600))
}

// AtHome has the commands that follow typed in a directory of the person's own, which has the
// repository's deploy/, too.
func (p *Person) AtHome() {
	p.t.Helper()
	p.directory = filepath.Dir(p.Kubeconfig)
	p.must(os.Symlink(Deploy(), filepath.Join(p.directory, "deploy")))
}

// Applies writes the objects of a block, as `kubectl apply -f` does, and expects to succeed.
func (p *Person) Applies(block Block) {
	p.t.Helper()
	file := filepath.Join(p.t.TempDir(), "manifest.yaml")
	p.must(os.WriteFile(file, []byte(block.Text), 0o600))
	if output, err := p.Runs(context.Background(), "kubectl apply -f "+file); err != nil {
		p.t.Fatalf("%s:%d: %s cannot apply it: %v\n%s", block.Document, block.Line, p.Name, err,
			output)
	}
}

// Follows carries out the commands of a block, one after the other, and compares what they print
// with the document, as Step.Differs does. What only shows something is tried again until it shows
// what is documented.
func (p *Person) Follows(block Block, also map[string]string) {
	p.t.Helper()
	for _, step := range block.Steps() {
		p.must(p.follow(step, also))
	}
}

// IsRefused carries out the commands of a block, of which each must fail and print what is documented.
func (p *Person) IsRefused(block Block, also map[string]string) {
	p.t.Helper()
	for _, step := range block.Steps() {
		output, err := p.Runs(context.Background(), step.Command)
		if err == nil {
			p.t.Errorf("%v\nis not refused to %s:\n%s", step, p.Name, output)
		} else if err := step.Differs(output, also); err != nil {
			p.t.Error(err)
		}
	}
}

func (p *Person) follow(step Step, also map[string]string) error {
	ctx, cancel := context.WithTimeout(context.Background(), Soon)
	defer cancel()
	for {
		output, err := p.Runs(ctx, step.Command)
		if err != nil {
			err = fmt.Errorf("%v\n%s failed: %w\n%s", step, p.Name, err, output)
		} else {
			err = step.Differs(output, also)
		}
		if err == nil || !onlyShows(step.Command) {
			return err
		}
		select {
		case <-time.After(200 * time.Millisecond):
		case <-ctx.Done():
			return err
		}
	}
}

var showing = regexp.MustCompile(
	`^(kubectl (-n \S+ )?(get|describe|logs|rollout status|berth)|berth|helm status) `)

func onlyShows(command string) bool { return showing.MatchString(command) }

// AwaitRight waits until a controller has filled in the roles that give the user a right.
func (p *Person) AwaitRight(verb, resource string) {
	p.t.Helper()
	p.await(func() error {
		output, err := p.Runs(context.Background(), "kubectl auth can-i "+verb+" "+resource)
		if err != nil {
			err = fmt.Errorf("%s may not %s %s: %w: %s", p.Name, verb, resource, err, output)
		}
		return err
	})
}

// Sees carries out the commands of a block until the last one prints the words.
func (p *Person) Sees(block Block, words string) {
	p.t.Helper()
	steps := block.Steps()
	p.await(func() error {
		var output string
		var err error
		for _, step := range steps {
			if output, err = p.Runs(context.Background(), step.Command); err != nil {
				return fmt.Errorf("%v\n%s failed: %w\n%s", step, p.Name, err, output)
			}
		}
		if !strings.Contains(output, words) {
			return fmt.Errorf("%v\nhas printed:\n%s\nwithout %q", steps[len(steps)-1], output, words)
		}
		return nil
	})
}

func (p *Person) await(condition func() error) {
	p.t.Helper()
	deadline := time.Now().Add(Soon)
	err := condition()
	for ; err != nil && time.Now().Before(deadline); err = condition() {
		time.Sleep(200 * time.Millisecond)
	}
	p.must(err)
}
