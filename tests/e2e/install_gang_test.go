package e2e

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"berth.dev/berth/tests/e2e/harness"
)

// addNode makes a node with so much cpu.
func (s *site) addNode(name, cpu string) {
	s.Helper()
	node := harness.NodeOf(name, "", harness.Capacity(cpu, "64Gi", 110, 0))
	_, err := s.Client.CoreV1().Nodes().Create(s.context, node, meta.CreateOptions{})
	s.must(err)
}

// createFirstGang creates deploy/examples/gang.yaml.
func (s *site) createFirstGang() {
	s.Helper()
	text, err := os.ReadFile(harness.Deploy("examples", "gang.yaml"))
	s.must(err)
	objects, err := harness.Manifests(text)
	s.must(err)
	for _, object := range objects {
		object.SetNamespace("default")
	}
	s.must(s.Apply(s.context, objects))
}

// startControllers starts a kube-controller-manager, which makes the pods of Jobs and Deployments.
func (s *site) startControllers() {
	s.Helper()
	controllers, err := s.NewControllers()
	s.must(err)
	s.Cleanup(controllers.Kill)
	s.must(controllers.Start(s.context))
}

// waitsFor is the reason that users read on the PodGroup, "" if there is none yet.
func (s *site) waitsFor(group string) string {
	s.Helper()
	read, err := s.Find(s.context, harness.NewPodGroup("default", group, 8))
	s.must(err)
	conditions, _, _ := unstructured.NestedSlice(read.Object, "status", "conditions")
	for _, each := range conditions {
		if condition, _ := each.(map[string]any); condition["type"] == "Unschedulable" {
			return fmt.Sprint(condition["message"])
		}
	}
	return ""
}

// pods counts those of a namespace with this label.
func (s *site) pods(namespace, label string, condition func(core.Pod) bool) int {
	s.Helper()
	pods, err := s.Client.CoreV1().Pods(namespace).List(s.context,
		meta.ListOptions{LabelSelector: label})
	s.must(err)
	return len(slices.DeleteFunc(pods.Items, func(pod core.Pod) bool { return !condition(pod) }))
}

func (s *site) bound() int {
	s.Helper()
	return s.pods("default", "job-name=training", func(pod core.Pod) bool {
		return pod.Spec.NodeName != ""
	})
}

func (s *site) await(what string, condition func() bool) {
	s.Helper()
	deadline := time.Now().Add(harness.Soon)
	for !condition() {
		if time.Now().After(deadline) {
			s.Fatalf("within %v not so: %s", harness.Soon, what)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// run starts a pod of the release as a kubelet would, and shows its logs if the test fails.
func (s *site) run() *harness.Deployed {
	s.Helper()
	berthd := os.Getenv("BERTHD_BINARY")
	if berthd == "" {
		s.Fatal(harness.LacksBerthd)
	}
	pod, err := s.NewDeployed(s.context, "berth", berthd)
	s.must(err)
	s.Cleanup(func() {
		for name, container := range pod.Containers {
			if s.Failed() {
				s.Logf("-- the end of %s\n%s", name, container.Tail(0, 40))
			}
		}
		pod.Stop()
	})
	s.must(pod.Start())
	s.must(pod.AwaitReady(s.context))
	return pod
}

// One command on a cluster with nothing prepared ends in a gang that is held, then started whole. The
// pod's arguments, files, accounts, rights and probes are those of the chart.
func TestTheFirstGangByHelm(t *testing.T) {
	s := newSite(t)
	s.addNode("n1", "4")
	s.addNode("n2", "4")
	other := harness.NewPod("default", "other").Build()
	other.Spec.NodeName, other.Spec.SchedulerName = "n2", core.DefaultSchedulerName
	_, err := s.Client.CoreV1().Pods("default").Create(s.context, other, meta.CreateOptions{})
	s.must(err)
	s.startControllers()
	begun := time.Now()
	s.install(nil)
	installed := time.Since(begun)
	pod := s.run()
	ready := time.Since(begun)
	s.createFirstGang()
	s.await("the gang has the reason of docs/operating.md", func() bool {
		return strings.HasPrefix(s.waitsFor("training"), "7 of 8 members could be placed; 0/2 nodes fit")
	})
	held := time.Since(begun)
	if count := s.bound(); count != 0 {
		t.Errorf("%d pods of the gang are bound although one has no room", count)
	}
	room := time.Now()
	s.must(s.Client.CoreV1().Pods("default").Delete(s.context, "other",
		meta.DeleteOptions{GracePeriodSeconds: new(int64)}))
	s.await("all of the gang is bound", func() bool { return s.bound() == 8 })
	t.Logf("from helm install: %.2f s to the end of Helm, %.2f s to a ready pod, %.2f s to the first "+
		"held gang; from its room to its eight Bindings %.2f s", installed.Seconds(), ready.Seconds(),
		held.Seconds(), time.Since(room).Seconds())
	s.assertMetricsOfAlerts(pod)
	s.await("the pods of both replicas are admitted", func() bool {
		return s.pods(harness.Namespace, "app=berth", func(core.Pod) bool { return true }) == 2
	})
}

// assertMetricsOfAlerts looks for metrics that are there without queues, targets and TLS.
func (s *site) assertMetricsOfAlerts(pod *harness.Deployed) {
	s.Helper()
	page, err := pod.Page(s.context, "/metrics")
	s.must(err)
	for _, each := range shippedAlerts(s.TB) {
		for _, name := range each.metricsIn() {
			if strings.HasPrefix(name, "berth_target") || strings.HasPrefix(name, "berth_queue") ||
				strings.HasPrefix(name, "berth_certificate") {
				continue
			}
			if !strings.Contains(page, "\n"+name) {
				s.Errorf("%s reads %s, which a berthd with a gang does not have", each.Alert, name)
			}
		}
	}
}

// With a Secret whose authority clients must show a certificate of, the kubelet's probes pass, which
// show none, and nobody reads metrics without one.
func TestTheChartServesTLS(t *testing.T) {
	s := newSite(t)
	s.install(map[string]any{"tls": map[string]any{"secretName": "berthd", "clientCA": true}})
	s.must(s.CreateCertificate(s.context, "berthd"))
	s.addNode("n1", "8")
	s.startControllers()
	pod := s.run()
	if _, err := pod.Page(s.context, "/metrics"); err == nil {
		t.Error("metrics are read without a certificate")
	}
	s.createFirstGang()
	s.await("the gang is bound", func() bool { return s.bound() == 8 })
}
