// Package e2e tests berthd beside a real kube-apiserver and kube-scheduler; docs/e2e.md says how.
package e2e

import (
	"context"
	"flag"
	"fmt"
	"os"
	"testing"

	"berth.dev/berth/tests/e2e/harness"
)

// cluster is shared; each test has a namespace and nodes of its own, and they run one by one.
var cluster *harness.Cluster

// proxy is for tests that hold requests; those of all others do not pass through it.
var proxy *harness.Proxy

func TestMain(m *testing.M) {
	started, err := harness.StartCluster(context.Background(), harness.ClusterOptions{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	cluster = started
	flag.Parse()
	if err := leaveOut(cluster.Mode, cluster.Minor); err != nil {
		fmt.Fprintln(os.Stderr, err)
		cluster.Stop(false)
		os.Exit(1)
	}
	if proxy, err = cluster.StartProxy(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		cluster.Stop(false)
		os.Exit(1)
	}
	status := m.Run()
	proxy.Stop()
	cluster.Stop(status != 0)
	os.Exit(status)
}
