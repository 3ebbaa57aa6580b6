package chaos

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"berth.dev/berth/tests/e2e/harness"
)

// podState is a pod as it was written last.
type podState struct {
	*core.Pod
	since   time.Time     // it is seen
	bound   time.Time     // seen as bound; zero: not bound
	waiting time.Duration // counted time for which it was not bound
	told    bool          // it has been reported
}

func (p *podState) isBound() bool { return p.Spec.NodeName != "" }
func (p *podState) isFinished() bool {
	return p.Status.Phase == core.PodSucceeded || p.Status.Phase == core.PodFailed
}

// state is the cluster as it was written last, and the laws over it. Under the run's mutex.
type state struct {
	pods   map[string]*podState // namespace/name
	nodes  map[string]*core.Node
	groups map[string]*podGroup
	gangs  map[string]*gang
	onNode map[string]map[types.UID]*podState // not finished
	over   map[string]bool                    // nodes that were reported as beyond what they have

	counts   map[string]int
	violated func(law int, format string, arguments ...any)
	note     func(format string, arguments ...any)
}

func newState() *state {
	return &state{pods: map[string]*podState{}, nodes: map[string]*core.Node{},
		groups: map[string]*podGroup{}, gangs: map[string]*gang{},
		onNode: map[string]map[types.UID]*podState{},
		over:   map[string]bool{}, counts: map[string]int{}}
}

// apply takes a change over.
func (s *state) apply(made change, now time.Time) {
	s.counts["writes of "+made.resource]++
	switch made.kind {
	case nodesAt:
		if made.node == nil {
			delete(s.nodes, made.key)
			s.note("node %s deleted", made.key)
		} else {
			s.nodes[made.key] = made.node
		}
	case groupsAt:
		if made.group == nil {
			delete(s.groups, made.key)
		} else {
			s.groups[made.key] = made.group
		}
	case podsAt:
		old := s.pods[made.key]
		if old != nil && (made.pod == nil || made.pod.UID != old.UID) {
			s.podGone(made.key, old)
			old = nil
		}
		if made.pod != nil {
			s.podChanged(made, old, now)
		}
		s.look(made.key)
	}
}

func (s *state) podChanged(made change, old *podState, now time.Time) {
	pod := &podState{Pod: made.pod, since: now}
	before := &core.Pod{}
	if old != nil {
		*pod = *old
		pod.Pod, before = made.pod, old.Pod
	} else {
		s.counts["pods"]++
		s.note("%d %s created", made.revision, made.key)
	}
	s.pods[made.key] = pod
	if pod.isBound() && before.Spec.NodeName == "" {
		pod.bound = now
		s.counts["binds"]++
		s.note("%d %s bound %s", made.revision, made.key, pod.Spec.NodeName)
	}
	if pod.Status.Phase != before.Status.Phase && pod.Status.Phase != core.PodPending {
		s.note("%d %s %s", made.revision, made.key, pod.Status.Phase)
	}
	if isEvicted(pod.Pod) && !isEvicted(before) {
		s.counts["evictions"]++
		s.note("%d %s evicted", made.revision, made.key)
	}
	if pod.isBound() {
		s.occupy(pod, made.revision)
	}
	if pod.isBound() && pod.DeletionTimestamp != nil && !isEvicted(pod.Pod) {
		s.setAside(made.key)
	}
}

func (s *state) podGone(key string, pod *podState) {
	delete(s.pods, key)
	s.note("%s deleted", key)
	if !pod.isBound() {
		return
	}
	delete(s.onNode[pod.Spec.NodeName], pod.UID)
	if !isEvicted(pod.Pod) {
		s.setAside(key)
	}
}

// isEvicted tells whether the API server was asked to evict the pod.
func isEvicted(pod *core.Pod) bool {
	return slices.ContainsFunc(pod.Status.Conditions, func(each core.PodCondition) bool {
		return each.Type == core.DisruptionTarget && each.Status == core.ConditionTrue
	})
}

// occupy is law 1: no node has pods beyond what it has.
func (s *state) occupy(pod *podState, revision int64) {
	name := pod.Spec.NodeName
	here := s.onNode[name]
	if here == nil {
		here = map[types.UID]*podState{}
		s.onNode[name] = here
	}
	if pod.isFinished() {
		delete(here, pod.UID)
		return
	}
	if _, known := here[pod.UID]; known {
		here[pod.UID] = pod
		return
	}
	here[pod.UID] = pod
	if beyond := beyondCapacity(here); beyond != "" {
		s.violated(1, "node %s has %s by pod %s at revision %d: %s", name, beyond, pod.Name,
			revision, s.describe(here))
	}
}

// Each node of the test has this, for as long as its name is used.
const (
	nodeCores = 16
	nodePods  = 110
)

func beyondCapacity(pods map[types.UID]*podState) string {
	cores := int64(0)
	for _, pod := range pods {
		cores += coresOf(pod.Pod)
	}
	if cores > nodeCores*1000 {
		return fmt.Sprintf("%d of %d millicores", cores, nodeCores*1000)
	}
	if len(pods) > nodePods {
		return fmt.Sprintf("%d of %d pods", len(pods), nodePods)
	}
	return ""
}

func coresOf(pod *core.Pod) int64 {
	sum := int64(0)
	for _, container := range pod.Spec.Containers {
		sum += container.Resources.Requests.Cpu().MilliValue()
	}
	return sum
}

func (s *state) describe(pods map[types.UID]*podState) string {
	var words []string
	sorted := slices.SortedFunc(maps.Values(pods), func(a, b *podState) int {
		return a.bound.Compare(b.bound)
	})
	for _, pod := range sorted {
		words = append(words, fmt.Sprintf("%s %dm bound %s", pod.Name, coresOf(pod.Pod),
			pod.bound.Format("15:04:05.000")))
	}
	return strings.Join(words, ", ")
}

func groupOf(pod *core.Pod) string { return pod.Annotations[harness.GroupAnnotation] }

// gangOf is the gang that a pod of this key belongs to, or nil.
func (s *state) gangOf(key string) *gang {
	name, is := strings.CutPrefix(key, space+"/")
	if !is {
		return nil
	}
	if at := strings.LastIndexByte(name, '-'); at > 0 {
		return s.gangs[name[:at]]
	}
	return nil
}
