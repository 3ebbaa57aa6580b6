package recorded

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// fakeExtender keeps one node, none, or fails. Its bind calls wait for their answers. It leaves some of
// the nodes on which there may be preemption.
type fakeExtender struct {
	chance    *rand.Rand
	meanwhile func(*v1.Pod) string // what happens while it is asked
	calls     []string             // "POD?NODES>KEPT"
	binds     bool                 // the last call has kept a node
	bindings  chan binding
	guards    bool // it is asked about preemption
}

var errOutOfOrder = errors.New("out of order")

type binding struct {
	pod, node string
	answer    chan error
}

func (e *fakeExtender) Filter(pod *v1.Pod, nodes []fwk.NodeInfo) ([]fwk.NodeInfo,
	extenderv1.FailedNodesMap, extenderv1.FailedNodesMap, error) {
	call := pod.Name + "?" + textOf(nodes) + e.meanwhile(pod)
	e.binds = false
	switch chance := e.chance.IntN(12); {
	case chance == 0:
		e.calls = append(e.calls, call+">!")
		return nil, nil, nil, errOutOfOrder
	case chance < 6:
		e.calls = append(e.calls, call+">")
		return nil, nil, nil, nil // as in Berth's answer, no list has the others
	}
	kept := nodes[e.chance.IntN(len(nodes))]
	e.calls = append(e.calls, call+">"+kept.Node().Name)
	e.binds = true
	return []fwk.NodeInfo{kept}, nil, nil, nil
}

// textOf is their names; of many: "FIRST..LAST#COUNT/SUM", whose sum is of position times name.
func textOf(nodes []fwk.NodeInfo) string {
	var all []string
	sum := 0
	for i, node := range nodes {
		all = append(all, node.Node().Name)
		sum += (i + 1) * number(node.Node().Name)
	}
	if len(all) <= 8 {
		return strings.Join(all, ",")
	}
	return fmt.Sprintf("%s..%s#%d/%d", all[0], all[len(all)-1], len(all), sum)
}

func (e *fakeExtender) Bind(of *v1.Binding) error {
	answer := make(chan error)
	e.bindings <- binding{of.Name, of.Target.Name, answer}
	return <-answer
}

func (e *fakeExtender) Prioritize(*v1.Pod, []fwk.NodeInfo) (*extenderv1.HostPriorityList, int64,
	error) {
	return nil, 0, errors.New("not asked, since one node is left")
}

func (e *fakeExtender) ProcessPreemption(pod *v1.Pod, victims map[string]*extenderv1.Victims,
	_ fwk.NodeInfoLister) (map[string]*extenderv1.Victims, error) {
	var asked, kept []string
	left := map[string]*extenderv1.Victims{}
	keepsAll := e.chance.IntN(3) > 0
	for _, node := range slices.Sorted(maps.Keys(victims)) {
		var pods []string
		for _, each := range victims[node].Pods {
			pods = append(pods, each.Name)
		}
		asked = append(asked, fmt.Sprintf("%s:%s/%d", node, strings.Join(pods, ","),
			victims[node].NumPDBViolations))
		if keepsAll || e.chance.IntN(2) == 0 {
			kept = append(kept, node)
			left[node] = victims[node]
		}
	}
	e.calls = append(e.calls, pod.Name+"%"+strings.Join(asked, "|")+">"+strings.Join(kept, ","))
	return left, nil
}

func (e *fakeExtender) Name() string              { return "fake" }
func (e *fakeExtender) IsBinder() bool            { return true }
func (e *fakeExtender) IsInterested(*v1.Pod) bool { return true }
func (e *fakeExtender) IsPrioritizer() bool       { return true }
func (e *fakeExtender) IsFilter() bool            { return true }
func (e *fakeExtender) SupportsPreemption() bool  { return e.guards }
func (e *fakeExtender) IsIgnorable() bool         { return false }
