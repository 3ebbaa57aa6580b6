package harness

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Hosts stand in for the cluster's own kube-scheduler and its kubelets, for pods of Berth's
// Deployment: these get a node with room, run as processes, become ready, and show their logs. Pods of
// others stay as they are, but for the end of those that are deleted. What the API server refuses is
// tried again, as kubelets do: a release's ConfigMaps are gone before its pods are.
type Hosts struct {
	t       testing.TB
	plane   *ControlPlane
	berthd  string
	kubelet *httptest.Server

	mutex   sync.Mutex
	pods    map[types.UID]*hosted
	refused map[string]error // the last try, by the pod's name
}

type hosted struct {
	name    string
	runs    *Deployed
	giveUp  context.CancelFunc // ends what waits for it to be ready
	started chan struct{}      // closed when nothing starts its processes any more
	isReady bool
	isShown bool // as ready, to the API server
}

// StartHosts acts until the test ends. Pods need nodes of AddNode.
func (c *ControlPlane) StartHosts(t testing.TB, berthd string) *Hosts {
	t.Helper()
	h := &Hosts{t: t, plane: c, berthd: berthd, pods: map[types.UID]*hosted{},
		refused: map[string]error{}}
	h.kubelet = httptest.NewTLSServer(http.HandlerFunc(h.showLog))
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		h.act(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
		h.kubelet.Close()
		h.stop()
	})
	return h
}

// AddNode makes a node whose pods of Berth's show their logs.
func (h *Hosts) AddNode(name, cpu string) {
	h.t.Helper()
	address, err := url.Parse(h.kubelet.URL)
	if err != nil {
		h.t.Fatal(err)
	}
	port, err := strconv.Atoi(address.Port())
	if err != nil {
		h.t.Fatal(err)
	}
	node := NodeOf(name, "", Capacity(cpu, "64Gi", 110, 0))
	node.Status.Addresses = []core.NodeAddress{
		{Type: core.NodeInternalIP, Address: address.Hostname()}}
	node.Status.DaemonEndpoints.KubeletEndpoint.Port = int32(port)
	_, err = h.plane.Client.CoreV1().Nodes().Create(context.Background(), node, meta.CreateOptions{})
	if err != nil {
		h.t.Fatal(err)
	}
}

// showLog answers what the API server asks for `kubectl logs`.
func (h *Hosts) showLog(answer http.ResponseWriter, request *http.Request) {
	words := strings.Split(strings.Trim(request.URL.Path, "/"), "/")
	h.mutex.Lock()
	defer h.mutex.Unlock()
	for _, pod := range h.pods {
		if len(words) == 4 && words[0] == "containerLogs" && pod.name == words[2] {
			if process := pod.runs.Containers[words[3]]; process != nil {
				text, _ := os.ReadFile(process.Log)
				_, _ = answer.Write(text)
				return
			}
		}
	}
	http.NotFound(answer, request)
}

