package harness

import (
	"context"
	"fmt"
	"sync"
	"time"

	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
)

// RunTime annotates a pod with the time from running to succeeded; without it, it runs for ever.
const RunTime = "berth.dev/run-time"

// PoolLabel keeps the nodes of a test for the pods of that test.
const PoolLabel = "e2e.berth.dev/pool"

// NodeOf describes a node that is ready.
func NodeOf(name, pool string, capacity core.ResourceList) *core.Node {
	now := meta.Now()
	return &core.Node{
		ObjectMeta: meta.ObjectMeta{
			Name:   name,
			Labels: map[string]string{core.LabelHostname: name, PoolLabel: pool},
		},
		Status: core.NodeStatus{
			Capacity: capacity, Allocatable: capacity,
			Conditions: []core.NodeCondition{{
				Type: core.NodeReady, Status: core.ConditionTrue, Reason: "KubeletReady",
				LastHeartbeatTime: now, LastTransitionTime: now,
			}},
		},
	}
}

// Capacity is a node's or a pod's amounts; gpu 0 leaves the dimension out.
func Capacity(cpu, memory string, pods, gpus int64) core.ResourceList {
	list := core.ResourceList{
		core.ResourceCPU:    resource.MustParse(cpu),
		core.ResourceMemory: resource.MustParse(memory),
		core.ResourcePods:   *resource.NewQuantity(pods, resource.DecimalSI),
	}
	if gpus > 0 {
		list["nvidia.com/gpu"] = *resource.NewQuantity(gpus, resource.DecimalSI)
	}
	return list
}

// Kubelets stand in for the kubelets of all nodes: a pod that is bound runs, ends after its run
// time, and goes at once when it is deleted.
type Kubelets struct {
	client kubernetes.Interface
	work   chan func(context.Context)
	mutex  sync.Mutex
	seen   map[types.UID]*time.Timer // started; a timer if it is to end
}

// StartKubelets serves all pods until the context ends.
func StartKubelets(ctx context.Context, client kubernetes.Interface, recorder *Recorder) {
	k := &Kubelets{
		client: client,
		work:   make(chan func(context.Context), 100_000),
		seen:   map[types.UID]*time.Timer{},
	}
	for range 8 {
		go func() {
			for {
				select {
				case job := <-k.work:
					job(ctx)
				case <-ctx.Done():
					return
				}
			}
		}()
	}
	recorder.Follow(func(pod *core.Pod, gone types.UID) {
		if pod == nil {
			k.forget(gone)
		} else {
			k.look(pod)
		}
	})
}

func (k *Kubelets) look(pod *core.Pod) {
	if pod.Spec.NodeName == "" {
		return
	}
	if pod.DeletionTimestamp != nil {
		k.work <- func(ctx context.Context) { k.remove(ctx, pod) }
		return
	}
	if pod.Status.Phase != core.PodPending {
		return
	}
	k.mutex.Lock()
	_, started := k.seen[pod.UID]
	k.seen[pod.UID] = nil
	k.mutex.Unlock()
	if !started {
		k.work <- func(ctx context.Context) { k.run(ctx, pod) }
	}
}

// succeeded is the status of a pod whose containers have ended well.
const succeeded = `{"status":{"phase":"Succeeded","conditions":[` +
	`{"type":"Ready","status":"False","reason":"PodCompleted"}]}}`

func (k *Kubelets) run(ctx context.Context, pod *core.Pod) {
	now := time.Now().UTC().Format(time.RFC3339)
	k.patchStatus(ctx, pod, fmt.Sprintf(`{"status":{"phase":"Running","startTime":%q,"conditions":[`+
		`{"type":"Ready","status":"True","lastTransitionTime":%q}]}}`, now, now))
	runs, err := time.ParseDuration(pod.Annotations[RunTime])
	if err != nil {
		return
	}
	k.mutex.Lock()
	defer k.mutex.Unlock()
	k.seen[pod.UID] = time.AfterFunc(runs, func() {
		k.work <- func(ctx context.Context) {
			k.patchStatus(ctx, pod, succeeded)
		}
	})
}

// The API server may be away, as tests have it; a pod that is gone is nobody's.
func (k *Kubelets) patchStatus(ctx context.Context, pod *core.Pod, patch string) {
	k.persist(ctx, func(ctx context.Context) error {
		_, err := k.client.CoreV1().Pods(pod.Namespace).Patch(ctx, pod.Name,
			types.StrategicMergePatchType, []byte(patch), meta.PatchOptions{}, "status")
		return err
	})
}

func (k *Kubelets) remove(ctx context.Context, pod *core.Pod) {
	k.forget(pod.UID)
	k.persist(ctx, func(ctx context.Context) error {
		return k.client.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, meta.DeleteOptions{
			GracePeriodSeconds: new(int64), Preconditions: &meta.Preconditions{UID: &pod.UID},
		})
	})
}

func (k *Kubelets) forget(uid types.UID) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	if timer := k.seen[uid]; timer != nil {
		timer.Stop()
	}
	delete(k.seen, uid)
}

// persist tries again for as long as the API server cannot be reached.
func (k *Kubelets) persist(ctx context.Context, write func(context.Context) error) {
	_ = persist(ctx, time.Minute, write)
}
