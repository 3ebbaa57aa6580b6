package harness

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"time"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// StartUp is how long a server may take to become ready; two cores may be busy.
const StartUp = 90 * time.Second

// ControlPlane is etcd, kube-apiserver and kube-scheduler on loopback.
type ControlPlane struct {
	Directory string // logs, certificates and configurations
	Admin     *rest.Config
	Client    kubernetes.Interface
	Dynamic   dynamic.Interface
	Minor     int    // of the servers' version 1.x
	Mode      string // of the suite

	Etcd, APIServer *Process
	Scheduler       *KubeScheduler // of our pods; of all pods, unless there is one for the others
	Others          *KubeScheduler // of pods that are not ours, or nil
	Controllers     *Controllers   // nil until a test starts them
	EtcdURL         string

	// SchedulerGates are feature gates of each kube-scheduler that is started, "A=true,B=true".
	SchedulerGates string

	authority *Authority
	binaries  string
	data      string
	url       string
}

// ServerOptions switch on what kube-apiserver leaves off.
type ServerOptions struct {
	Gates []string // feature gates, "GenericWorkload"
	APIs  []string // groups and versions, "scheduling.k8s.io/v1alpha2"
}

// StartControlPlane starts etcd and kube-apiserver from the directory of binaries, and no
// kube-scheduler.
func StartControlPlane(ctx context.Context, binaries, directory string) (*ControlPlane, error) {
	return StartControlPlaneWith(ctx, binaries, directory, ServerOptions{})
}

// StartControlPlaneWith is StartControlPlane with more of the API server switched on.
func StartControlPlaneWith(ctx context.Context, binaries, directory string,
	server ServerOptions) (*ControlPlane, error) {
	mode, err := ModeOfSuite()
	if err != nil {
		return nil, err
	}
	ports, err := FreePorts(3)
	if err != nil {
		return nil, err
	}
	plane := &ControlPlane{
		Directory: directory,
		Mode:      mode,
		EtcdURL:   fmt.Sprintf("http://127.0.0.1:%d", ports[0]),
		binaries:  binaries,
		url:       fmt.Sprintf("https://127.0.0.1:%d", ports[2]),
	}
	if plane.data, err = os.MkdirTemp(memoryDirectory(), "berth-e2e-etcd-"); err != nil {
		return nil, err
	}
	if plane.Minor, err = minorVersion(filepath.Join(binaries, "kube-apiserver")); err != nil {
		return plane, err
	}
	if plane.authority, err = NewAuthority(); err != nil {
		return plane, err
	}
	etcd, err := etcdBinary(binaries)
	if err != nil {
		return plane, err
	}
	peer := fmt.Sprintf("http://127.0.0.1:%d", ports[1])
	plane.Etcd = NewProcess("etcd", directory, etcd, "--data-dir="+plane.data,
		"--listen-client-urls="+plane.EtcdURL, "--advertise-client-urls="+plane.EtcdURL,
		"--listen-peer-urls="+peer, "--initial-advertise-peer-urls="+peer,
		"--initial-cluster=default="+peer, "--logger=zap", "--log-level=warn",
		"--unsafe-no-fsync")
	if err := plane.Etcd.Start(); err != nil {
		return plane, err
	}
	if err := plane.prepareAPIServer(ports[2], server); err != nil {
		return plane, err
	}
	return plane, plane.StartAPIServer(ctx)
}

