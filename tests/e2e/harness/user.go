package harness

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	rbac "k8s.io/api/rbac/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

// User is a person with a kubeconfig, whose kubectl uses this test's namespace. To the API server
// the person is a user with no rights but those that were granted.
type User struct {
	Name       string
	Kubeconfig string
	Config     *rest.Config
	Client     kubernetes.Interface
	env        *Env
	directory  string // of commands: the repository, or one of the user's own
}

// User makes a person; `role` is a ClusterRole that holds in this test's namespace, "" is none.
func (e *Env) User(name, role string) *User {
	e.Helper()
	pair, err := e.authority.Issue(name)
	e.Must(err)
	user := &User{Name: name, env: e, Config: restConfig(e.url, e.authority, pair),
		directory: Repository(), Kubeconfig: filepath.Join(e.TempDir(), name+".kubeconfig")}
	user.Client, err = kubernetes.NewForConfig(user.Config)
	e.Must(err)
	e.Must(clientcmd.WriteToFile(api.Config{
		Clusters: map[string]*api.Cluster{
			"e2e": {Server: e.url, CertificateAuthorityData: e.authority.PEM},
		},
		AuthInfos: map[string]*api.AuthInfo{name: pair.user()},
		Contexts: map[string]*api.Context{
			ContextName: {Cluster: "e2e", AuthInfo: name, Namespace: e.Namespace},
		},
		CurrentContext: ContextName,
	}, user.Kubeconfig))
	if role != "" {
		e.bind(name, role)
	}
	return user
}

func (e *Env) bind(user, role string) {
	e.Helper()
	_, err := e.Client.RbacV1().RoleBindings(e.Namespace).Create(e.Context, &rbac.RoleBinding{
		ObjectMeta: meta.ObjectMeta{Name: user + "-" + role},
		RoleRef:    rbac.RoleRef{APIGroup: rbac.GroupName, Kind: "ClusterRole", Name: role},
		Subjects:   []rbac.Subject{{APIGroup: rbac.GroupName, Kind: "User", Name: user}},
	}, meta.CreateOptions{})
	e.Must(err)
}

// Runs carries out a shell command in the repository, and returns all that it printed. kubectl,
// `kubectl berth` and berth are found, and use the user's kubeconfig.
func (u *User) Runs(ctx context.Context, command string) (string, error) {
	path, err := u.env.commands()
	if err != nil {
		return "", err
	}
	shell := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", command)
	shell.Dir = u.directory
	shell.Env = append(os.Environ(), "KUBECONFIG="+u.Kubeconfig, "HOME="+filepath.Dir(u.Kubeconfig),
		"PATH="+path+":"+os.Getenv("PATH"))
	var output bytes.Buffer
	shell.Stdout, shell.Stderr = &output, &output
	err = shell.Run()
	return output.String(), err
}

// commands is a directory with kubectl, berth and kubectl-berth.
func (c *Cluster) commands() (string, error) {
	directory := filepath.Join(c.Directory, "commands")
	if err := os.MkdirAll(directory, 0o755); err != nil {
		return "", err
	}
	berth := os.Getenv("BERTH_BINARY")
	if berth == "" {
		berth = filepath.Join(filepath.Dir(c.binary), "berth")
	}
	for name, target := range map[string]string{"kubectl": filepath.Join(c.binaries, "kubectl"),
		"berth": berth, "kubectl-berth": berth} {
		err := os.Symlink(target, filepath.Join(directory, name))
		if err != nil && !errors.Is(err, os.ErrExist) {
			return "", err
		}
	}
	return directory, nil
}

// Saves writes a block to a file in a directory of the user's own, which the commands that follow
// are carried out in.
func (u *User) Saves(block Block, file string) {
	u.env.Helper()
	u.directory = filepath.Dir(u.Kubeconfig)
	u.env.Must(os.WriteFile(filepath.Join(u.directory, file), []byte(block.Text), 0o600))
}

// Applies writes the objects of a block, as `kubectl apply -f` does, and expects to succeed.
func (u *User) Applies(block Block) {
	u.env.Helper()
	file := filepath.Join(u.env.TempDir(), "manifest.yaml")
	u.env.Must(os.WriteFile(file, []byte(block.Text), 0o600))
	if output, err := u.Runs(u.env.Context, "kubectl apply -f "+file); err != nil {
		u.env.Fatalf("%s:%d: %s cannot apply it: %v\n%s", block.Document, block.Line, u.Name, err,
			output)
	}
}

// Follows carries out the commands of a block, one after the other, and compares what they print
// with the document, as Step.Differs does. What only shows something is tried again until it shows
// what is documented.
func (u *User) Follows(block Block, also map[string]string) {
	u.env.Helper()
	for _, step := range block.Steps() {
		u.env.Must(u.follow(step, also))
	}
}

func (u *User) follow(step Step, also map[string]string) error {
	ctx, cancel := context.WithTimeout(u.env.Context, Soon)
	defer cancel()
	for {
		output, err := u.Runs(ctx, step.Command)
		if err != nil {
			err = fmt.Errorf("%v\n%s failed: %w\n%s", step, u.Name, err, output)
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

func onlyShows(command string) bool {
	for _, words := range []string{"kubectl get ", "kubectl describe ", "kubectl logs ",
		"kubectl berth ", "berth "} {
		if strings.HasPrefix(command, words) {
			return true
		}
	}
	return false
}

// AwaitRight waits until a controller has filled in the roles that give the user a right.
func (u *User) AwaitRight(verb, resource string) {
	u.env.Helper()
	u.env.Await(Soon, func() error {
		output, err := u.Runs(u.env.Context, "kubectl auth can-i "+verb+" "+resource)
		if err != nil {
			err = fmt.Errorf("%s may not %s %s: %w: %s", u.Name, verb, resource, err, output)
		}
		return err
	})
}

// Sees carries out the commands of a block until the last one prints the words.
func (u *User) Sees(block Block, words string) {
	u.env.Helper()
	steps := block.Steps()
	u.env.Await(Soon, func() error {
		var output string
		var err error
		for _, step := range steps {
			if output, err = u.Runs(u.env.Context, step.Command); err != nil {
				return fmt.Errorf("%v\n%s failed: %w\n%s", step, u.Name, err, output)
			}
		}
		if !strings.Contains(output, words) {
			return fmt.Errorf("%v\nhas printed:\n%s\nwithout %q", steps[len(steps)-1], output, words)
		}
		return nil
	})
}
