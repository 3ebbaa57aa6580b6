package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/e2e/harness"
)

// reserving is a berthd that keeps two nodes for a job that starves, or with these arguments of
// the plugin otherwise.
func reserving(arguments map[string]any, over map[string]any) harness.BerthOptions {
	all := map[string]any{"lock": "multi-node", "nodes": 2}
	for key, value := range arguments {
		all[key] = value
	}
	configuration := map[string]any{
		"actions": "enqueue, elect, allocate, backfill, reserve",
		"tiers": []any{
			map[string]any{"plugins": []any{
				map[string]any{"name": "priority"},
				map[string]any{"name": "gang"},
				map[string]any{"name": "conformance"},
			}},
			map[string]any{"plugins": []any{
				map[string]any{"name": "predicates"},
				map[string]any{"name": "proportion"},
				map[string]any{"name": "nodeorder"},
				map[string]any{"name": "reservation", "arguments": all},
			}},
		},
	}
	for key, value := range over {
		configuration[key] = value
	}
	return harness.BerthOptions{Configuration: configuration}
}

// stream is small pods of 2 cpu that run for a second or two, each ending at another time. As one
// ends another comes, so that some always wait.
type stream struct {
	*harness.Env
	made int
}

func (s *stream) ended() int {
	return len(s.Pods(func(pod *core.Pod) bool {
		return strings.HasPrefix(pod.Name, "small-") && pod.Status.Phase == core.PodSucceeded
	}))
}

// flowing waits for the condition while the stream goes on.
func (s *stream) flowing(within time.Duration, condition func() error) {
	s.Helper()
	const unfinished = 6 // of which four have room
	s.Await(within, func() error {
		for s.made < s.ended()+unfinished {
			runs := time.Duration(1000+400*(s.made%4)) * time.Millisecond
			s.Create(harness.NewPod(s.Namespace, fmt.Sprintf("small-%02d", s.made)).CPU("2").
				Runs(runs).Build())
			s.made++
		}
		return condition()
	})
}

func (s *stream) awaitEnded(count int) {
	s.Helper()
	s.flowing(2*harness.Soon, func() error {
		if ended := s.ended(); ended < count {
			return fmt.Errorf("%d small pods have ended, not %d", ended, count)
		}
		return nil
	})
}

// Issue 9: a namespace is deleted while a target waits in it, whose pods stay for a while.
func TestANamespaceWithATargetIsDeleted(t *testing.T) {
	e := cluster.BeginWithBerth(t, reserving(nil, nil))
	e.AddNodes(2, "4")
	e.CreateGang("small", 2, 2, cpu("3"))
	e.AwaitBound("small", 2, harness.Soon)
	e.CreateGroup("big", 2)
	pods := harness.Members(e.Namespace, "big", 2, cpu("4"))
	for _, pod := range pods {
		pod.Finalizers = []string{"example.com/held"}
	}
	e.Create(pods...)
	e.Cleanup(func() { e.Must(dropFinalizers(e)) })
	e.AwaitLocked("big", 2)

	// As the namespace controller would, which is not there.
	e.Must(e.Client.CoreV1().Namespaces().Delete(e.Context, e.Namespace, meta.DeleteOptions{}))
	e.Must(e.Client.CoreV1().Pods(e.Namespace).DeleteCollection(e.Context, meta.DeleteOptions{},
		meta.ListOptions{}))
	e.Must(e.Dynamic.Resource(harness.PodGroups).Namespace(e.Namespace).DeleteCollection(e.Context,
		meta.DeleteOptions{}, meta.ListOptions{}))
	e.AwaitOpen()
	e.AwaitPods(harness.Soon, 2, "are terminating", func(pod *core.Pod) bool {
		return pod.DeletionTimestamp != nil && pod.Spec.NodeName == ""
	})
}

