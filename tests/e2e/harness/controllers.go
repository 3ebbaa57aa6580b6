package harness

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// controllers are those of kube-controller-manager that act on what users submit. Its other
// controllers act on nodes, volumes and Services, which have stand-ins here or are not needed.
var controllers = []string{
	"job", "cronjob", "statefulset", "replicaset", "deployment", "daemonset", "disruption",
	"garbagecollector", "ttl-after-finished", "namespace", "serviceaccount",
	"clusterrole-aggregation",
}

// Controllers is a kube-controller-manager process.
type Controllers struct {
	*Process
	url    string
	client *http.Client
}

// NewControllers prepares a kube-controller-manager that acts as the service account of each
// controller, so that policies and RBAC see them as in a cluster. Controllers named in `without`
// are left out. It does not start it.
func (c *ControlPlane) NewControllers(without ...string) (*Controllers, error) {
	pair, err := c.authority.Issue("system:kube-controller-manager")
	if err != nil {
		return nil, err
	}
	kubeconfig := filepath.Join(c.Directory, "kube-controller-manager.kubeconfig")
	if err := writeKubeconfig(kubeconfig, c.url, c.authority, pair.user()); err != nil {
		return nil, err
	}
	ports, err := FreePorts(1)
	if err != nil {
		return nil, err
	}
	wanted := slices.DeleteFunc(slices.Clone(controllers), func(name string) bool {
		return slices.Contains(without, name)
	})
	process := NewProcess("kube-controller-manager", c.Directory,
		filepath.Join(c.binaries, "kube-controller-manager"),
		"--kubeconfig="+kubeconfig, "--controllers="+strings.Join(wanted, ","),
		"--use-service-account-credentials=true", "--leader-elect=false",
		"--bind-address=127.0.0.1", "--secure-port="+strconv.Itoa(ports[0]),
		"--authentication-skip-lookup=true", "--kube-api-qps=1000", "--kube-api-burst=2000",
		"--v=2")
	return &Controllers{
		Process: process,
		url:     fmt.Sprintf("https://127.0.0.1:%d/healthz", ports[0]),
		client:  &http.Client{Transport: trusting(c.authority), Timeout: time.Second},
	}, nil
}

// Start starts it, also after it was killed, and waits until its controllers are started.
func (c *Controllers) Start(ctx context.Context) error {
	if err := c.Process.Start(); err != nil {
		return err
	}
	return awaitReady(ctx, c.Process, func(ctx context.Context) error {
		return getOK(ctx, c.client, c.url)
	})
}

// StartControllers starts a kube-controller-manager for one test, with its subtests; it ends after
// what the test cleans up later. Other tests do without: their pods have owners that do not exist,
// which the garbage collector would delete. The definitions in fixtures/definitions of those who own
// pods are installed as well, because the garbage collector looks for new ones every half minute
// only; they stay.
func (c *Cluster) StartControllers(t testing.TB, without ...string) {
	t.Helper()
	ctx := context.Background()
	if err := c.startControllers(ctx, without); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if c.Controllers.HasCrashed() {
			t.Errorf("kube-controller-manager has ended by itself:\n%s", c.Controllers.Tail(0, 20))
		}
		c.Controllers.Kill()
	})
}

func (c *Cluster) startControllers(ctx context.Context, without []string) error {
	if c.Controllers != nil && c.Controllers.Running() {
		return errors.New("a kube-controller-manager runs already")
	}
	if err := c.Repair(ctx); err != nil {
		return err
	}
	if err := c.installOwners(ctx); err != nil {
		return fmt.Errorf("definitions of owners: %w", err)
	}
	started, err := c.NewControllers(without...)
	if err != nil {
		return err
	}
	c.Controllers = started
	return started.Start(ctx)
}
