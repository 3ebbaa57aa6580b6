package e2e

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/lint"
	"helm.sh/helm/v3/pkg/lint/support"
	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	scheduler "k8s.io/kube-scheduler/config/v1"
	"sigs.k8s.io/yaml"

	"berth.dev/berth/tests/e2e/harness"
)

// What the chart's values do; no server is needed.

func TestTheChartHasNoLint(t *testing.T) {
	oldest, err := chartutil.ParseKubeVersion("1.27")
	if err != nil {
		t.Fatal(err)
	}
	for name, values := range map[string]map[string]any{
		"default": {}, "everything": everything(), "in place": inPlace()} {
		for _, version := range []*chartutil.KubeVersion{nil, oldest} {
			linted := lint.AllWithKubeVersion(harness.Deploy("helm", "berth"), values,
				harness.Namespace, version)
			for _, message := range linted.Messages {
				if message.Severity > support.InfoSev { // an icon is recommended
					t.Errorf("%s: %v", name, message)
				}
			}
		}
	}
}

// refusal is the error of the chart with these values, "" if it renders.
func refusal(values map[string]any) string {
	if _, err := renderFor(capabilitiesOf(36), values); err != nil {
		return err.Error()
	}
	return ""
}

func values(t *testing.T, text string) map[string]any {
	t.Helper()
	read := map[string]any{}
	if err := yaml.Unmarshal([]byte(text), &read); err != nil {
		t.Fatal(err)
	}
	return read
}

func TestTheChartRefusesWrongValues(t *testing.T) {
	const profile = "apiVersion: kubescheduler.config.k8s.io/v1\n\nprofiles: [{schedulerName: other}]"
	for text, want := range map[string]string{
		"replica: 3":                                 "'replica' not allowed",
		"image: {digset: a}":                         "at '/image': additional properties 'digset' not allowed",
		"image: {digest: 0a0a}":                      "at '/image/digest'",
		"replicas: many":                             "at '/replicas': got string, want integer",
		"config: {steering: {mode: view}}":           "at '/config': got object, want string",
		"config: 'steering: {'":                      "config is no YAML map",
		"schedulerNames: [\"a' b\"]":                 "at '/schedulerNames/0'",
		"schedulerNames: [berth, berth]":             "items at 0 and 1 are equal",
		"dedicatedNodes: {effect: Sometimes}":        "at '/dedicatedNodes/effect'",
		"dedicatedNodes: {key: \"a'\"}":              "at '/dedicatedNodes/key'",
		"podMonitor: {interval: often}":              "at '/podMonitor/interval'",
		"grafanaDashboard: {docs: docs/}":            "at '/grafanaDashboard/docs'",
		"config: 'schedulerNames: [berth]'":          `steering.mode is "nominate"`,
		"kubeScheduler: {config: '" + profile + "'}": `profiles for "other", and schedulerNames are "berth"`,
		"{schedulerNames: [a], config: 'schedulerNames: [b]\n\n'}": "schedulerNames are a, and " +
			"config.schedulerNames are b",
		"{schedulerNames: [a], admission: {schedulerNames: [b]}}": "admission.schedulerNames are b",
		"networkPolicy: {from: [{podSelector: {}}]}":              "Prometheus is metricsFrom",
		"pagesService: {enabled: true}":                           "pagesService needs tls.secretName",
		"config: 'schedulerNames: berth'":                         `schedulerNames is "berth", expected a list`,
		"config: \"schedulerNames: [\\\"a'b\\\"]\"":               `"a'b" is no name of a scheduler`,
		"config: \"defaultQueue: \\\"a'] + ['b\\\"\"":             `"a'] + ['b" is no name`,
		"config: 'steering: view'":                                "steering is no map",
		"schedulerNames: null":                                    "use --reset-then-reuse-values",
		"{tls: {secretName: a}, config: '{steering: {mode: view}, pages: {tls: {certFile: b}}}'}": "config " +
			"has pages.tls, and tls.secretName is set",
	} {
		if found := refusal(values(t, text)); !strings.Contains(found, want) {
			t.Errorf("%s: %q, expected %q", text, found, want)
		}
	}
}

