package harness

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	authentication "k8s.io/api/authentication/v1"
	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd/api"
)

// Deployed is a pod of a Deployment whose containers run as processes on this machine. They have the
// pod's arguments, volumes and accounts, with paths below a directory and ports that are free.
type Deployed struct {
	Containers map[string]*Process

	plane     *ControlPlane
	pod       core.PodSpec
	name      string // of processes, before the container's
	directory string
	ports     map[int]int // of the manifests, and here
	client    *http.Client
}

// portsOfManifests are those that processes of two pods on one machine would both listen on.
var portsOfManifests = []int{8890, 8891, 8892, 10259}

// where a container finds its account, unless its pod has automountServiceAccountToken: false.
const accountDirectory = "/var/run/secrets/kubernetes.io/serviceaccount"

// NewDeployed prepares a pod of a Deployment that the API server has; binaries are by command.
func (c *ControlPlane) NewDeployed(ctx context.Context, deployment, berthd string) (*Deployed, error) {
	read, err := c.Client.AppsV1().Deployments(Namespace).Get(ctx, deployment, meta.GetOptions{})
	if err != nil {
		return nil, err
	}
	return c.newDeployed(ctx, deployment, read.Spec.Template.Spec, berthd)
}

func (c *ControlPlane) newDeployed(ctx context.Context, name string, pod core.PodSpec,
	berthd string) (*Deployed, error) {
	free, err := FreePorts(len(portsOfManifests))
	if err != nil {
		return nil, err
	}
	d := &Deployed{Containers: map[string]*Process{}, plane: c, pod: pod,
		name: name, ports: map[int]int{},
		directory: filepath.Join(c.Directory, "pod-"+name),
		client:    &http.Client{Timeout: 2 * time.Second, Transport: trusting(c.authority)}}
	for i, port := range portsOfManifests {
		d.ports[port] = free[i]
	}
	if err := os.RemoveAll(d.directory); err != nil {
		return nil, err
	}
	for _, container := range slices.Concat(d.pod.InitContainers, d.pod.Containers) {
		binary := berthd
		arguments := container.Args
		if len(container.Command) > 0 {
			binary = filepath.Join(c.binaries, container.Command[0])
			arguments = slices.Concat(container.Command[1:], arguments)
		}
		if err := d.mount(ctx, container); err != nil {
			return nil, fmt.Errorf("container %s: %w", container.Name, err)
		}
		for i := range arguments {
			arguments[i] = d.here(container, arguments[i])
		}
		more, err := d.addressOfTheServer(container)
		if err != nil {
			return nil, err
		}
		d.Containers[container.Name] = NewProcess(d.name+"-"+container.Name, c.Directory, binary,
			slices.Concat(arguments, more)...)
	}
	return d, nil
}

// addressOfTheServer are arguments for what a kubelet and a cluster network give: in a pod, berthd
// finds the API server by environment variables and files at fixed paths.
func (d *Deployed) addressOfTheServer(container core.Container) ([]string, error) {
	if container.Name == "kube-scheduler" {
		return []string{"--secure-port=" + strconv.Itoa(d.ports[10259])}, nil
	}
	if slices.ContainsFunc(d.pod.InitContainers, func(each core.Container) bool {
		return each.Name == container.Name
	}) {
		return nil, nil
	}
	token, err := os.ReadFile(filepath.Join(d.root(container), accountDirectory, "token"))
	if err != nil {
		return nil, fmt.Errorf("%s has no account: %w", container.Name, err)
	}
	path := filepath.Join(d.directory, container.Name+".kubeconfig")
	err = writeKubeconfig(path, d.plane.url, d.plane.authority, &api.AuthInfo{Token: string(token)})
	return []string{"--kubeconfig=" + path, "--context=" + ContextName}, err
}

func (d *Deployed) root(container core.Container) string {
	return filepath.Join(d.directory, container.Name)
}

