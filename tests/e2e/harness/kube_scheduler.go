package harness

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

// KubeScheduler is a kube-scheduler process.
type KubeScheduler struct {
	*Process
	url    string
	client *http.Client
}

// SchedulerOptions says how a kube-scheduler runs.
type SchedulerOptions struct {
	Name string // of the process; "" is kube-scheduler
	// APIURL is the API server's, or a Proxy's; "" is the API server itself.
	APIURL string
	// Extender is the address of berthd for the shipped extenders; "" is a kube-scheduler without.
	Extender string
	// ExtenderTLS is what each extender's entry has for TLS; nil is plain HTTP.
	ExtenderTLS map[string]any
	// View has it see the cluster through berthd, with the configuration that is shipped for that.
	View *View
	// Bare is a kube-scheduler with its default profile only.
	Bare bool
	// WithoutLease has it schedule at once; one behind a view never has a lease.
	WithoutLease bool
}

// NewKubeScheduler writes configuration and kubeconfig, and does not start it.
func (c *ControlPlane) NewKubeScheduler(options SchedulerOptions) (*KubeScheduler, error) {
	if options.Name == "" {
		options.Name = "kube-scheduler"
	}
	if options.APIURL == "" {
		options.APIURL = c.url
	}
	kubeconfig := filepath.Join(c.Directory, options.Name+".kubeconfig")
	if err := c.writeSchedulersKubeconfig(kubeconfig, options); err != nil {
		return nil, err
	}
	configuration, err := schedulerConfiguration(kubeconfig, options)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(c.Directory, options.Name+".yaml")
	if err := os.WriteFile(file, configuration, 0o600); err != nil {
		return nil, err
	}
	ports, err := FreePorts(1)
	if err != nil {
		return nil, err
	}
	arguments := []string{"--config=" + file, "--bind-address=127.0.0.1",
		"--secure-port=" + strconv.Itoa(ports[0]), "--v=2"}
	if options.View == nil {
		arguments = append(arguments, "--authentication-skip-lookup=true")
	} else { // as in deploy/
		arguments = append(arguments, "--authentication-kubeconfig="+kubeconfig,
			"--authorization-kubeconfig="+kubeconfig)
	}
	binary := filepath.Join(c.binaries, "kube-scheduler")
	minor, err := minorVersion(binary) // it may be another than the API server's
	if err != nil {
		return nil, err
	}
	if gates := c.gatesOf(minor); gates != "" {
		arguments = append(arguments, "--feature-gates="+gates)
	}
	process := NewProcess(options.Name, c.Directory, binary, arguments...)
	probe := "readyz"
	if minor < 32 {
		probe = "healthz"
	}
	return &KubeScheduler{
		Process: process,
		url:     fmt.Sprintf("https://127.0.0.1:%d/%s", ports[0], probe),
		client:  &http.Client{Transport: trusting(c.authority), Timeout: time.Second},
	}, nil
}

// gatesOf a kube-scheduler of version 1.minor. One from 1.37 on waits for a kind that an older API
// server does not have.
func (c *ControlPlane) gatesOf(minor int) string {
	if minor < 37 || c.Minor >= 37 {
		return c.SchedulerGates
	}
	return strings.Trim(c.SchedulerGates+",DRADeviceTaintRules=false", ",")
}

// writeSchedulersKubeconfig gives it the API server as the user system:kube-scheduler, or the view
// with its key and no token, as in berthd's pod.
func (c *ControlPlane) writeSchedulersKubeconfig(path string, options SchedulerOptions) error {
	if options.View == nil {
		pair, err := c.authority.Issue("system:kube-scheduler", "system:kube-scheduler")
		if err != nil {
			return err
		}
		return writeKubeconfig(path, options.APIURL, c.authority, pair.user())
	}
	view := options.View
	return clientcmd.WriteToFile(api.Config{
		Clusters: map[string]*api.Cluster{
			"view": {Server: view.URL(), CertificateAuthority: view.Certificate()},
		},
		AuthInfos: map[string]*api.AuthInfo{
			"view": {ClientCertificate: view.Certificate(), ClientKey: view.Key()},
		},
		Contexts:       map[string]*api.Context{"view": {Cluster: "view", AuthInfo: "view"}},
		CurrentContext: "view",
	}, path)
}

// Start starts it, also after it was killed, and waits until it is ready. One that elects a leader
// waits for its predecessor's lease to end before it schedules.
func (s *KubeScheduler) Start(ctx context.Context) error {
	if err := s.Process.Start(); err != nil {
		return err
	}
	return awaitReady(ctx, s.Process, s.Ready)
}

// Ready is nil when it says that it is ready.
func (s *KubeScheduler) Ready(ctx context.Context) error { return getOK(ctx, s.client, s.url) }

// Metrics asks for its metrics with a token, and returns the status.
func (s *KubeScheduler) Metrics(ctx context.Context, token string) (int, error) {
	url := s.url[:strings.LastIndex(s.url, "/")] + "/metrics"
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := s.client.Do(request)
	if err != nil {
		return 0, err
	}
	return response.StatusCode, response.Body.Close()
}

// Kill is kill -9, and waits for the end.
func (s *KubeScheduler) Kill() {
	if s != nil {
		s.Process.Kill()
	}
}

// Running tells whether it has been started and has not ended.
func (s *KubeScheduler) Running() bool { return s != nil && s.Process.Running() }

// CPU is the processor time that the process has taken, 0 if it does not run.
func (s *KubeScheduler) CPU() time.Duration {
	if !s.Running() {
		return 0
	}
	return s.Process.CPU()
}

// StartScheduler starts the kube-scheduler that serves all pods with the shipped configuration, its
// extenders at extenderAddress; "" leaves the extenders out, which is the bare kube-scheduler.
func (c *ControlPlane) StartScheduler(ctx context.Context, extenderAddress string) error {
	return c.StartSchedulerThrough(ctx, c.url, extenderAddress)
}

// StartSchedulerThrough is StartScheduler, with the API server at the URL, which may be a Proxy's.
func (c *ControlPlane) StartSchedulerThrough(ctx context.Context, url,
	extenderAddress string) error {
	return c.replaceScheduler(ctx, SchedulerOptions{APIURL: url, Extender: extenderAddress}, true)
}

// StartSchedulerBehind starts the kube-scheduler that serves our pods through the view of a berthd.
func (c *ControlPlane) StartSchedulerBehind(ctx context.Context, view *View,
	extenderAddress string) error {
	return c.replaceScheduler(ctx, SchedulerOptions{Extender: extenderAddress, View: view}, false)
}

func (c *ControlPlane) replaceScheduler(ctx context.Context, options SchedulerOptions,
	respawn bool) error {
	c.Scheduler.Kill()
	scheduler, err := c.NewKubeScheduler(options)
	if err != nil {
		return err
	}
	scheduler.Respawn = respawn // it ends when it cannot renew its lease
	c.Scheduler = scheduler
	return scheduler.Start(ctx)
}

// StartOthersScheduler starts a kube-scheduler that knows nothing of Berth and serves all others'
// pods.
func (c *ControlPlane) StartOthersScheduler(ctx context.Context) error {
	c.Others.Kill()
	others, err := c.NewKubeScheduler(SchedulerOptions{Name: "kube-scheduler-others", Bare: true})
	if err != nil {
		return err
	}
	c.Others = others
	return others.Start(ctx)
}

// RestartScheduler starts the kube-scheduler of our pods that was killed, and waits until it is
// ready.
func (c *ControlPlane) RestartScheduler(ctx context.Context) error { return c.Scheduler.Start(ctx) }
