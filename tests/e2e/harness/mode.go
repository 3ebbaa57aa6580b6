package harness

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// Modes of the suite: how the kube-scheduler that serves our pods sees the cluster.
const (
	// InPlace is steering.mode nominate: one kube-scheduler serves all pods, ours are gated.
	InPlace = "nominate"
	// ThroughView is steering.mode view: a kube-scheduler beside berthd serves our pods, and sees
	// the cluster through berthd. Another one, which knows nothing of Berth, serves the others.
	ThroughView = "view"
)

// ModeOfSuite is BERTH_E2E_MODE.
func ModeOfSuite() (string, error) {
	switch mode := os.Getenv("BERTH_E2E_MODE"); mode {
	case "", InPlace:
		return InPlace, nil
	case ThroughView:
		return ThroughView, nil
	default:
		return "", fmt.Errorf("BERTH_E2E_MODE is %q, expected %q or %q", mode, InPlace, ThroughView)
	}
}

// View is where a berthd in mode view serves its kube-scheduler, and the directory of the key that
// admits this kube-scheduler only. The certificate is that of both sides.
type View struct {
	Port      int
	Directory string
}

// URL is the API server's for kube-scheduler.
func (v *View) URL() string { return "https://127.0.0.1:" + strconv.Itoa(v.Port) }

// Certificate and Key are files that berthd makes.
func (v *View) Certificate() string { return filepath.Join(v.Directory, "view.crt") }
func (v *View) Key() string         { return filepath.Join(v.Directory, "view.key") }

// Client is a client of the view that has the key.
func (v *View) Client() (kubernetes.Interface, error) {
	return kubernetes.NewForConfig(v.Config())
}

// Config is of a client of the view that has the key.
func (v *View) Config() *rest.Config {
	return &rest.Config{Host: v.URL(), QPS: 5000, Burst: 10000,
		TLSClientConfig: rest.TLSClientConfig{CAFile: v.Certificate(),
			CertFile: v.Certificate(), KeyFile: v.Key()}}
}

// configuration is what berthd.yaml says of the view.
func (v *View) configuration() map[string]any {
	return map[string]any{"view": map[string]any{
		"address": "127.0.0.1", "port": v.Port, "directory": v.Directory}}
}