// here is a text of the manifests with paths and ports of this machine.
func (d *Deployed) here(container core.Container, text string) string {
	mounts := []string{accountDirectory}
	for _, mount := range container.VolumeMounts {
		mounts = append(mounts, mount.MountPath)
	}
	slices.SortFunc(mounts, func(a, b string) int { return len(b) - len(a) })
	var pairs []string
	for _, mount := range slices.Compact(mounts) {
		pairs = append(pairs, mount, d.root(container)+mount)
	}
	for port, here := range d.ports {
		pairs = append(pairs, strconv.Itoa(port), strconv.Itoa(here))
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

func (d *Deployed) mount(ctx context.Context, container core.Container) error {
	if automount := d.pod.AutomountServiceAccountToken; automount == nil || *automount {
		err := d.writeAccount(ctx, filepath.Join(d.root(container), accountDirectory), "token", "ca.crt")
		if err != nil {
			return err
		}
	}
	for _, mount := range container.VolumeMounts {
		at := slices.IndexFunc(d.pod.Volumes, func(volume core.Volume) bool {
			return volume.Name == mount.Name
		})
		if at < 0 {
			return fmt.Errorf("the pod has no volume %q", mount.Name)
		}
		path := filepath.Join(d.root(container), mount.MountPath)
		if err := d.mountVolume(ctx, container, d.pod.Volumes[at], path); err != nil {
			return fmt.Errorf("volume %q: %w", mount.Name, err)
		}
	}
	return nil
}

func (d *Deployed) mountVolume(ctx context.Context, container core.Container, volume core.Volume,
	path string) error {
	if volume.EmptyDir != nil {
		shared := filepath.Join(d.directory, "volumes", volume.Name)
		if err := os.MkdirAll(shared, 0o700); err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		return os.Symlink(shared, path)
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return err
	}
	switch {
	case volume.ConfigMap != nil:
		read, err := d.plane.Client.CoreV1().ConfigMaps(Namespace).Get(ctx, volume.ConfigMap.Name,
			meta.GetOptions{})
		if err != nil {
			return err
		}
		return d.writeConfig(container, read.Data, path)
	case volume.Secret != nil:
		read, err := d.plane.Client.CoreV1().Secrets(Namespace).Get(ctx, volume.Secret.SecretName,
			meta.GetOptions{})
		if err != nil {
			return err
		}
		for name, content := range read.Data {
			if err := os.WriteFile(filepath.Join(path, name), content, 0o600); err != nil {
				return err
			}
		}
		return nil
	case volume.Projected != nil:
		return d.mountProjected(ctx, volume.Projected, path)
	}
	return fmt.Errorf("only emptyDir, configMap, secret and projected are known here")
}

// writeConfig replaces the files that have changed, each at once.
func (d *Deployed) writeConfig(container core.Container, data map[string]string, path string) error {
	for name, content := range data {
		content = d.here(container, withDefaults(name, content))
		file := filepath.Join(path, name)
		if before, err := os.ReadFile(file); err == nil && string(before) == content {
			continue
		}
		temporary := filepath.Join(path, ".new-"+name)
		if err := os.WriteFile(temporary, []byte(content), 0o600); err != nil {
			return err
		}
		if err := os.Rename(temporary, file); err != nil {
			return err
		}
	}
	return nil
}

// refresh shows the containers what has changed in their ConfigMaps, as a kubelet does.
func (d *Deployed) refresh(ctx context.Context) error {
	for _, container := range d.pod.Containers {
		for _, mount := range container.VolumeMounts {
			for _, volume := range d.pod.Volumes {
				if volume.Name != mount.Name || volume.ConfigMap == nil {
					continue
				}
				path := filepath.Join(d.root(container), mount.MountPath)
				if err := d.mountVolume(ctx, container, volume, path); err != nil {
					return fmt.Errorf("volume %q: %w", volume.Name, err)
				}
			}
		}
	}
	return nil
}

func (d *Deployed) mountProjected(ctx context.Context, projected *core.ProjectedVolumeSource,
	path string) error {
	for _, source := range projected.Sources {
		switch {
		case source.ServiceAccountToken != nil:
			if err := d.writeAccount(ctx, path, source.ServiceAccountToken.Path, ""); err != nil {
				return err
			}
		case source.ConfigMap != nil && source.ConfigMap.Name == "kube-root-ca.crt":
			file := filepath.Join(path, source.ConfigMap.Items[0].Path)
			if err := os.WriteFile(file, d.plane.authority.PEM, 0o600); err != nil {
				return err
			}
		case source.DownwardAPI != nil:
			file := filepath.Join(path, source.DownwardAPI.Items[0].Path)
			if err := os.WriteFile(file, []byte(Namespace), 0o600); err != nil {
				return err
			}
		default:
			return fmt.Errorf("a source that is not known here: %v", source)
		}
	}
	return nil
}

// withDefaults is berthd's configuration with the defaults that are ports and paths of its pod.
func withDefaults(name, content string) string {
	if name == "berth.yaml" && !strings.Contains(content, "\nview:") {
		content += "\nview: {port: 8891, directory: /run/berth}\n"
	}
	return content
}

// writeAccount writes a token of the pod's account, and the API server's authority.
func (d *Deployed) writeAccount(ctx context.Context, directory, tokenFile, authorityFile string) error {
	if err := os.MkdirAll(directory, 0o700); err != nil {
		return err
	}
	token, err := d.plane.Client.CoreV1().ServiceAccounts(Namespace).CreateToken(ctx,
		d.pod.ServiceAccountName, &authentication.TokenRequest{}, meta.CreateOptions{})
	if err != nil {
		return err
	}
	err = os.WriteFile(filepath.Join(directory, tokenFile), []byte(token.Status.Token), 0o600)
	if err != nil || authorityFile == "" {
		return err
	}
	return os.WriteFile(filepath.Join(directory, authorityFile), d.plane.authority.PEM, 0o600)
}

// Start runs the init containers one after the other, then starts the others at once.
func (d *Deployed) Start() error {
	for _, container := range d.pod.InitContainers {
		process := d.Containers[container.Name]
		if err := process.Start(); err != nil {
			return err
		}
		select {
		case <-process.Done():
		case <-time.After(StartUp):
			return fmt.Errorf("init container %s has not ended", container.Name)
		}
		if err := process.Ended(); err != nil {
			return fmt.Errorf("init container %s: %w: %s", container.Name, err, process.Tail(0, 20))
		}
	}
	for _, container := range d.pod.Containers {
		process := d.Containers[container.Name]
		process.Respawn = true // as a kubelet does
		if err := process.Start(); err != nil {
			return err
		}
	}
	return nil
}

// AwaitReady waits until each container passes its readiness probe, and its liveness probe.
func (d *Deployed) AwaitReady(ctx context.Context) error {
	for _, container := range d.pod.Containers {
		for _, probe := range []*core.Probe{container.ReadinessProbe, container.LivenessProbe} {
			err := awaitReady(ctx, d.plane.APIServer, func(ctx context.Context) error {
				url, err := d.probeURL(container, probe)
				if err != nil {
					return err
				}
				return getOK(ctx, d.client, url)
			})
			if err != nil {
				return fmt.Errorf("container %s: %w\n%s", container.Name, err,
					d.Containers[container.Name].Tail(0, 30))
			}
		}
	}
	return nil
}

func (d *Deployed) probeURL(container core.Container, probe *core.Probe) (string, error) {
	if probe == nil || probe.HTTPGet == nil {
		return "", fmt.Errorf("container %s has no probe by HTTP", container.Name)
	}
	port := probe.HTTPGet.Port.IntValue()
	for _, each := range container.Ports {
		if each.Name == probe.HTTPGet.Port.String() {
			port = int(each.ContainerPort)
		}
	}
	scheme := strings.ToLower(string(probe.HTTPGet.Scheme))
	return fmt.Sprintf("%s://127.0.0.1:%d%s", scheme, d.ports[port], probe.HTTPGet.Path), nil
}

// Page is one of berthd's, by the address of its readiness probe.
func (d *Deployed) Page(ctx context.Context, path string) (string, error) {
	container := d.pod.Containers[0]
	url, err := d.probeURL(container, container.ReadinessProbe)
	if err != nil {
		return "", err
	}
	return get(ctx, d.client, strings.TrimSuffix(url, container.ReadinessProbe.HTTPGet.Path)+path)
}

// Stop kills what runs.
func (d *Deployed) Stop() {
	for _, process := range d.Containers {
		process.Kill()
	}
}
