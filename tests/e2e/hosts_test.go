package e2e

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/e2e/harness"
)

// The pod's init container ends well when it is asked to end, so its other containers are started
// after the pod was deleted. They end before the pod does.
func TestHostsEndWhatStartsWhileItsPodIsDeleted(t *testing.T) {
	s := newSite(t)
	directory := t.TempDir()
	program := filepath.Join(directory, "program")
	s.must(os.WriteFile(program, []byte(`#!/bin/bash
if [ "$1" = first ]; then
  trap 'exit 0' TERM
  touch "$2/begun"
  while true; do sleep 0.01; done
fi
trap 'exit 0' TERM
echo $$ > "$2/$1.new" && mv "$2/$1.new" "$2/$1.pid"
while true; do sleep 0.01; done
`), 0o755))
	hosts := s.StartHosts(t, program)
	hosts.AddNode("n1", "4")
	_, err := s.Client.CoreV1().Namespaces().Create(s.context, &core.Namespace{
		ObjectMeta: meta.ObjectMeta{Name: harness.Namespace}}, meta.CreateOptions{})
	s.must(err)
	_, err = s.Client.CoreV1().ServiceAccounts(harness.Namespace).Create(s.context,
		&core.ServiceAccount{ObjectMeta: meta.ObjectMeta{Name: "default"}}, meta.CreateOptions{})
	s.must(err)
	container := func(name string) core.Container {
		return core.Container{Name: name, Image: "program", Args: []string{name, directory}}
	}
	pods := s.Client.CoreV1().Pods(harness.Namespace)
	pod := &core.Pod{
		ObjectMeta: meta.ObjectMeta{Name: "starts", Labels: map[string]string{"app": "berth"}},
		Spec: core.PodSpec{ServiceAccountName: "default",
			InitContainers: []core.Container{container("first")},
			Containers:     []core.Container{container("a"), container("b"), container("c")}}}
	_, err = pods.Create(s.context, pod, meta.CreateOptions{})
	s.must(err)
	s.await("the init container runs", func() bool {
		_, err := os.Stat(filepath.Join(directory, "begun"))
		return err == nil
	})
	s.must(pods.Delete(s.context, "starts", meta.DeleteOptions{}))
	s.await("the pod is gone", func() bool {
		_, err := pods.Get(s.context, "starts", meta.GetOptions{})
		return errors.IsNotFound(err)
	})
	for _, name := range []string{"a", "b", "c"} {
		text, err := os.ReadFile(filepath.Join(directory, name+".pid"))
		if os.IsNotExist(err) {
			continue // it was ended before it wrote that
		}
		s.must(err)
		pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
		s.must(err)
		if _, err := os.Stat(filepath.Join("/proc", strconv.Itoa(pid))); err == nil {
			t.Errorf("container %s runs on without its pod", name)
		}
	}
}