// deployed is an object of the chart for 1.36 with these values.
func deployed(t testing.TB, values map[string]any, kind, name string) *unstructured.Unstructured {
	t.Helper()
	files, err := renderFor(capabilitiesOf(36, podMonitors, prometheusRules), values)
	if err != nil {
		t.Fatal(err)
	}
	objects, err := objectsOf(files)
	if err != nil {
		t.Fatal(err)
	}
	for _, object := range objects {
		if object.GetKind() == kind && object.GetName() == name {
			return object
		}
	}
	return nil
}

func text(t *testing.T, object *unstructured.Unstructured, path ...string) string {
	t.Helper()
	if object == nil {
		t.Fatalf("no object that has %v", path)
	}
	found, is, err := unstructured.NestedString(object.Object, path...)
	if err != nil || !is {
		t.Fatalf("%s has no text at %v", object.GetName(), path)
	}
	return found
}

// Names are configured once, and are then in berthd's configuration, kube-scheduler's and policies.
func TestSchedulerNamesFeedEverything(t *testing.T) {
	for _, given := range []string{
		"schedulerNames: [volcano, berth]",
		"config: 'schedulerNames: [volcano, berth]\nsteering: {mode: view}'",
		"schedulerNames: [volcano, berth]\nconfig: 'steering: {mode: view}'",
		"schedulerNames: [volcano, berth]\nconfig: 'schedulerNames: [berth, volcano]\n" +
			"steering: {mode: view}'",
	} {
		given = strings.ReplaceAll(given, "]\nsteering", "]\n\n  steering")
		all := values(t, given)
		all["dedicatedNodes"] = map[string]any{"enabled": true}
		var berth struct{ SchedulerNames []string }
		config := text(t, deployed(t, all, "ConfigMap", "berth-config"), "data", "berth.yaml")
		if err := yaml.Unmarshal([]byte(config), &berth); err != nil {
			t.Fatal(err)
		}
		var profiles scheduler.KubeSchedulerConfiguration
		config = text(t, deployed(t, all, "ConfigMap", "berth-kube-scheduler-config"), "data",
			"kube-scheduler-config.yaml")
		if err := yaml.UnmarshalStrict([]byte(config), &profiles); err != nil {
			t.Fatal(err)
		}
		shipped := readSchedulerConfig(t, "kustomize", "base", "kube-scheduler-config.yaml").Profiles[0]
		var served []string
		for _, each := range profiles.Profiles {
			served = append(served, *each.SchedulerName)
			shipped.SchedulerName = each.SchedulerName
			if !reflect.DeepEqual(each, shipped) {
				t.Errorf("%s: the profile %s is not as shipped", given, *each.SchedulerName)
			}
		}
		slices.Sort(served)
		slices.Sort(berth.SchedulerNames)
		want := []string{"berth", "volcano"}
		if !slices.Equal(served, want) || !slices.Equal(berth.SchedulerNames, want) {
			t.Errorf("%s: berthd serves %v, kube-scheduler %v", given, berth.SchedulerNames, served)
		}
		policy, err := deployed(t, all, "MutatingAdmissionPolicy", "nodes.berth.dev").MarshalJSON()
		if err != nil || !regexp.MustCompile(`in \['(volcano', 'berth|berth', 'volcano)'\]`).Match(policy) {
			t.Errorf("%s: %v, the policy is %s", given, err, policy)
		}
	}
	gates, err := deployed(t, map[string]any{"kubeScheduler": map[string]any{"enabled": false},
		"schedulerNames": []any{"a", "b"}}, "MutatingAdmissionPolicy", "pods.berth.dev").MarshalJSON()
	if err != nil || !bytes.Contains(gates, []byte("in ['a', 'b']")) {
		t.Errorf("%v, the gating policy is %s", err, gates)
	}
}

