package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	authentication "k8s.io/api/authentication/v1"
	core "k8s.io/api/core/v1"
	rbac "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/yaml"

	"berth.dev/berth/tests/e2e/harness"
)

// account of a scheduler in a pod, in the namespace where its project installs it: the API server's
// priorities depend on that.
type account struct{ namespace, name string }

var (
	volcanoAccount = account{"volcano-system", "volcano-scheduler"}
	coAccount      = account{"scheduler-plugins", "scheduler-plugins-scheduler"}
)

// createAccount makes an account that may do everything.
func (d *driver) createAccount(a account) error {
	_, err := d.Client.CoreV1().Namespaces().Create(d.ctx,
		&core.Namespace{ObjectMeta: meta.ObjectMeta{Name: a.namespace}}, meta.CreateOptions{})
	if err != nil {
		return err
	}
	_, err = d.Client.CoreV1().ServiceAccounts(a.namespace).Create(d.ctx,
		&core.ServiceAccount{ObjectMeta: meta.ObjectMeta{Name: a.name}}, meta.CreateOptions{})
	if err != nil {
		return err
	}
	_, err = d.Client.RbacV1().ClusterRoleBindings().Create(d.ctx, &rbac.ClusterRoleBinding{
		ObjectMeta: meta.ObjectMeta{Name: a.name},
		Subjects:   []rbac.Subject{{Kind: "ServiceAccount", Namespace: a.namespace, Name: a.name}},
		RoleRef: rbac.RoleRef{APIGroup: rbac.GroupName, Kind: "ClusterRole",
			Name: "cluster-admin"},
	}, meta.CreateOptions{})
	return err
}

// applyNewDefinitions installs the definitions in a directory that are not there yet: Berth's
// PodGroup and Queue stay.
func (d *driver) applyNewDefinitions(directory string) error {
	if directory == "" {
		return nil
	}
	files, err := filepath.Glob(filepath.Join(directory, "*.yaml"))
	if err != nil || len(files) == 0 {
		return fmt.Errorf("no *.yaml in %q: %v", directory, err)
	}
	definitions := d.Dynamic.Resource(schema.GroupVersionResource{Group: "apiextensions.k8s.io",
		Version: "v1", Resource: "customresourcedefinitions"})
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		objects, err := harness.Manifests(text)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		for _, object := range objects {
			if object.GetKind() != "CustomResourceDefinition" {
				continue
			}
			_, err := definitions.Create(d.ctx, object, meta.CreateOptions{})
			if err != nil && !apierrors.IsAlreadyExists(err) {
				return err
			}
		}
	}
	time.Sleep(3 * time.Second)
	return nil
}

// kubeconfig of a service account, with a token, as in a pod.
func (d *driver) kubeconfig(file string, of account) (string, error) {
	day := int64(24 * 60 * 60)
	answer, err := d.Client.CoreV1().ServiceAccounts(of.namespace).CreateToken(d.ctx, of.name,
		&authentication.TokenRequest{
			Spec: authentication.TokenRequestSpec{ExpirationSeconds: &day}}, meta.CreateOptions{})
	if err != nil {
		return "", err
	}
	const name = harness.ContextName
	path := filepath.Join(d.Directory, file)
	return path, clientcmd.WriteToFile(api.Config{
		Clusters: map[string]*api.Cluster{name: {Server: d.Admin.Host,
			CertificateAuthorityData: d.Admin.CAData}},
		AuthInfos:      map[string]*api.AuthInfo{name: {Token: answer.Status.Token}},
		Contexts:       map[string]*api.Context{name: {Cluster: name, AuthInfo: name}},
		CurrentContext: name,
	}, path)
}

// run starts a process of the variant.
func (v *variant) run(d *driver, name, environment string, arguments ...string) error {
	binary, err := binaryOf(environment)
	if err != nil {
		return err
	}
	process := harness.NewProcess(name, d.Directory, binary, arguments...)
	v.processes = append(v.processes, process)
	v.frozen = v.processes
	return process.Start()
}

// newCoscheduling is the kube-scheduler of scheduler-plugins with its plugin Coscheduling.
func newCoscheduling(d *driver) *variant {
	version := schema.GroupVersion{Group: "scheduling.x-k8s.io", Version: "v1alpha1"}
	v := &variant{scheduler: core.DefaultSchedulerName,
		groups: []schema.GroupVersionResource{version.WithResource("podgroups")}}
	v.start = func() error {
		// Its plugin reads PodGroups, which the role of kube-scheduler does not allow.
		kubeconfig, err := d.kubeconfig("coscheduling.kubeconfig", coAccount)
		if err != nil {
			return err
		}
		file, err := d.writeCoschedulingConfiguration(kubeconfig)
		if err != nil {
			return err
		}
		ports, err := harness.FreePorts(1)
		if err != nil {
			return err
		}
		return v.run(d, "coscheduling", "COSCHEDULER", "--config="+file,
			"--bind-address=127.0.0.1", fmt.Sprintf("--secure-port=%d", ports[0]),
			"--authentication-skip-lookup=true", "--v=2")
	}
	v.group = func(space, name string, size int64) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": version.String(), "kind": "PodGroup",
			"metadata": map[string]any{"namespace": space, "name": name},
			"spec":     map[string]any{"minMember": size, "scheduleTimeoutSeconds": int64(10)},
		}}
	}
	v.join = func(pod *core.Pod, group string) {
		pod.Labels["scheduling.x-k8s.io/pod-group"] = group
	}
	return v
}

