package harness

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"time"

	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Cluster is a control plane with recorder, simulated kubelets, and one berthd. One goroutine.
type Cluster struct {
	*ControlPlane
	Recorder *Recorder
	Berth    *Berth // nil until RunBerth
	Address  string // where kube-scheduler calls the extender
	Pages    string // where berthd has metrics and probes
	ViewPort int    // where kube-scheduler finds the cluster, in mode view

	binary  string
	options BerthOptions
	cancel  context.CancelFunc
	spaces  int

	hasOwners bool // the definitions of those who own pods are installed
}

// ClusterOptions says what a cluster is for.
type ClusterOptions struct {
	// WithoutKubelets leaves bound pods pending, so that only their binding is measured.
	WithoutKubelets bool
	// WithoutSchedulers starts no kube-scheduler and installs no policies.
	WithoutSchedulers bool
	// Name is a directory of its own for the logs, of a further cluster.
	Name string
	// Server switches on what kube-apiserver leaves off.
	Server ServerOptions
	// SchedulerGates are feature gates of each kube-scheduler.
	SchedulerGates string
}

// StartCluster takes the binaries from the environment: KUBE_BINARIES is the directory of
// kube-apiserver, kube-scheduler and kubectl, ETCD_BINARY is etcd, BERTHD_BINARY is berthd. Logs go
// to BERTH_E2E_LOGS, or to a directory that Stop removes.
func StartCluster(parent context.Context, options ClusterOptions) (*Cluster, error) {
	binaries := os.Getenv("KUBE_BINARIES")
	if binaries == "" {
		return nil, errors.New("KUBE_BINARIES is not set; it is what scripts/kube-binaries prints")
	}
	directory := os.Getenv("BERTH_E2E_LOGS")
	if directory == "" {
		made, err := os.MkdirTemp("", "berth-e2e-")
		if err != nil {
			return nil, err
		}
		directory = made
	} else {
		directory = filepath.Join(directory, options.Name)
		if err := os.MkdirAll(directory, 0o755); err != nil {
			return nil, err
		}
	}
	ports, err := FreePorts(3)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(parent)
	c := &Cluster{
		Address:  "127.0.0.1:" + strconv.Itoa(ports[0]),
		ViewPort: ports[1],
		Pages:    "127.0.0.1:" + strconv.Itoa(ports[2]),
		binary:   os.Getenv("BERTHD_BINARY"),
		cancel:   cancel,
	}
	if c.ControlPlane, err = StartControlPlaneWith(ctx, binaries, directory,
		options.Server); err != nil {
		c.Stop(false)
		return nil, err
	}
	c.SchedulerGates = options.SchedulerGates
	if err := c.furnish(ctx, options); err != nil {
		c.Stop(false)
		return nil, err
	}
	return c, nil
}

func (c *Cluster) furnish(ctx context.Context, options ClusterOptions) error {
	if err := c.InstallDefinitions(ctx); err != nil {
		return err
	}
	if err := c.InstallAccess(ctx); err != nil {
		return err
	}
	if !options.WithoutSchedulers {
		if err := c.InstallAdmission(ctx, c.Policies()); err != nil {
			return err
		}
		if err := c.ApplyAdmission(ctx, PermissionPolicies); err != nil {
			return err
		}
	}
	recorder, err := StartRecorder(ctx, c.ControlPlane)
	if err != nil {
		return err
	}
	c.Recorder = recorder
	if !options.WithoutKubelets {
		StartKubelets(ctx, c.Client, recorder)
	}
	if options.WithoutSchedulers {
		return nil
	}
	return c.startMissingSchedulers(ctx)
}

// LacksBerthd is what a test says that needs a berthd.
const LacksBerthd = "BERTHD_BINARY is not set; scripts/e2e BERTHD sets it"

// HasBerth tells whether there is a berthd to test.
func (c *Cluster) HasBerth() bool { return c.binary != "" }

// RunBerth sees to it that a berthd with these options runs and is ready; in mode view with the
// kube-scheduler of its pod.
func (c *Cluster) RunBerth(ctx context.Context, options BerthOptions) error {
	if c.binary == "" {
		return errors.New(LacksBerthd)
	}
	options.Address, options.Port, options.Pages = c.Address, c.ViewPort, c.Pages
	if c.Berth == nil || !reflect.DeepEqual(c.options, options) {
		if err := c.StopBerth(); err != nil {
			return err
		}
		berth, err := c.NewBerth(c.binary, options)
		if err != nil {
			return err
		}
		c.Berth, c.options = berth, options
	}
	isNew := !c.Berth.Running()
	if isNew {
		if err := c.Berth.Start(ctx); err != nil {
			return err
		}
	}
	if err := c.Berth.AwaitReady(ctx); err != nil {
		return err
	}
	// One that was there before tries again less and less often while berthd is away.
	if c.Berth.View != nil && (isNew || !c.Scheduler.Running()) {
		return c.StartSchedulerCalling(ctx, c.Address)
	}
	return nil
}

// StartSchedulerCalling starts the kube-scheduler of our pods anew, with the extender at this address,
// which may be a Proxy's.
func (c *Cluster) StartSchedulerCalling(ctx context.Context, extenderAddress string) error {
	if c.Mode == InPlace {
		return c.StartScheduler(ctx, extenderAddress)
	}
	return c.StartSchedulerBehind(ctx, c.Berth.View, extenderAddress)
}