func deploymentOf(t testing.TB, values map[string]any) *apps.Deployment {
	t.Helper()
	read := &apps.Deployment{}
	err := runtime.DefaultUnstructuredConverter.FromUnstructured(
		deployed(t, values, "Deployment", "berth").Object, read)
	if err != nil {
		t.Fatal(err)
	}
	return read
}

func TestTheDeploymentHasWhatValuesSay(t *testing.T) {
	all := everything()
	found := deploymentOf(t, all)
	pod := found.Spec.Template
	digest := all["image"].(map[string]any)["digest"].(string)
	for what, pair := range map[string][2]any{
		"image":      {pod.Spec.Containers[0].Image, "registry.example/berthd@" + digest},
		"key":        {pod.Spec.InitContainers[0].Image, "registry.example/berthd@" + digest},
		"scheduler":  {pod.Spec.Containers[1].Image, "registry.k8s.io/kube-scheduler@" + digest},
		"argument":   {slices.Contains(pod.Spec.Containers[1].Command, "--v=2"), true},
		"env":        {pod.Spec.Containers[0].Env[0].Name, "TZ"},
		"class":      {pod.Spec.PriorityClassName, "batch-system"},
		"labels":     {pod.Labels["team"] + found.Labels["team"], "mlml"},
		"app":        {pod.Labels["app"], "berth"},
		"notes":      {pod.Annotations["team"] + found.Annotations["team"], "mlml"},
		"tolerates":  {len(pod.Spec.Tolerations), 1},
		"affinity":   {pod.Spec.Affinity.NodeAffinity == nil, true},
		"secrets":    {pod.Spec.ImagePullSecrets[0].Name, "pull"},
		"no service": {deploymentOf(t, nil).Spec.Template.Spec.Containers[0].Image, "berthd:0.1.0"},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s: %v, expected %v", what, pair[0], pair[1])
		}
	}
	mounted := false
	for _, mount := range pod.Spec.Containers[0].VolumeMounts {
		mounted = mounted || mount.Name == "zone"
	}
	if !mounted || !slices.ContainsFunc(found.Spec.Template.Spec.Volumes, func(v core.Volume) bool {
		return v.Name == "zone"
	}) {
		t.Error("the extra volume is not mounted")
	}
	// A digest names the image for both; without, the tag does, and vendors' suffixes are cut off.
	if image := deploymentOf(t, nil).Spec.Template.Spec.Containers[1].Image; image !=
		"registry.k8s.io/kube-scheduler:v1.36.3" {
		t.Errorf("kube-scheduler's image is %s", image)
	}
	labels := map[string]any{"podLabels": map[string]any{"app": "other"}}
	if label := deploymentOf(t, labels).Spec.Template.Labels["app"]; label != "berth" {
		t.Errorf("podLabels replace what the Deployment selects by: %s", label)
	}
}