// S0: two nodes, never empty at once under a stream of small pods. A gang that needs both waits for
// as long as the stream lasts.
func TestWithoutReservationABigGangStarves(t *testing.T) {
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	e.AddNodes(2, "4")
	small := stream{Env: e}
	small.awaitEnded(1)
	e.CreateGang("big", 2, 2, cpu("4"))
	small.awaitEnded(30)
	assertNotBound(e, "big")
	e.AwaitBound("big", 2, harness.Soon) // the stream is over
}

// With a reservation it starts amid the stream, which goes on afterwards.
func TestWithReservationABigGangStartsAmidAStreamOfSmallPods(t *testing.T) {
	const early = "elect, enqueue, reserve, allocate, backfill" // Volcano's v1.2.1
	const late = "enqueue, elect, allocate, backfill, reserve"  // and v1.1.0
	for _, each := range []struct{ lock, actions string }{
		{"multi-node", early}, {"multi-node", late}, {"single-node", late}, {"cluster", late},
		{"closest-fit", late},
	} {
		t.Run(each.lock+" with "+each.actions, func(t *testing.T) {
			e := cluster.BeginWithBerth(t, reserving(map[string]any{"lock": each.lock},
				map[string]any{"actions": each.actions}))
			e.AddNodes(2, "4")
			small := stream{Env: e}
			small.awaitEnded(1)
			e.CreateGang("big", 2, 2, func(pod harness.PodBuilder) harness.PodBuilder {
				return pod.CPU("4").Runs(time.Second)
			})
			small.flowing(harness.Soon, func() error {
				if bound := len(e.Bound("big")); bound != 2 {
					return fmt.Errorf("%d pods of the gang are bound", bound)
				}
				return nil
			})
			e.AssertNeverInPart("big", promptly)
			small.awaitEnded(small.ended() + 6)
			e.AwaitUnmarked("big")
			e.AwaitTargeted("big", "False", "Started")
		})
	}
}

// occupied are two nodes with a pod on each, so that the gang "big" cannot start, and is a target.
func occupied(e *harness.Env) []core.Node {
	e.Helper()
	e.AddNodes(2, "4")
	e.CreateGang("old", 2, 2, func(pod harness.PodBuilder) harness.PodBuilder {
		return pod.CPU("3").Finishes()
	})
	e.AwaitBound("old", 2, harness.Soon)
	e.CreateGang("big", 2, 2, cpu("3500m"))
	return e.AwaitLocked("big", 2)
}

func foreign(e *harness.Env, name string) harness.PodBuilder {
	return harness.NewPod(e.Namespace, name).CPU("100m").Scheduler("default-scheduler")
}

// Pods of other schedulers are refused where nodes are locked, and what comes with the node is not.
// Their kube-scheduler asks berthd in place only. Returns the pods that are refused.
func assertLockedOut(e *harness.Env) []*core.Pod {
	e.Helper()
	if e.Mode != harness.InPlace {
		return nil
	}
	stranger, daemon := foreign(e, "stranger").Build(), foreign(e, "daemon").Build()
	daemon.OwnerReferences = []meta.OwnerReference{{APIVersion: "apps/v1", Kind: "DaemonSet",
		Name: "d", UID: "d", Controller: new(bool)}}
	*daemon.OwnerReferences[0].Controller = true
	e.Create(stranger, daemon)
	e.AwaitAllBound(harness.Soon, daemon)
	e.Await(harness.Soon, func() error {
		for _, pod := range e.Pods(func(pod *core.Pod) bool { return pod.Name == "stranger" }) {
			for _, condition := range pod.Status.Conditions {
				if strings.Contains(condition.Message, "berth has locked this node for a target") {
					return nil
				}
			}
		}
		return fmt.Errorf("the refusal of the stranger does not name the lock")
	})
	e.AwaitSessions(2)
	e.AwaitPods(harness.Soon, 0, "of a stranger are bound", func(pod *core.Pod) bool {
		return pod.Name == "stranger" && pod.Spec.NodeName != ""
	})
	return []*core.Pod{stranger}
}

