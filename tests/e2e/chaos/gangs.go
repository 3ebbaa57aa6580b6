package chaos

import (
	"fmt"
	"time"

	core "k8s.io/api/core/v1"
)

// gang is what a user has submitted, and what its controller knows.
type gang struct {
	name     string
	size     int
	min      int
	cores    int
	priority string
	runs     time.Duration // once it is whole
	grace    int64

	phase     phase
	wholeAt   time.Time // zero: it is not whole
	everWhole bool
	absent    map[int]time.Time // when a member may be made again
	wholeFor  time.Duration     // counted time
	calmAt    time.Time         // it was whole for so long that no word of before holds

	// Of law 2.
	aside    bool          // it has lost members, or nodes were lost: no longer measured
	inPart   time.Duration // counted time
	partWall time.Duration // all time
	told     bool
}

type phase int

const (
	active  phase = iota
	ending        // its pods end
	leaving       // all of it is deleted
)

func (g *gang) member(i int) string { return fmt.Sprintf("%s-%d", g.name, i) }

// bound counts members that have a node and are not on their way out.
func (s *state) bound(g *gang) int {
	count := 0
	for i := range g.size {
		pod := s.pods[space+"/"+g.member(i)]
		if pod != nil && pod.isBound() && pod.Status.Phase != core.PodFailed {
			count++
		}
	}
	return count
}

// isInPart tells whether law 2 is about this gang at this moment.
func (s *state) isInPart(g *gang) bool {
	bound := s.bound(g)
	return g.phase == active && !g.aside && bound > 0 && bound < g.min
}

// setAside has the gang of a pod not measured until it is whole or none of it is bound.
func (s *state) setAside(key string) {
	if g := s.gangOf(key); g != nil {
		g.aside = true
	}
}

// setPartsAside is for a node that is lost or cordoned: gangs in part that have a member there.
func (s *state) setPartsAside(node string) {
	for _, pod := range s.onNode[node] {
		if g := s.gangOf(pod.Namespace + "/" + pod.Name); g != nil && s.isInPart(g) {
			g.aside = true
		}
	}
}

// look notices what has become of the gang of a pod.
func (s *state) look(key string) {
	g := s.gangOf(key)
	if g == nil {
		return
	}
	switch bound := s.bound(g); {
	case bound == 0:
		g.aside, g.wholeAt = false, time.Time{}
	case bound >= g.min:
		if !g.everWhole {
			s.counts["started"]++
			s.note("gang %s has started", g.name)
		}
		g.aside, g.everWhole = false, true
		if g.wholeAt.IsZero() {
			g.wholeAt = time.Now()
		}
	default:
		g.wholeAt = time.Time{}
	}
	if g.wholeAt.IsZero() {
		g.wholeFor = 0
	}
	if !s.isInPart(g) {
		g.inPart, g.partWall, g.told = 0, 0, false
	}
}

// Limits of the laws.
const (
	// recovery is the time that all parts must have run before time counts: the lease (9 s), its
	// retry (2 s), and the start of a berthd.
	recovery = 15 * time.Second
	// partLimit is barrier.maxTimeout (25 s), after which a gang is planned again, and 20 s for
	// that plan, its Bindings, or the evictions of what is left.
	partLimit = 45 * time.Second
	// settleLimit begins with the end of the last fault.
	settleLimit = 60 * time.Second
	// wordLimit is the counted time after which a pod that waits has a reason.
	wordLimit = 60 * time.Second
	// clearLimit is the counted time after which a gang that is whole has none: the interval of
	// writes of a status (10 s), and 5 s for the write.
	clearLimit = 15 * time.Second
)

// longest are the longest times of gangs in part.
type longest struct {
	counted, wall time.Duration
	gang          string
}

// pass lets time go by; `counts` says whether it counts.
func (s *state) pass(by time.Duration, counts bool, worst *longest) {
	for _, g := range s.gangs {
		if !s.isInPart(g) {
			continue
		}
		g.partWall += by
		if counts {
			g.inPart += by
		}
		if g.inPart > worst.counted {
			worst.counted, worst.gang = g.inPart, g.name
		}
		worst.wall = max(worst.wall, g.partWall)
		if g.inPart > partLimit && !g.told {
			g.told = true
			s.violated(2, "gang %s has %d of %d members bound for %v, of which %v count", g.name,
				s.bound(g), g.min, g.partWall.Round(time.Second), g.inPart.Round(time.Second))
		}
	}
	if counts {
		s.passForWholeGangs(by)
		s.passForPods(by)
	}
}

func (s *state) passForWholeGangs(by time.Duration) {
	for _, g := range s.gangs {
		if g.wholeAt.IsZero() || g.min < g.size { // with surplus it has a reason while it is whole
			continue
		}
		if g.wholeFor += by; g.wholeFor > clearLimit {
			g.calmAt = time.Now()
		}
	}
}

// passForPods is law 6: a pod is bound, or waits with a reason.
func (s *state) passForPods(by time.Duration) {
	for key, pod := range s.pods {
		g := s.gangOf(key)
		if g == nil || g.phase != active || pod.isBound() || pod.DeletionTimestamp != nil {
			continue
		}
		pod.waiting += by
		if pod.waiting > wordLimit && !pod.told && s.reasonOf(pod.Pod) == "" {
			pod.told = true
			s.violated(6, "pod %s waits for %v, and nothing says why", key,
				pod.waiting.Round(time.Second))
		}
	}
}

// reasonOf is why a pod waits, by its own condition or its group's. That it is gated is no reason:
// the API server says so itself. Nor is what was said before its gang was whole.
func (s *state) reasonOf(pod *core.Pod) string {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == core.PodScheduled && condition.Status == core.ConditionFalse &&
			condition.Reason != core.PodReasonSchedulingGated && condition.Message != "" {
			return condition.Reason + ": " + condition.Message
		}
	}
	group, g := s.groups[pod.Namespace+"/"+groupOf(pod)], s.gangOf(pod.Namespace+"/"+pod.Name)
	if group == nil || g == nil {
		return ""
	}
	for _, condition := range group.Status.Conditions {
		if condition.Type == "Unschedulable" && condition.Status == string(core.ConditionTrue) &&
			condition.Message != "" && !condition.LastTransitionTime.Time.Before(g.calmAt) {
			return condition.Reason + ": " + condition.Message
		}
	}
	return ""
}