// A Secret is mounted, named in the configuration for each server that is open, and asked for by
// probes and Prometheus.
func TestTLSIsConfiguredEverywhere(t *testing.T) {
	beside := map[string]any{"tls": map[string]any{"secretName": "certificate", "clientCA": true},
		"podMonitor": map[string]any{"enabled": true}, "schedulerNames": []any{"batch"}}
	for name, all := range map[string]map[string]any{
		"beside":   beside,
		"in place": chartutil.CoalesceTables(inPlace(), maps.Clone(beside)),
	} {
		pod := deploymentOf(t, all).Spec.Template.Spec
		for _, probe := range []*core.Probe{pod.Containers[0].ReadinessProbe,
			pod.Containers[0].LivenessProbe} {
			if probe.HTTPGet.Scheme != core.URISchemeHTTPS || probe.HTTPGet.Port.StrVal != "pages" {
				t.Errorf("%s: a probe is %v", name, probe.HTTPGet)
			}
		}
		at := slices.IndexFunc(pod.Volumes, func(each core.Volume) bool {
			return each.Secret != nil && each.Secret.SecretName == "certificate"
		})
		isMounted := func(each core.VolumeMount) bool {
			return each.Name == pod.Volumes[at].Name && each.MountPath == "/etc/berth-tls" && each.ReadOnly
		}
		if at < 0 || !slices.ContainsFunc(pod.Containers[0].VolumeMounts, isMounted) {
			t.Errorf("%s: the Secret is not mounted: %v", name, pod.Volumes)
		}
		type server struct {
			TLS struct{ CertFile, KeyFile, ClientCAFile string }
		}
		var config struct {
			Pages, Extender server
			SchedulerNames  []string
			Tiers           []any
		}
		read := text(t, deployed(t, all, "ConfigMap", "berth-config"), "data", "berth.yaml")
		if err := yaml.Unmarshal([]byte(read), &config); err != nil {
			t.Fatal(err)
		}
		want := server{}
		want.TLS.CertFile, want.TLS.KeyFile = "/etc/berth-tls/tls.crt", "/etc/berth-tls/tls.key"
		want.TLS.ClientCAFile = "/etc/berth-tls/ca.crt"
		isOpen := name == "in place" // beside, the extender is on loopback
		if config.Pages != want || (config.Extender == want) != isOpen || len(config.Tiers) == 0 ||
			!slices.Equal(config.SchedulerNames, []string{"batch"}) {
			t.Errorf("%s: the configuration is %s", name, read)
		}
		monitor, err := deployed(t, all, "PodMonitor", "berth").MarshalJSON()
		if err != nil || !bytes.Contains(monitor, []byte(`"scheme":"https"`)) {
			t.Errorf("%s: %v, Prometheus is to use %s", name, err, monitor)
		}
	}
}

// Ports are open to those whom values name, and to no others.
func TestOnlyNamedPeersReachBerthd(t *testing.T) {
	for name, want := range map[string]string{
		"{}": `"ingress":[]`,
		"networkPolicy: {metricsFrom: [{podSelector: {}}]}": `"ingress":[{"from":[{"podSelector":{}}],` +
			`"ports":[{"port":"pages"}]}]`,
		"networkPolicy: {metricsFrom: [{podSelector: {}}], pagesFrom: [{namespaceSelector: {}}]}": `"ingress":` +
			`[{"from":[{"podSelector":{}},{"namespaceSelector":{}}],"ports":[{"port":"pages"}]}]`,
		"{networkPolicy: {from: [{ipBlock: {cidr: 192.0.2.1/32}}]}, kubeScheduler: {enabled: false}}": `"ingress":[{"from":[{"ipBlock":` +
			`{"cidr":"192.0.2.1/32"}}],"ports":[{"port":"extender"}]}]`,
	} {
		policy, err := deployed(t, values(t, name), "NetworkPolicy", "berth").MarshalJSON()
		if err != nil || !bytes.Contains(policy, []byte(want)) {
			t.Errorf("%s: %v, the policy is %s", name, err, policy)
		}
	}
	arguments := deploymentOf(t, nil).Spec.Template.Spec.Containers[0].Args
	if !slices.Contains(arguments, "--listen=127.0.0.1:8890") {
		t.Errorf("kube-scheduler asks over loopback, and berthd listens by %v", arguments)
	}
}

func TestThePagesHaveAService(t *testing.T) {
	chosen := values(t, "{pagesService: {enabled: true}, tls: {secretName: berthd-tls}}")
	service, err := deployed(t, chosen, "Service", "berth-pages").MarshalJSON()
	const want = `"ports":[{"name":"pages","port":8892,"targetPort":"pages"}],"selector":{"app":"berth"}`
	if err != nil || !bytes.Contains(service, []byte(want)) {
		t.Errorf("%v, the Service is %s", err, service)
	}
}