func TestWhatIsSaidOfATargetAtEachStep(t *testing.T) {
	e := cluster.BeginWithBerth(t, reserving(nil, nil))
	occupied(e)
	marks := e.AwaitAnnotations("big", harness.Target, harness.TargetSince, harness.TargetWhy,
		harness.FirstSeen)
	if marks[harness.Target] != "elected" {
		t.Errorf("the target is marked %q", marks[harness.Target])
	}
	for _, key := range []string{harness.TargetSince, harness.FirstSeen} {
		if _, err := time.Parse(time.RFC3339Nano, marks[key]); err != nil {
			t.Error(err)
		}
	}
	message := e.AwaitTargeted("big", "True", "Locked")
	for _, words := range []string{"multi-node", "2 nodes are kept for it", "idle there: cpu 2 of 7"} {
		if !strings.Contains(message, words) {
			t.Errorf("the condition does not say %q: %s", words, message)
		}
	}
	e.AwaitCondition("big", "Unschedulable", harness.Soon)
	e.AwaitReason("PodGroup", "big", "Targeted")
	e.AwaitReason("PodGroup", "big", "NodeLocked")
	strangers := assertLockedOut(e)

	e.EndGang("old")
	e.Delete("daemon")
	e.AwaitBound("big", 2, harness.Soon)
	e.AssertNeverInPart("big", promptly)
	e.AwaitOpen()
	e.AwaitUnmarked("big")
	e.AwaitTargeted("big", "False", "Started")
	e.AwaitReason("PodGroup", "big", "Released")
	e.EndGang("big")
	e.AwaitAllBound(harness.Soon, strangers...)
}

// Locks and waiting times outlive berthd; what was taken away meanwhile is put back.
func TestBerthKilledWhileItHoldsLocks(t *testing.T) {
	e := cluster.BeginWithBerth(t, reserving(nil, nil))
	before := occupied(e)
	marks := e.AwaitAnnotations("big", harness.TargetSince, harness.FirstSeen)
	e.Berth.Kill()
	e.PatchNode(before[0].Name, `{"metadata":{"labels":{"`+harness.LockedFor+`":null}}}`)
	e.Must(e.Berth.Start(e.Context))
	e.Must(e.Berth.AwaitReady(e.Context))
	after := e.AwaitLocked("big", 2)
	if since := after[1].Annotations[harness.LockedSince]; since !=
		before[1].Annotations[harness.LockedSince] {
		t.Errorf("%q was locked anew at %s", after[1].Name, since)
	}
	again := e.AwaitAnnotations("big", harness.TargetSince, harness.FirstSeen)
	for _, key := range []string{harness.TargetSince, harness.FirstSeen} {
		if again[key] != marks[key] {
			t.Errorf("%s is %s after the restart, and was %s", key, again[key], marks[key])
		}
	}
	assertLockedOut(e)
	e.Delete("daemon")
	e.EndGang("old")
	e.AwaitBound("big", 2, harness.Soon)
	e.AwaitOpen()
}

// Whoever dies while a target is being deleted: no lock stays.
func TestATargetThatIsDeletedLeavesNothingLocked(t *testing.T) {
	for _, name := range []string{"while berthd runs", "while berthd is away"} {
		t.Run(name, func(t *testing.T) {
			e := cluster.BeginWithBerth(t, reserving(nil, nil))
			occupied(e)
			if name == "while berthd is away" {
				e.Berth.Kill()
				e.EndGang("big")
				e.Must(e.Berth.Start(e.Context))
			} else {
				e.EndGang("big")
			}
			e.AwaitOpen()
			e.AssertRoom(2, "1")
		})
	}
}

// assertTolerates fails the test unless each bound pod of the group tolerates one lock.
func assertTolerates(e *harness.Env, group string) {
	e.Helper()
	for _, pod := range e.Bound(group) {
		tolerates := 0
		for _, toleration := range pod.Spec.Tolerations {
			if toleration.Key == harness.LockedFor {
				tolerates++
			}
		}
		// In mode view the toleration is in the copy that kube-scheduler sees.
		if tolerates > 1 || (tolerates == 0 && e.Mode == harness.InPlace) {
			e.Errorf("%q tolerates the lock %d times: %v", pod.Name, tolerates, pod.Spec.Tolerations)
		}
	}
}