func (h *Hosts) act(ctx context.Context) {
	for {
		h.look(ctx)
		select {
		case <-ctx.Done():
			return
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func (h *Hosts) look(ctx context.Context) {
	pods, err := h.plane.Client.CoreV1().Pods("").List(ctx, meta.ListOptions{})
	if err != nil {
		h.refused["of all"] = err
		return
	}
	h.refused = map[string]error{}
	for i := range pods.Items {
		pod := &pods.Items[i]
		if pod.DeletionTimestamp != nil {
			err = h.end(ctx, pod)
		} else if pod.Namespace != Namespace || pod.Labels["app"] != "berth" {
			continue
		} else if pod.Spec.NodeName == "" {
			err = h.bind(ctx, pod, pods.Items)
		} else {
			err = h.run(ctx, pod)
		}
		if err != nil {
			h.refused[pod.Name] = err
		}
	}
}

// bind looks for the node with most idle cpu, and leaves a pod alone that fits nowhere.
func (h *Hosts) bind(ctx context.Context, pod *core.Pod, pods []core.Pod) error {
	nodes, err := h.plane.Client.CoreV1().Nodes().List(ctx, meta.ListOptions{})
	if err != nil {
		return err
	}
	best, most := "", cpuOf(pod)
	for _, node := range nodes.Items {
		idle := node.Status.Allocatable.Cpu().DeepCopy()
		for i := range pods {
			if pods[i].Spec.NodeName == node.Name {
				idle.Sub(cpuOf(&pods[i]))
			}
		}
		if idle.Cmp(most) >= 0 && (best == "" || idle.Cmp(most) > 0) {
			best, most = node.Name, idle
		}
	}
	if best == "" {
		return nil
	}
	pod.Spec.NodeName = best
	return h.plane.Client.CoreV1().Pods(pod.Namespace).Bind(ctx, &core.Binding{
		ObjectMeta: meta.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID},
		Target:     core.ObjectReference{Kind: "Node", Name: best},
	}, meta.CreateOptions{})
}

func cpuOf(pod *core.Pod) resource.Quantity {
	var sum resource.Quantity
	for _, container := range pod.Spec.Containers {
		sum.Add(container.Resources.Requests[core.ResourceCPU])
	}
	return sum
}

// run starts the pod's containers once, and shows it as ready when it is.
func (h *Hosts) run(ctx context.Context, pod *core.Pod) error {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	known := h.pods[pod.UID]
	if known == nil {
		runs, err := h.plane.newDeployed(ctx, pod.Name, pod.Spec, h.berthd)
		if err != nil {
			return err
		}
		starting, giveUp := context.WithCancel(ctx)
		known = &hosted{name: pod.Name, runs: runs, giveUp: giveUp, started: make(chan struct{})}
		h.pods[pod.UID] = known
		go h.start(starting, known)
	}
	if err := known.runs.refresh(ctx); err != nil {
		return err
	}
	if !known.isReady || known.isShown {
		return nil
	}
	pod.Status.Phase = core.PodRunning
	for _, kind := range []core.PodConditionType{core.PodInitialized, core.ContainersReady,
		core.PodReady} {
		pod.Status.Conditions = append(pod.Status.Conditions, core.PodCondition{Type: kind,
			Status: core.ConditionTrue, LastTransitionTime: meta.Now()})
	}
	for _, container := range pod.Spec.Containers {
		pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, core.ContainerStatus{
			Name: container.Name, Image: container.Image, Ready: true,
			State: core.ContainerState{Running: &core.ContainerStateRunning{StartedAt: meta.Now()}}})
	}
	_, err := h.plane.Client.CoreV1().Pods(pod.Namespace).UpdateStatus(ctx, pod, meta.UpdateOptions{})
	known.isShown = err == nil
	return err
}

func (h *Hosts) start(ctx context.Context, pod *hosted) {
	defer close(pod.started)
	err := pod.runs.Start()
	if err == nil {
		err = pod.runs.AwaitReady(ctx)
	}
	if err != nil && ctx.Err() == nil {
		h.t.Errorf("pod %s does not become ready: %v", pod.name, err)
	}
	h.mutex.Lock()
	defer h.mutex.Unlock()
	pod.isReady = err == nil
}

// Pages are a page of each pod that is ready, by the pod's name.
func (h *Hosts) Pages(ctx context.Context, path string) (map[string]string, error) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	pages := map[string]string{}
	for _, pod := range h.pods {
		if !pod.isReady {
			continue
		}
		page, err := pod.runs.Page(ctx, path)
		if err != nil {
			return nil, fmt.Errorf("%s of pod %s: %w", path, pod.name, err)
		}
		pages[pod.name] = page
	}
	return pages, nil
}

// end ends the pod's processes, also those that are about to start, then the pod.
func (h *Hosts) end(ctx context.Context, pod *core.Pod) error {
	h.mutex.Lock()
	known := h.pods[pod.UID]
	delete(h.pods, pod.UID)
	h.mutex.Unlock()
	if known != nil {
		known.giveUp()
		for _, container := range known.runs.pod.InitContainers {
			_ = known.runs.Containers[container.Name].Stop(15 * time.Second)
		}
		<-known.started
		for name, container := range known.runs.Containers {
			err := container.Stop(15 * time.Second)
			if err != nil && name == "berthd" { // kube-scheduler ends with an error
				h.t.Errorf("%s of pod %s: %v", name, known.name, err)
			}
		}
	}
	err := h.plane.Client.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, meta.DeleteOptions{
		GracePeriodSeconds: new(int64), Preconditions: meta.NewUIDPreconditions(string(pod.UID))})
	if errors.IsNotFound(err) {
		return nil
	}
	return err
}

// stop comes after act, so no pods are added.
func (h *Hosts) stop() {
	for name, err := range h.refused {
		if h.t.Failed() {
			h.t.Logf("the last try for pod %s: %v", name, err)
		}
	}
	for _, pod := range h.pods {
		pod.giveUp()
		<-pod.started
		for name, container := range pod.runs.Containers {
			if h.t.Failed() {
				h.t.Logf("-- the end of %s of %s\n%s", name, pod.name, container.Tail(0, 40))
			}
		}
		pod.runs.Stop()
	}
}
