package e2e

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"berth.dev/berth/tests/e2e/harness"
)

// block is a block of YAML of docs/in-place.md, with another directory.
func block(e *harness.Env, name, shipped, directory string) map[string]any {
	e.Helper()
	blocks, err := harness.Blocks("docs/in-place.md")
	e.Must(err)
	text := strings.ReplaceAll(blocks[name].Text, shipped, directory)
	if text == blocks[name].Text {
		e.Fatalf("the block %q does not name %s", name, shipped)
	}
	content := map[string]any{}
	e.Must(yaml.UnmarshalStrict([]byte(text), &content))
	return content
}

// visitor asks with a certificate, or without, and says which certificate the server has.
func visitor(e *harness.Env, directory string, hasCertificate bool, url string) (status int,
	served *x509.Certificate, err error) {
	e.Helper()
	authority, err := os.ReadFile(filepath.Join(directory, "ca.crt"))
	e.Must(err)
	config := &tls.Config{RootCAs: x509.NewCertPool()}
	config.RootCAs.AppendCertsFromPEM(authority)
	if hasCertificate {
		pair, err := tls.LoadX509KeyPair(filepath.Join(directory, "tls.crt"),
			filepath.Join(directory, "tls.key"))
		e.Must(err)
		config.Certificates = []tls.Certificate{pair}
	}
	transport := &http.Transport{TLSClientConfig: config}
	defer transport.CloseIdleConnections()
	answer, err := (&http.Client{Transport: transport, Timeout: harness.Soon}).Get(url)
	if err != nil {
		return 0, nil, err
	}
	return answer.StatusCode, answer.TLS.PeerCertificates[0], answer.Body.Close()
}

// As docs/in-place.md says it: kube-scheduler and berthd know each other by certificates, the kubelet
// needs none for probes, and a certificate is replaced while all goes on.
func TestKubeSchedulerAsksByMutualTLS(t *testing.T) {
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	e.Must(e.StopBerth())
	e.Scheduler.Kill()
	server, err := e.NewSecret(t.TempDir(), "berthd")
	e.Must(err)
	client, err := e.NewSecret(t.TempDir(), "kube-scheduler")
	e.Must(err)
	settings := block(e, "tls-of-the-extender", "/etc/berth-tls", server.Directory)
	settings["pages"] = settings["extender"]
	berth, err := e.Replica(harness.BerthOptions{Name: "berthd-tls", Configuration: settings,
		HasTLS: true})
	e.Must(err)
	t.Cleanup(berth.Kill)
	e.Show(berth.Process, 30)
	e.Must(berth.Start(e.Context))
	e.Must(berth.AwaitReady(e.Context))
	scheduler, err := e.NewKubeScheduler(harness.SchedulerOptions{Name: "kube-scheduler-tls",
		Extender:    berth.Address,
		ExtenderTLS: block(e, "tls-of-kube-scheduler", "/etc/kubernetes/berth", client.Directory)})
	e.Must(err)
	t.Cleanup(scheduler.Kill)
	e.Show(scheduler.Process, 30)
	e.Must(scheduler.Start(e.Context))

	e.AddNodes(2, "4")
	e.CreateGang("first", 6, 6, cpu("1"))
	e.AwaitBound("first", 6, harness.Soon)

	plan, metrics := "https://"+berth.Address+"/plan/filter", berth.Pages+"/metrics"
	_, before, err := visitor(e, client.Directory, true, plan)
	e.Must(err)
	if status, _, err := visitor(e, client.Directory, false, plan); err == nil {
		t.Errorf("the extender answers %d without a certificate", status)
	}
	for hasCertificate, want := range map[bool]int{false: http.StatusForbidden, true: http.StatusOK} {
		status, _, err := visitor(e, client.Directory, hasCertificate, metrics)
		if err != nil || status != want {
			t.Errorf("metrics, with a certificate %t: %d, %v", hasCertificate, status, err)
		}
	}

	e.Must(server.Rotate())
	e.Await(harness.Soon, func() error {
		_, after, err := visitor(e, client.Directory, true, plan)
		if err == nil && after.Equal(before) {
			err = os.ErrDeadlineExceeded // looked at once a second
		}
		return err
	})
	e.CreateGang("second", 2, 2, cpu("1"))
	e.AwaitBound("second", 2, harness.Soon)
	e.Must(berth.Ready(e.Context))
}
