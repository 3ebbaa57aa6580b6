package e2e

import (
	"fmt"
	"testing"
	"time"

	core "k8s.io/api/core/v1"
	rbac "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/e2e/harness"
)

// What tests of owners rest on: the controllers make pods, complete Jobs, delete what has lost its
// owner, and fill in roles that aggregate others, each with an account of its own.
func TestControllersActForOwners(t *testing.T) {
	cluster.StartControllers(t)
	e := cluster.Begin(t)
	e.AddNodes(1, "4")
	made := e.CreateJob(e.NewJob("done", 3).Pods(func(pod harness.PodBuilder) harness.PodBuilder {
		return pod.Scheduler(core.DefaultSchedulerName).Runs(100 * time.Millisecond)
	}).Build())
	e.Await(harness.Soon, func() error {
		found, err := e.Client.BatchV1().Jobs(e.Namespace).Get(e.Context, "done", meta.GetOptions{})
		if err == nil && (found.Status.Succeeded != 3 || found.Status.CompletionTime == nil) {
			err = fmt.Errorf("the Job is not complete: %+v", found.Status)
		}
		return err
	})

	group := harness.NewPodGroup(e.Namespace, "of-the-job", 3)
	group.SetOwnerReferences([]meta.OwnerReference{{APIVersion: "batch/v1", Kind: "Job",
		Name: made.GetName(), UID: made.GetUID()}})
	e.CreateObject(group)
	e.Must(e.Client.BatchV1().Jobs(e.Namespace).Delete(e.Context, "done", meta.DeleteOptions{
		PropagationPolicy: new(meta.DeletePropagationBackground)}))
	e.AwaitPods(harness.Soon, 0, "are left of the Job", func(*core.Pod) bool { return true })
	e.Await(harness.Soon, func() error {
		_, err := e.Dynamic.Resource(harness.PodGroups).Namespace(e.Namespace).Get(e.Context,
			"of-the-job", meta.GetOptions{})
		if errors.IsNotFound(err) {
			return nil
		}
		return fmt.Errorf("the PodGroup is still there: %v", err)
	})

	_, err := e.Client.CoreV1().ServiceAccounts("kube-system").Get(e.Context, "job-controller",
		meta.GetOptions{})
	e.Must(err)
	e.Await(harness.Soon, func() error {
		role, err := e.Client.RbacV1().ClusterRoles().Get(e.Context, "edit", meta.GetOptions{})
		if err == nil && !allows(role.Rules, "create", "jobs") {
			err = fmt.Errorf("the role edit lets nobody create Jobs: %v", role.Rules)
		}
		return err
	})
}

func allows(rules []rbac.PolicyRule, verb, resource string) bool {
	for _, rule := range rules {
		for _, v := range rule.Verbs {
			for _, r := range rule.Resources {
				if v == verb && r == resource {
					return true
				}
			}
		}
	}
	return false
}

// What stories rest on: stand-ins for operators make the pods of what a user submits.
func TestOperatorsActForOwners(t *testing.T) {
	cluster.StartControllers(t)
	e := cluster.Begin(t)
	e.StartOperators()
	e.AddNodes(1, "8")
	ada := e.User("ada", "edit")
	e.Await(harness.Soon, func() error { // the role is filled in by a controller
		output, err := ada.Runs(e.Context, "kubectl auth can-i create rayjobs.ray.io")
		if err != nil {
			err = fmt.Errorf("%w: %s", err, output)
		}
		return err
	})
	ada.Applies(harness.Block{Text: `
apiVersion: ray.io/v1
kind: RayJob
metadata: {name: tune}
spec:
  rayClusterSpec:
    headGroupSpec: {template: {spec: &pod {containers: [{name: ray, image: ray}]}}}
    workerGroupSpecs: [{groupName: workers, replicas: 2, template: {spec: *pod}}]
---
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: mnist}
spec:
  pytorchReplicaSpecs:
    Master: {template: {spec: {containers: [{name: pytorch, image: pytorch}]}}}
    Worker: {replicas: 2, template: {metadata: {annotations: {a: b}}, spec: {containers: [{name: pytorch, image: pytorch}]}}}
`})
	e.AwaitNamed("tune-x7k2p-(head|workers-worker)-.*", 3)
	e.AwaitNamed("tune-.{5}", 1)
	e.AwaitNamed("mnist-(master-0|worker-[01])", 3)
	for _, pod := range e.Pods(func(pod *core.Pod) bool { return pod.Name == "mnist-worker-1" }) {
		if pod.Annotations["a"] != "b" || pod.OwnerReferences[0].Kind != "PyTorchJob" {
			t.Errorf("the pod is %+v", pod.ObjectMeta)
		}
	}
	_, err := ada.Runs(e.Context, "kubectl delete rayjob tune && kubectl delete pytorchjob mnist")
	e.Must(err)
	e.AwaitPods(harness.Soon, 0, "are left", func(*core.Pod) bool { return true })
}