func (d *driver) writeCoschedulingConfiguration(kubeconfig string) (string, error) {
	plugin := []any{map[string]any{"name": "Coscheduling"}}
	text, err := yaml.Marshal(map[string]any{
		"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
		"clientConnection": map[string]any{"qps": 2000, "burst": 4000, "kubeconfig": kubeconfig},
		"leaderElection":   map[string]any{"leaderElect": false},
		"profiles": []any{map[string]any{
			"schedulerName": core.DefaultSchedulerName,
			"plugins": map[string]any{
				"multiPoint": map[string]any{"enabled": plugin},
				"queueSort": map[string]any{"enabled": plugin,
					"disabled": []any{map[string]any{"name": "*"}}},
			},
			"pluginConfig": []any{map[string]any{"name": "Coscheduling",
				"args": map[string]any{"permitWaitingTimeSeconds": 10}}},
		}},
	})
	if err != nil {
		return "", err
	}
	file := filepath.Join(d.Directory, "coscheduling.yaml")
	return file, os.WriteFile(file, text, 0o600)
}

// newVolcano is Volcano's scheduler as its chart runs it. Groups of single pods are made here,
// before the time begins, where its controllers would.
func newVolcano(d *driver) *variant {
	v := &variant{scheduler: "volcano", groupsSingles: true,
		groups: []schema.GroupVersionResource{harness.PodGroups},
		join:   func(pod *core.Pod, group string) { pod.Annotations[harness.GroupAnnotation] = group },
	}
	v.group = func(space, name string, size int64) *unstructured.Unstructured {
		object := harness.NewPodGroup(space, name, size)
		object.Object["spec"].(map[string]any)["queue"] = "default"
		return object
	}
	v.start = func() error { return d.startVolcano(v) }
	v.stopped = d.deleteQueues
	return v
}

func (d *driver) startVolcano(v *variant) error {
	ports, err := harness.FreePorts(2)
	if err != nil {
		return err
	}
	kubeconfig, err := d.kubeconfig("volcano.kubeconfig", volcanoAccount)
	if err != nil {
		return err
	}
	configuration, err := binaryOf("VOLCANO_CONF")
	if err != nil {
		return err
	}
	// The arguments of installer/helm/chart/volcano, but for leader election.
	err = v.run(d, "vc-scheduler", "VOLCANO_SCHEDULER", "--logtostderr",
		"--scheduler-conf="+configuration, "--enable-healthz=true",
		fmt.Sprintf("--healthz-address=127.0.0.1:%d", ports[0]), "--enable-metrics=true",
		fmt.Sprintf("--listen-address=127.0.0.1:%d", ports[1]), "--leader-elect=false",
		"--kube-api-qps=2000", "--kube-api-burst=2000", "--schedule-period=1s",
		"--node-worker-threads=20", "-v=3", "--kubeconfig="+kubeconfig)
	if err != nil {
		return err
	}
	v.metrics = func(ctx context.Context) (sessions, error) {
		samples, err := scrape(ctx, fmt.Sprintf("http://127.0.0.1:%d/metrics", ports[1]))
		const whole = "volcano_e2e_scheduling_latency_milliseconds"
		return sessions{Count: samples[whole+"_count"], Seconds: samples[whole+"_sum"] / 1e3}, err
	}
	return d.openQueues()
}

// openQueues does what Volcano's controllers do once: without it the scheduler allocates nothing.
func (d *driver) openQueues() error {
	for _, name := range []string{"root", "default"} {
		err := d.Recorder.Await(d.ctx, harness.StartUp, func() error {
			_, err := d.Dynamic.Resource(harness.Queues).Patch(d.ctx, name, types.MergePatchType,
				[]byte(`{"status":{"state":"Open"}}`), meta.PatchOptions{}, "status")
			return err
		})
		if err != nil {
			return fmt.Errorf("open queue %q: %w", name, err)
		}
	}
	return nil
}

// deleteQueues takes away the queues that Volcano has made, which Berth would serve, too.
func (d *driver) deleteQueues() error {
	queues := d.Dynamic.Resource(harness.Queues)
	all, err := queues.List(d.ctx, meta.ListOptions{})
	if err != nil {
		return err
	}
	names := []string{}
	for _, queue := range all.Items {
		names = append(names, queue.GetName())
	}
	slices.SortFunc(names, strings.Compare)
	for _, name := range names {
		if err := queues.Delete(d.ctx, name, meta.DeleteOptions{}); err != nil {
			return err
		}
	}
	return nil
}