func (c *ControlPlane) prepareAPIServer(port int, server ServerOptions) error {
	serving, err := c.authority.Issue("kube-apiserver")
	if err != nil {
		return err
	}
	certFile, keyFile, err := serving.Write(c.Directory, "apiserver")
	if err != nil {
		return err
	}
	authority := filepath.Join(c.Directory, "ca.crt")
	if err := os.WriteFile(authority, c.authority.PEM, 0o600); err != nil {
		return err
	}
	arguments := []string{
		"--etcd-servers=" + c.EtcdURL, "--bind-address=127.0.0.1",
		"--secure-port=" + strconv.Itoa(port), "--service-cluster-ip-range=10.0.0.0/24",
		"--tls-cert-file=" + certFile, "--tls-private-key-file=" + keyFile,
		"--client-ca-file=" + authority, "--authorization-mode=RBAC",
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + keyFile, "--service-account-signing-key-file=" + keyFile,
		// Nobody makes service accounts, and nobody takes the taint off nodes that are ready.
		"--disable-admission-plugins=ServiceAccount,TaintNodesByCondition",
	}
	audit, err := c.prepareAudit()
	if err != nil {
		return err
	}
	arguments = append(arguments, audit...)
	if c.Minor >= 34 && c.Minor < 36 {
		server.Gates = append(server.Gates, "MutatingAdmissionPolicy")
		server.APIs = append(server.APIs, "admissionregistration.k8s.io/v1beta1")
	}
	for _, gate := range server.Gates {
		arguments = append(arguments, "--feature-gates="+gate+"=true")
	}
	for _, api := range server.APIs {
		arguments = append(arguments, "--runtime-config="+api+"=true")
	}
	c.APIServer = NewProcess("kube-apiserver", c.Directory,
		filepath.Join(c.binaries, "kube-apiserver"), arguments...)
	admin, err := c.authority.Issue("admin", "system:masters")
	if err != nil {
		return err
	}
	c.Admin = restConfig(c.url, c.authority, admin)
	if err := writeKubeconfig(c.AdminKubeconfig(), c.url, c.authority, admin.user()); err != nil {
		return err
	}
	typed := rest.CopyConfig(c.Admin)
	typed.ContentType = "application/vnd.kubernetes.protobuf"
	if c.Client, err = kubernetes.NewForConfig(typed); err != nil {
		return err
	}
	c.Dynamic, err = dynamic.NewForConfig(c.Admin)
	return err
}

// AdminKubeconfig is the path of a kubeconfig that may do everything.
func (c *ControlPlane) AdminKubeconfig() string {
	return filepath.Join(c.Directory, "admin.kubeconfig")
}

// StartAPIServer starts kube-apiserver, also after it was killed, and waits until it is ready.
func (c *ControlPlane) StartAPIServer(ctx context.Context) error {
	if err := c.APIServer.Start(); err != nil {
		return err
	}
	return awaitReady(ctx, c.APIServer, func(ctx context.Context) error {
		return c.Client.Discovery().RESTClient().Get().AbsPath("/readyz").Do(ctx).Error()
	})
}

// AwaitAnswer asks the API server until there is no error.
func (c *ControlPlane) AwaitAnswer(ctx context.Context, probe func(context.Context) error) error {
	return awaitReady(ctx, c.APIServer, probe)
}

// RestartAPIServer kills kube-apiserver, does what is to be done while it is away, and starts it.
func (c *ControlPlane) RestartAPIServer(ctx context.Context, meanwhile func() error) error {
	c.APIServer.Kill()
	if err := meanwhile(); err != nil {
		return err
	}
	return c.StartAPIServer(ctx)
}

// Stop ends everything and removes etcd's data; logs stay.
func (c *ControlPlane) Stop() {
	if c == nil {
		return
	}
	c.Scheduler.Kill()
	c.Others.Kill()
	if c.Controllers != nil {
		c.Controllers.Kill()
	}
	for _, process := range []*Process{c.APIServer, c.Etcd} {
		process.Kill()
	}
	_ = os.RemoveAll(c.data)
}

var versionPattern = regexp.MustCompile(`v1\.(\d+)\.`)

func minorVersion(binary string) (int, error) {
	output, err := exec.Command(binary, "--version").CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("%s --version: %w: %s", binary, err, output)
	}
	match := versionPattern.FindSubmatch(output)
	if match == nil {
		return 0, fmt.Errorf("%s --version: \"%s\" names no version 1.x", binary, output)
	}
	return strconv.Atoi(string(match[1]))
}

// memoryDirectory is a file system in memory, or "" for the usual one.
func memoryDirectory() string {
	const shared = "/dev/shm"
	probe, err := os.CreateTemp(shared, "berth-e2e-")
	if err != nil {
		return ""
	}
	probe.Close()
	_ = os.Remove(probe.Name())
	return shared
}

func awaitReady(ctx context.Context, process *Process, probe func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, StartUp)
	defer cancel()
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for {
		attempt, stop := context.WithTimeout(ctx, 2*time.Second)
		err := probe(attempt)
		stop()
		if err == nil {
			return nil
		}
		select {
		case <-ticker.C:
		case <-process.Done():
			return fmt.Errorf("%s has ended:\n%s", process.Name, process.Tail(0, 20))
		case <-ctx.Done():
			return fmt.Errorf("%s is not ready after %v: %w:\n%s", process.Name, StartUp,
				errors.Join(err, ctx.Err()), process.Tail(0, 20))
		}
	}
}
