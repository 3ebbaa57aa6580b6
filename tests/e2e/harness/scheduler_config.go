package harness

import (
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"

	"sigs.k8s.io/yaml"
)

// repository is above the directory in which go test and go run begin. Programs do not know where
// they were compiled: scripts/build-environment.
var repository = func() string {
	begin, err := os.Getwd()
	for at := begin; err == nil; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, "tests", "e2e", "go.mod")); err == nil {
			return at
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	panic("begun in " + begin + ", expected a directory of Berth's source tree")
}()

// Repository is the root of the source tree.
func Repository() string { return repository }

// Deploy is a path below deploy/.
func Deploy(parts ...string) string {
	return filepath.Join(append([]string{Repository(), "deploy"}, parts...)...)
}

// schedulerConfiguration is the shipped one with what a cluster of its own needs: where the API
// server and the extender are, and a lease that is short enough for tests.
func schedulerConfiguration(kubeconfig string, options SchedulerOptions) ([]byte, error) {
	document, err := shippedSchedulerConfiguration(options)
	if err != nil {
		return nil, err
	}
	connection, _ := document["clientConnection"].(map[string]any)
	if connection == nil {
		connection = map[string]any{}
	}
	connection["kubeconfig"] = kubeconfig
	document["clientConnection"] = connection
	if options.Bare {
		return yaml.Marshal(document)
	}
	if err := addVolcanoProfile(document); err != nil {
		return nil, err
	}
	if options.WithoutLease {
		document["leaderElection"] = map[string]any{"leaderElect": false}
	} else if options.View == nil {
		document["leaderElection"] = map[string]any{"leaderElect": true,
			"resourceName": "kube-scheduler", "resourceNamespace": "kube-system",
			"leaseDuration": "3s", "renewDeadline": "2s", "retryPeriod": "500ms",
		}
	}
	if options.Extender == "" {
		delete(document, "extenders")
		return yaml.Marshal(document)
	}
	if err := setExtenders(document, options.Extender, options.ExtenderTLS); err != nil {
		return nil, err
	}
	return yaml.Marshal(document)
}

// shippedSchedulerConfiguration is one of deploy/: for a kube-scheduler in berthd's pod, or for the
// cluster's own. A bare one has the same limit of requests.
func shippedSchedulerConfiguration(options SchedulerOptions) (map[string]any, error) {
	file := Deploy("kube-scheduler-config.yaml")
	if options.View != nil {
		file = Deploy("kustomize", "base", "kube-scheduler-config.yaml")
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	document := map[string]any{}
	if err := yaml.Unmarshal(text, &document); err != nil {
		return nil, err
	}
	if options.Bare {
		delete(document, "profiles")
		delete(document, "extenders")
		document["leaderElection"] = map[string]any{"leaderElect": false}
	}
	return document, nil
}

// setExtenders has them call the address, by TLS or without.
func setExtenders(document map[string]any, address string, tls map[string]any) error {
	extenders, _ := document["extenders"].([]any)
	if len(extenders) == 0 {
		return fmt.Errorf("the configuration of kube-scheduler names no extenders")
	}
	for _, each := range extenders {
		extender := each.(map[string]any)
		prefix, err := url.Parse(extender["urlPrefix"].(string))
		if err != nil {
			return err
		}
		extender["urlPrefix"] = "http://" + address + prefix.Path
		delete(extender, "enableHTTPS")
		delete(extender, "tlsConfig")
		if tls != nil {
			extender["urlPrefix"] = "https://" + address + prefix.Path
			maps.Copy(extender, tls)
		}
	}
	return nil
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
	return fmt.Errorf("the configuration of kube-scheduler has no profile %q", SchedulerName)
}
