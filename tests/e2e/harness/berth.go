package harness

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	authentication "k8s.io/api/authentication/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/yaml"
)

// Names that Berth uses on the wire.
const (
	SchedulerName  = "berth"
	Gate           = "berth.dev/plan"
	PlanAnnotation = "berth.dev/plan"
	Marker         = "berth.dev/commit"
	Namespace      = "berth-system"
	// ServiceAccount is berthd's; the RBAC of deploy/ is all it may do.
	ServiceAccount = "berthd"
	// SchedulersAccount has the rights of a kube-scheduler. Requests through a view have its token.
	SchedulersAccount = "berth-kube-scheduler"
)

// BarrierLimit is how long a gang may be bound in part at most while berthd and kube-scheduler run;
// the tests configure barrier.maxTimeout to less.
const BarrierLimit = 20 * time.Second

// BerthOptions says how a berthd runs.
type BerthOptions struct {
	Name    string // of the process; "" is berthd
	Mode    string // steering.mode; "" is the suite's
	Address string // where the extender listens
	Pages   string // where metrics and probes are; "" is where the extender listens
	Port    int    // where the view listens, in mode view
	APIURL  string // "" is the API server itself; else a Proxy's
	// LeaderElect has it ask for the lease first.
	LeaderElect bool
	// Configuration is merged over config/berth.yaml, section by section.
	Configuration map[string]any
	LeftOut       []string // plugins of config/berth.yaml
	// With are plugins, with arguments, that the first rank has instead or besides.
	With map[string]map[string]any
	// HasTLS says that, by Configuration, metrics and probes are served over TLS.
	HasTLS bool
	// AsShipped leaves limits of requests, timeouts and scheduler names as users have them.
	AsShipped bool
}

// Berth is a berthd process.
type Berth struct {
	*Process
	Address string // of the extender
	Pages   string // the URL of metrics and probes
	View    *View  // nil but in mode view
	client  *http.Client
}

// NewBerth writes the configuration of a berthd, and does not start it.
func (c *ControlPlane) NewBerth(binary string, options BerthOptions) (*Berth, error) {
	if options.Name == "" {
		options.Name = "berthd"
	}
	if options.APIURL == "" {
		options.APIURL = c.url
	}
	if options.Mode == "" {
		options.Mode = c.Mode
	}
	token, err := c.Token(ServiceAccount)
	if err != nil {
		return nil, err
	}
	kubeconfig := filepath.Join(c.Directory, options.Name+".kubeconfig")
	err = writeKubeconfig(kubeconfig, options.APIURL, c.authority, &api.AuthInfo{Token: token})
	if err != nil {
		return nil, err
	}
	var view *View
	if options.Mode == ThroughView {
		view = &View{Port: options.Port, Directory: filepath.Join(c.Directory, options.Name+"-view")}
		if err := os.MkdirAll(view.Directory, 0o700); err != nil {
			return nil, err
		}
	}
	configuration, err := berthConfiguration(options, view)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(c.Directory, options.Name+".yaml")
	if err := os.WriteFile(file, configuration, 0o600); err != nil {
		return nil, err
	}
	arguments := []string{"--kubeconfig", kubeconfig, "--context", ContextName, "--config", file,
		"--listen", options.Address, fmt.Sprintf("--leader-elect=%t", options.LeaderElect),
		"--lease-namespace", Namespace}
	pages := options.Address
	if options.Pages != "" {
		pages = options.Pages
		arguments = append(arguments, "--pages", pages)
	}
	if !options.AsShipped {
		arguments = append(arguments, "--kube-api-qps", "5000", "--kube-api-burst", "10000")
	}
	process := NewProcess(options.Name, c.Directory, binary, arguments...)
	made := &Berth{Process: process, Address: options.Address, Pages: "http://" + pages, View: view,
		client: &http.Client{Timeout: 2 * time.Second}}
	if options.HasTLS { // and without a certificate, as the kubelet asks
		made.Pages = "https://" + pages
		made.client.Transport = trusting(c.authority)
	}
	return made, nil
}

// Token is one of a service account of Berth's namespace, as its pod would have. A certificate
// costs the API server more: it verifies the signature at each request.
func (c *ControlPlane) Token(account string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), StartUp)
	defer cancel()
	day := int64(24 * 60 * 60)
	request := &authentication.TokenRequest{
		Spec: authentication.TokenRequestSpec{ExpirationSeconds: &day},
	}
	answer, err := c.Client.CoreV1().ServiceAccounts(Namespace).CreateToken(ctx, account,
		request, meta.CreateOptions{})
	if err != nil {
		return "", fmt.Errorf("token of %s/%s: %w", Namespace, account, err)
	}
	return answer.Status.Token, nil
}