// StopBerth ends berthd as a rolling update would.
func (c *Cluster) StopBerth() error {
	if c.Berth == nil {
		return nil
	}
	return c.Berth.Stop(10 * time.Second)
}

// Replica prepares a further berthd with an address of its own.
func (c *Cluster) Replica(options BerthOptions) (*Berth, error) {
	ports, err := FreePorts(3)
	if err != nil {
		return nil, err
	}
	options.Address, options.Port = "127.0.0.1:"+strconv.Itoa(ports[0]), ports[1]
	options.Pages = "127.0.0.1:" + strconv.Itoa(ports[2])
	return c.NewBerth(c.binary, options)
}

// Repair starts again what a test has left dead, and kube-scheduler with the usual extender. A
// kube-scheduler behind a view is started with berthd.
func (c *Cluster) Repair(ctx context.Context) error {
	if !c.Etcd.Running() {
		return fmt.Errorf("etcd has ended:\n%s", c.Etcd.Tail(0, 20))
	}
	if !c.APIServer.Running() {
		if err := c.StartAPIServer(ctx); err != nil {
			return err
		}
	}
	return c.startMissingSchedulers(ctx)
}

func (c *Cluster) startMissingSchedulers(ctx context.Context) error {
	if c.Mode == ThroughView {
		if c.Others.Running() {
			return nil
		}
		return c.StartOthersScheduler(ctx)
	}
	if c.Scheduler.Running() {
		return nil
	}
	return c.StartScheduler(ctx, c.Address)
}

// Policies is the directory of those that the suite's mode needs.
func (c *Cluster) Policies() string {
	if c.Mode == ThroughView {
		return QueuePolicies
	}
	return GateAndMarker
}

// OthersScheduler serves pods that are not ours.
func (c *Cluster) OthersScheduler() *KubeScheduler {
	if c.Mode == ThroughView {
		return c.Others
	}
	return c.Scheduler
}

// CreatePods creates pods, in parallel.
func (c *Cluster) CreatePods(ctx context.Context, pods []*core.Pod) error {
	return InParallel(len(pods), func(i int) error {
		_, err := c.Client.CoreV1().Pods(pods[i].Namespace).Create(ctx, pods[i],
			meta.CreateOptions{})
		if err != nil {
			return fmt.Errorf("create pod %q: %w", pods[i].Name, err)
		}
		return nil
	})
}

// CreateNodes creates nodes for the pool, in parallel.
func (c *Cluster) CreateNodes(ctx context.Context, pool string, names []string,
	capacity core.ResourceList) error {
	return InParallel(len(names), func(i int) error {
		_, err := c.Client.CoreV1().Nodes().Create(ctx, NodeOf(names[i], pool, capacity),
			meta.CreateOptions{})
		return err
	})
}

// ClearNamespace deletes the PodGroups and pods of a namespace, and waits until they are gone. It
// deletes what makes pods first: controllers of a later test would make them again.
func (c *Cluster) ClearNamespace(ctx context.Context, namespace string) error {
	background := meta.DeletePropagationBackground
	alone := meta.DeleteOptions{PropagationPolicy: &background}
	for _, remove := range []func(context.Context, meta.DeleteOptions, meta.ListOptions) error{
		c.Client.BatchV1().CronJobs(namespace).DeleteCollection,
		c.Client.BatchV1().Jobs(namespace).DeleteCollection,
		c.Client.AppsV1().Deployments(namespace).DeleteCollection,
		c.Client.AppsV1().ReplicaSets(namespace).DeleteCollection,
		c.Client.AppsV1().StatefulSets(namespace).DeleteCollection,
		c.Client.AppsV1().DaemonSets(namespace).DeleteCollection,
	} {
		if err := remove(ctx, alone, meta.ListOptions{}); err != nil {
			return err
		}
	}
	err := c.Dynamic.Resource(PodGroups).Namespace(namespace).DeleteCollection(ctx,
		meta.DeleteOptions{}, meta.ListOptions{})
	if err != nil {
		return err
	}
	err = c.Client.CoreV1().Pods(namespace).DeleteCollection(ctx,
		meta.DeleteOptions{GracePeriodSeconds: new(int64)}, meta.ListOptions{})
	if err != nil {
		return err
	}
	return c.Recorder.Await(ctx, Soon, func() error {
		left := c.Recorder.PodsOf(namespace, func(*core.Pod) bool { return true })
		if len(left) > 0 {
			return fmt.Errorf("%d pods are still there", len(left))
		}
		return nil
	})
}

// Stop ends everything; the logs are removed unless they are to be kept.
func (c *Cluster) Stop(keepLogs bool) {
	if c.Berth != nil {
		c.Berth.Kill()
	}
	c.cancel()
	c.ControlPlane.Stop()
	if c.ControlPlane == nil || os.Getenv("BERTH_E2E_LOGS") != "" {
		return
	}
	if keepLogs {
		fmt.Println("logs are in", c.Directory)
		return
	}
	_ = os.RemoveAll(c.Directory)
}
