package harness

import (
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"runtime"

	"sigs.k8s.io/yaml"
)

// Repository is the root of the source tree.
func Repository() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "..", "..", "..")
}

// Deploy is a path below deploy/.
func Deploy(parts ...string) string {
	return filepath.Join(append([]string{Repository(), "deploy"}, parts...)...)
}

// schedulerConfiguration is the shipped one with what a cluster of its own needs: where the API
// server and the extender are, and a lease that is short enough for tests.
func schedulerConfiguration(kubeconfig, extenderAddress string) ([]byte, error) {
	text, err := os.ReadFile(Deploy("kube-scheduler-config.yaml"))
	if err != nil {
		return nil, err
	}
	document := map[string]any{}
	if err := yaml.Unmarshal(text, &document); err != nil {
		return nil, err
	}
	connection, _ := document["clientConnection"].(map[string]any)
	if connection == nil {
		connection = map[string]any{}
	}
	connection["kubeconfig"] = kubeconfig
	document["clientConnection"] = connection
	if err := addVolcanoProfile(document); err != nil {
		return nil, err
	}
	document["leaderElection"] = map[string]any{
		"leaderElect": true, "resourceName": "kube-scheduler", "resourceNamespace": "kube-system",
		"leaseDuration": "3s", "renewDeadline": "2s", "retryPeriod": "500ms",
	}
	if extenderAddress == "" {
		delete(document, "extenders")
		return yaml.Marshal(document)
	}
	extenders, _ := document["extenders"].([]any)
	if len(extenders) == 0 {
		return nil, fmt.Errorf("kube-scheduler-config.yaml names no extenders")
	}
	for _, each := range extenders {
		extender := each.(map[string]any)
		prefix, err := url.Parse(extender["urlPrefix"].(string))
		if err != nil {
			return nil, err
		}
		extender["urlPrefix"] = "http://" + extenderAddress + prefix.Path
		delete(extender, "enableHTTPS")
		delete(extender, "tlsConfig")
	}
	return yaml.Marshal(document)
}

// addVolcanoProfile serves pods of operators that name Volcano, as a user would who moves to Berth.
func addVolcanoProfile(document map[string]any) error {
	profiles, _ := document["profiles"].([]any)
	for _, each := range profiles {
		ours, _ := each.(map[string]any)
		if ours["schedulerName"] != SchedulerName {
			continue
		}
		volcano := maps.Clone(ours)
		volcano["schedulerName"] = "volcano"
		document["profiles"] = append(profiles, volcano)
		return nil
	}
	return fmt.Errorf("kube-scheduler-config.yaml has no profile %q", SchedulerName)
}