// AsBerth is a client with the account, and so the rights, of berthd.
func (c *ControlPlane) AsBerth() (kubernetes.Interface, error) {
	token, err := c.Token(ServiceAccount)
	if err != nil {
		return nil, err
	}
	config := rest.CopyConfig(c.Admin)
	config.ContentType = "application/vnd.kubernetes.protobuf"
	config.CertData, config.KeyData, config.BearerToken = nil, nil, token
	return kubernetes.NewForConfig(config)
}

func berthConfiguration(options BerthOptions, view *View) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(Repository(), "config", "berth.yaml"))
	if err != nil {
		return nil, err
	}
	document := map[string]any{}
	if err := yaml.Unmarshal(text, &document); err != nil {
		return nil, err
	}
	leaveOut(document, options.LeftOut)
	putIn(document, options.With)
	merge(document, map[string]any{"steering": map[string]any{"mode": options.Mode}})
	if !options.AsShipped {
		merge(document, map[string]any{
			"schedulerNames": []string{SchedulerName, "volcano"},
			"barrier":        map[string]any{"timeout": "5s", "maxTimeout": "15s"},
			// The policy is younger than the tests' objects would have to be.
			"reservation": map[string]any{"authorization": "policy"},
			"leaderElection": map[string]any{
				"leaseDuration": "3s", "renewDeadline": "2s", "retryPeriod": "500ms",
			},
		})
	}
	if view != nil {
		merge(document, view.configuration())
	}
	merge(document, options.Configuration)
	return yaml.Marshal(document)
}

// leaveOut takes the plugins out of the configuration.
func leaveOut(document map[string]any, names []string) {
	tiers, _ := document["tiers"].([]any)
	for _, each := range tiers {
		tier := each.(map[string]any)
		tier["plugins"] = slices.DeleteFunc(tier["plugins"].([]any), func(plugin any) bool {
			return slices.Contains(names, plugin.(map[string]any)["name"].(string))
		})
	}
}

// putIn has the first rank have the plugins with these arguments.
func putIn(document map[string]any, plugins map[string]map[string]any) {
	names := slices.Sorted(maps.Keys(plugins))
	leaveOut(document, names)
	for _, name := range names {
		tier := document["tiers"].([]any)[0].(map[string]any)
		tier["plugins"] = append(tier["plugins"].([]any),
			map[string]any{"name": name, "arguments": plugins[name]})
	}
}

// merge puts the keys of over into document; those of sections one by one.
func merge(document, over map[string]any) {
	for key, value := range over {
		section, isSection := value.(map[string]any)
		present, isPresent := document[key].(map[string]any)
		if isSection && isPresent {
			merge(present, section)
		} else {
			document[key] = value
		}
	}
}

// Start starts berthd and waits until it answers; AwaitReady waits until it leads and has synced.
func (b *Berth) Start(ctx context.Context) error {
	if err := b.Process.Start(); err != nil {
		return err
	}
	return awaitReady(ctx, b.Process, func(ctx context.Context) error {
		return b.Alive(ctx)
	})
}

// AwaitReady waits until berthd has listed the cluster, leads, and has published a plan.
func (b *Berth) AwaitReady(ctx context.Context) error {
	return awaitReady(ctx, b.Process, b.Ready)
}

// Ready is nil when /readyz says so.
func (b *Berth) Ready(ctx context.Context) error {
	return getOK(ctx, b.client, b.Pages+"/readyz")
}

// Alive is nil when /livez says so.
func (b *Berth) Alive(ctx context.Context) error {
	return getOK(ctx, b.client, b.Pages+"/livez")
}

// Leads is nil if this berthd leads: another answers that it does not.
func (b *Berth) Leads(ctx context.Context) error {
	return getOK(ctx, b.client, b.Pages+"/queues")
}

// Metrics is the text of /metrics. A busy machine may take its time, which decides nothing.
func (b *Berth) Metrics(ctx context.Context) (string, error) {
	patient := *b.client
	patient.Timeout = Soon
	return get(ctx, &patient, b.Pages+"/metrics")
}

// Metric is the value of the sample that begins with these words, 0 if there is none.
func (b *Berth) Metric(ctx context.Context, sample string) (float64, error) {
	text, err := b.Metrics(ctx)
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(text) {
		if value, found := strings.CutPrefix(line, sample+" "); found {
			return strconv.ParseFloat(strings.TrimSpace(value), 64)
		}
	}
	return 0, nil
}

// FlowSchemaOf is the uid of the FlowSchema by which the API server takes in berthd's request.
func (c *ControlPlane) FlowSchemaOf(ctx context.Context, path string) (string, error) {
	token, err := c.Token(ServiceAccount)
	if err != nil {
		return "", err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url+path, nil)
	if err != nil {
		return "", err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := (&http.Client{Transport: trusting(c.authority)}).Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	return response.Header.Get("X-Kubernetes-Pf-Flowschema-Uid"), nil
}
