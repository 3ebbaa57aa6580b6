package oracle

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// nominator has pods that wait with status.nominatedNodeName. Filters count those of no lower
// priority on the node that they are asked about, and on no other.
type nominator struct {
	waiting map[string][]fwk.PodInfo // by node
}

var _ fwk.PodNominator = &nominator{}

func (n *nominator) AddNominatedPod(_ klog.Logger, pod fwk.PodInfo, to *fwk.NominatingInfo) {
	n.DeleteNominatedPodIfExists(pod.GetPod())
	node := to.NominatedNodeName
	n.waiting[node] = append(n.waiting[node], pod)
}

func (n *nominator) DeleteNominatedPodIfExists(pod *v1.Pod) {
	for node, waiting := range n.waiting {
		others := []fwk.PodInfo{}
		for _, each := range waiting {
			if FullName(each.GetPod()) != FullName(pod) {
				others = append(others, each)
			}
		}
		n.waiting[node] = others
	}
}

func (n *nominator) UpdateNominatedPod(logger klog.Logger, old *v1.Pod, pod fwk.PodInfo) {
	n.DeleteNominatedPodIfExists(old)
	n.AddNominatedPod(logger, pod,
		&fwk.NominatingInfo{NominatedNodeName: pod.GetPod().Status.NominatedNodeName})
}

func (n *nominator) NominatedPodsForNode(node string) []fwk.PodInfo { return n.waiting[node] }

// Nominate makes the pod one that waits for this node, until it is placed.
func (f *Filters) Nominate(pod *v1.Pod, node string) error {
	waiting, err := framework.NewPodInfo(pod)
	if err != nil {
		return err
	}
	f.nominator.AddNominatedPod(klog.Background(), waiting,
		&fwk.NominatingInfo{NominatedNodeName: node})
	return nil
}