// Locks that are taints keep off who asks no extender; nobody else's taint is lost by them.
func TestLocksThatAreTaints(t *testing.T) {
	e := cluster.BeginWithBerth(t, reserving(nil, map[string]any{
		"reservation": map[string]any{"enforce": "taint"}}))
	nodes := occupied(e)
	e.Await(harness.Soon, func() error {
		for _, node := range e.Nodes() {
			if !harness.HasTaint(&node, harness.LockedFor) {
				return fmt.Errorf("node %q has no taint: %v", node.Name, node.Spec.Taints)
			}
		}
		return nil
	})
	node, err := e.Client.CoreV1().Nodes().Get(e.Context, nodes[0].Name, meta.GetOptions{})
	e.Must(err)
	node.Spec.Taints = append(node.Spec.Taints,
		core.Taint{Key: "e2e.berth.dev/other", Effect: core.TaintEffectPreferNoSchedule})
	_, err = e.Client.CoreV1().Nodes().Update(e.Context, node, meta.UpdateOptions{})
	e.Must(err)
	e.Create(foreign(e, "stranger").Build())
	e.AwaitPods(harness.Soon, 1, "find no node", func(pod *core.Pod) bool {
		return pod.Name == "stranger" && harness.Reason(pod) == core.PodReasonUnschedulable
	})

	e.EndGang("old")
	e.AwaitBound("big", 2, harness.Soon)
	assertTolerates(e, "big")
	e.AwaitOpen()
	node, err = e.Client.CoreV1().Nodes().Get(e.Context, nodes[0].Name, meta.GetOptions{})
	e.Must(err)
	if len(node.Spec.Taints) != 1 || node.Spec.Taints[0].Key != "e2e.berth.dev/other" {
		t.Errorf("taints of %q: %v", node.Name, node.Spec.Taints)
	}
}

// A word on the Job that controls a PodGroup names the target, and stays.
func TestAUserNamesTheTargetOnItsJob(t *testing.T) {
	e := cluster.BeginWithBerth(t, reserving(map[string]any{"nodes": 1}, nil))
	e.AddNodes(2, "4")
	e.CreateGang("old", 2, 2, func(pod harness.PodBuilder) harness.PodBuilder {
		return pod.CPU("3").Finishes()
	})
	e.AwaitBound("old", 2, harness.Soon)
	job := &batch.Job{ObjectMeta: meta.ObjectMeta{Name: "training"}}
	job.Spec.Template.Spec = *harness.NewPod(e.Namespace, "x").Finishes().Build().Spec.DeepCopy()
	job, err := e.Client.BatchV1().Jobs(e.Namespace).Create(e.Context, job, meta.CreateOptions{})
	e.Must(err)
	e.CreateGang("first", 1, 1, cpu("4"))
	e.AwaitTargeted("first", "True", "Locked")

	group := harness.NewPodGroup(e.Namespace, "named", 1)
	isController := true
	group.SetOwnerReferences([]meta.OwnerReference{{APIVersion: "batch/v1", Kind: "Job",
		Name: job.Name, UID: job.UID, Controller: &isController}})
	e.CreateObject(group)
	e.Create(harness.Members(e.Namespace, "named", 1, cpu("4"))...)
	e.AwaitSessions(2)
	job.Annotations = map[string]string{harness.Target: "true"}
	_, err = e.Client.BatchV1().Jobs(e.Namespace).Update(e.Context, job, meta.UpdateOptions{})
	e.Must(err)
	e.AwaitTargeted("named", "True", "Locked")
	e.AwaitTargeted("first", "False", "Displaced")
	e.AwaitLocked("named", 1)
	e.EndGang("old")
	e.AwaitBound("named", 1, harness.Soon)
	e.AwaitBound("first", 1, harness.Soon)
	e.AwaitOpen()
}