// OpenShift refuses pods that name a user.
func TestTheUserIsOpenShiftsThere(t *testing.T) {
	users := func(values map[string]any, more ...string) *int64 {
		files, err := renderFor(capabilitiesOf(33, more...), values)
		if err != nil {
			t.Fatal(err)
		}
		var read apps.Deployment
		first, _, _ := strings.Cut(files["berth/templates/deployment.yaml"], "\n---")
		if err := yaml.Unmarshal([]byte(first), &read); err != nil {
			t.Fatal(err)
		}
		context := read.Spec.Template.Spec.SecurityContext
		if context == nil || context.RunAsNonRoot == nil || !*context.RunAsNonRoot {
			t.Errorf("with %v and %v the pod may run as root", values, more)
		}
		return context.RunAsUser
	}
	const constraints = "security.openshift.io/v1/SecurityContextConstraints"
	if user := users(nil); user == nil || *user != 65532 {
		t.Errorf("the user is %v", user)
	}
	if user := users(nil, constraints); user != nil {
		t.Errorf("on OpenShift the user is %d", *user)
	}
	given := values(t, "podSecurityContext: {runAsNonRoot: true, runAsUser: 1000}")
	if user := users(given, constraints); user == nil || *user != 1000 {
		t.Errorf("the user is %v, not the given one", user)
	}
}

func TestAQuotaIsMadeWhereTheClassNeedsOne(t *testing.T) {
	for _, each := range []struct {
		version string
		values  string
		want    bool
	}{
		{"v1.33.4-gke.1036000", "{}", true},
		{"v1.33.4-gke.1036000", "priorityClassQuota: false", false},
		{"v1.33.4-gke.1036000", "priorityClassName: ''", false},
		{"v1.33.4-eks-99d6cc0", "{}", false},
		{"v1.33.4-eks-99d6cc0", "priorityClassQuota: true", true},
	} {
		capabilities := capabilitiesOf(33)
		capabilities.KubeVersion.Version = each.version
		files, err := renderFor(capabilities, values(t, each.values))
		if err != nil {
			t.Fatal(err)
		}
		quota := strings.TrimSpace(files["berth/templates/quota.yaml"])
		if (quota != "") != each.want {
			t.Errorf("%s with %s: the quota is %q", each.version, each.values, quota)
		}
	}
}

var (
	metricName  = regexp.MustCompile(`berth_[a-z_]+`)
	selector    = regexp.MustCompile(`(berth_[a-z_]+)\{([a-z]+)="([^"]*)"\}`)
	histograms  = regexp.MustCompile("_seconds_(bucket|count|sum)$")
	quotedNames = regexp.MustCompile("`[a-z._]+`")
)

type alert struct {
	Alert, Expr, For    string
	Labels, Annotations map[string]string
}

// metricsIn are the families that an alert reads.
func (a alert) metricsIn() []string {
	var names []string
	for _, name := range metricName.FindAllString(a.Expr, -1) {
		names = append(names, histograms.ReplaceAllString(name, "_seconds"))
	}
	return names
}

func shippedAlerts(t testing.TB) []alert {
	t.Helper()
	rule := deployed(t, map[string]any{"prometheusRule": map[string]any{"enabled": true,
		"extraLabels": map[string]any{"team": "ml"}}}, "PrometheusRule", "berth")
	text, err := yaml.Marshal(rule.Object["spec"])
	if err != nil {
		t.Fatal(err)
	}
	var read struct {
		Groups []struct {
			Name  string
			Rules []alert
		}
	}
	if err := yaml.UnmarshalStrict(text, &read); err != nil || len(read.Groups) != 1 {
		t.Fatalf("%v, %d groups of alerts", err, len(read.Groups))
	}
	return read.Groups[0].Rules
}

