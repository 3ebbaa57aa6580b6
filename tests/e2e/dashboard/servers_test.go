package dashboard

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// start runs a server until the test has ended. Its output is shown if the test fails.
func start(t *testing.T, name string, arguments ...string) {
	t.Helper()
	runtime.LockOSThread() // else the server would end with some other thread
	var output bytes.Buffer
	command := exec.Command(name, arguments...)
	command.Stdout, command.Stderr = &output, &output
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := command.Start(); err != nil {
		t.Fatalf("%s (scripts/install-deps installs what is needed): %v", name, err)
	}
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
		if t.Failed() {
			t.Logf("%s:\n%s", name, output.String())
		}
	})
}

func freePort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

func write(t *testing.T, text, directory, name string) string {
	t.Helper()
	path := filepath.Join(directory, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// certificate makes one that expires in an hour: the paths of it and of its key.
func certificate(t *testing.T, directory string) (string, string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Minute),
		NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	signed, err := x509.CreateCertificate(rand.Reader, &template, &template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	block := func(kind string, bytes []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: bytes}))
	}
	return write(t, block("CERTIFICATE", signed), directory, "tls.crt"),
		write(t, block("PRIVATE KEY", private), directory, "tls.key")
}

// berthd is one of an embedded cluster, at the directory `manifests`: the addresses of its extender
// and of its pages.
func berthd(t *testing.T, manifests string) (extender, pages string) {
	t.Helper()
	binary := os.Getenv("BERTHD_BINARY")
	if binary == "" {
		t.Fatal("BERTHD_BINARY is not set; scripts/e2e BERTHD sets it")
	}
	directory := t.TempDir()
	chain, key := certificate(t, directory)
	config := string(readAll(t, "tests", "e2e", "dashboard", "testdata", "berth.yaml")) +
		fmt.Sprintf("pages: {tls: {certFile: %s, keyFile: %s}}\nhistory: {directory: %s}\n", chain, key,
			filepath.Join(directory, "history"))
	extender, pages = freePort(t), freePort(t)
	start(t, binary, "--embedded", manifests, "--config", write(t, config, directory, "berth.yaml"),
		"--listen", extender, "--pages", pages, "--speed", "60")
	return extender, pages
}

// call sends the extender something that it refuses.
func call(t *testing.T, extender string) {
	t.Helper()
	reply, err := http.Post("http://"+extender+"/plan/filter", "application/json",
		strings.NewReader("{"))
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	if reply.StatusCode != http.StatusBadRequest {
		t.Fatalf("the extender answers no JSON with %s", reply.Status)
	}
}

// server is the address of a Prometheus that scrapes a berthd as the chart's PodMonitor has it done.
type server string

func startPrometheus(t *testing.T, pages string) server {
	t.Helper()
	directory := t.TempDir()
	config := write(t, fmt.Sprintf(`
global: {scrape_interval: %s}
scrape_configs:
  - job_name: berth-system/berth
    honor_labels: true
    scheme: https
    tls_config: {insecure_skip_verify: true}
    static_configs: [{targets: [%q], labels: {namespace: berth-system, pod: berth-0}}]
`, scrapeInterval, pages), directory, "prometheus.yml")
	address := freePort(t)
	start(t, "prometheus", "--config.file", config, "--web.listen-address", address,
		"--storage.tsdb.path", filepath.Join(directory, "data"), "--log.level", "warn")
	return server(address)
}

type sample struct {
	Metric map[string]string `json:"metric"`
	Values [][2]any          `json:"values"`
}

// isNumber is whether the series had a number at any time: a quantile of nothing is none.
func (s sample) isNumber() bool {
	for _, each := range s.Values {
		text, _ := each[1].(string)
		if text != "NaN" && text != "+Inf" && text != "-Inf" {
			return true
		}
	}
	return false
}

// ask is the answer at a path of the API, read into `data`.
func (s server) ask(path string, values url.Values, data any) error {
	reply, err := http.PostForm("http://"+string(s)+"/api/v1/"+path, values)
	if err != nil {
		return err
	}
	defer reply.Body.Close()
	answer := struct {
		Error    string
		Warnings []string
		Data     any
	}{Data: data}
	if err := json.NewDecoder(reply.Body).Decode(&answer); err != nil {
		return fmt.Errorf("HTTP status %d: %w", reply.StatusCode, err)
	}
	if answer.Error != "" || len(answer.Warnings) > 0 {
		return fmt.Errorf("%s%v", answer.Error, answer.Warnings)
	}
	return nil
}

// evaluate is what a panel gets that shows the time since `from`.
func (s server) evaluate(expression string, from time.Time) ([]sample, error) {
	var data struct{ Result []sample }
	at := func(moment time.Time) string {
		return strconv.FormatFloat(float64(moment.UnixMilli())/1000, 'f', 3, 64)
	}
	err := s.ask("query_range", url.Values{"query": {expression}, "start": {at(from)},
		"end": {at(time.Now())}, "step": {scrapeInterval}}, &data)
	return data.Result, err
}

// series are the sets of labels of a metric.
func (s server) series(metric string) ([]map[string]string, error) {
	var data []map[string]string
	err := s.ask("series", url.Values{"match[]": {metric}}, &data)
	return data, err
}