// The ConfigMap has the dashboard of deploy/monitoring, with links if the documents have an address.
func TestTheDashboardIsForGrafanasSidecar(t *testing.T) {
	if deployed(t, nil, "ConfigMap", "berth-dashboard") != nil {
		t.Error("the dashboard is there by default")
	}
	shipped, err := os.ReadFile(harness.Deploy("monitoring", "dashboard.json"))
	if err != nil {
		t.Fatal(err)
	}
	config := deployed(t, values(t, "grafanaDashboard: {enabled: true}"), "ConfigMap",
		"berth-dashboard")
	if text(t, config, "data", "berth.json") != string(shipped) {
		t.Error("the ConfigMap has another dashboard than deploy/monitoring")
	}
	if label := config.GetLabels()["grafana_dashboard"]; label != "1" {
		t.Errorf("the label of the sidecar is %q", label)
	}
	config = deployed(t, values(t, `grafanaDashboard: {enabled: true, labels: {team: ml}, `+
		`annotations: {grafana_folder: Batch}, docs: "https://a.example/docs/"}`), "ConfigMap",
		"berth-dashboard")
	if config.GetLabels()["team"] != "ml" || config.GetAnnotations()["grafana_folder"] != "Batch" {
		t.Errorf("labels %v, annotations %v", config.GetLabels(), config.GetAnnotations())
	}
	var linked struct{ Links []struct{ Title, URL string } }
	if err := json.Unmarshal([]byte(text(t, config, "data", "berth.json")), &linked); err != nil {
		t.Fatal(err)
	}
	if len(linked.Links) == 0 {
		t.Error("the dashboard has no links")
	}
	for _, link := range linked.Links {
		page, is := strings.CutPrefix(link.URL, "https://a.example/docs/")
		if _, err := os.Stat(filepath.Join(harness.Repository(), "docs", page)); !is || err != nil {
			t.Errorf("%s leads to %s: %v", link.Title, link.URL, err)
		}
	}
}

// documentedMetrics are the lines of docs/metrics.md by metric.
func documentedMetrics(t *testing.T) map[string]string {
	t.Helper()
	document, err := os.ReadFile(filepath.Join(harness.Repository(), "docs", "metrics.md"))
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string]string{}
	for line := range strings.Lines(string(document)) {
		cell, _, _ := strings.Cut(strings.TrimPrefix(line, "| "), "|")
		if !strings.HasPrefix(line, "| `berth_") {
			continue
		}
		for _, quoted := range quotedNames.FindAllString(cell, -1) {
			lines[strings.Trim(quoted, "`")] = line
		}
	}
	return lines
}

func TestAlertsAreOnMetricsThatAreThere(t *testing.T) {
	documented := documentedMetrics(t)
	seen := map[string]bool{}
	for _, each := range shippedAlerts(t) {
		for _, name := range each.metricsIn() {
			if documented[name] == "" {
				t.Errorf("%s reads %s, which docs/metrics.md does not have", each.Alert, name)
			}
		}
		for _, match := range selector.FindAllStringSubmatch(each.Expr, -1) {
			if line := documented[match[1]]; !strings.Contains(line, "`"+match[2]+"`") ||
				!strings.Contains(line, match[3]) {
				t.Errorf("%s reads %s, which docs/metrics.md does not have", each.Alert, match[0])
			}
		}
		for _, key := range []string{"summary", "description", "runbook"} {
			if each.Annotations[key] == "" {
				t.Errorf("%s has no %s", each.Alert, key)
			}
		}
		if each.Labels["severity"] == "" || each.Labels["team"] != "ml" {
			t.Errorf("%s has labels %v", each.Alert, each.Labels)
		}
		if seen[each.Alert] || strings.Count(each.Expr, "(") != strings.Count(each.Expr, ")") {
			t.Errorf("%s is there twice, or its parentheses do not match: %s", each.Alert, each.Expr)
		}
		seen[each.Alert] = true
	}
	if len(seen) < 10 {
		t.Errorf("%d alerts", len(seen))
	}
}
