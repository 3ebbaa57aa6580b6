package chaos

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"berth.dev/berth/tests/e2e/harness"
)

// observed is a state with gang g1 of three members of six cores, and the laws that were violated.
type observed struct {
	*state
	laws []int
	at   time.Time
}

func observe() *observed {
	o := &observed{state: newState(), at: time.Now()}
	o.note = func(string, ...any) {}
	o.violated = func(law int, _ string, _ ...any) { o.laws = append(o.laws, law) }
	o.gangs["g1"] = &gang{name: "g1", size: 3, min: 3, cores: 6}
	return o
}

func member(name, uid, node string) *core.Pod {
	pod := harness.NewPod(space, name).Group("g1").CPU("6").Build()
	pod.UID, pod.Spec.NodeName = types.UID(uid), node
	return pod
}

func (o *observed) write(name string, pod *core.Pod) {
	o.apply(change{key: space + "/" + name, kind: podsAt, pod: pod}, o.at)
}

func (o *observed) expect(t *testing.T, laws ...int) {
	t.Helper()
	if !slices.Equal(o.laws, laws) {
		t.Errorf("laws %v are violated, expected %v", o.laws, laws)
	}
}

func TestANodeBeyondWhatItHasIsSeen(t *testing.T) {
	o := observe()
	o.write("g1-0", member("g1-0", "a", "n"))
	o.write("g1-1", member("g1-1", "b", "n"))
	o.expect(t)
	finished := member("g1-0", "a", "n")
	finished.Status.Phase = core.PodSucceeded
	o.write("g1-0", finished)
	o.write("g1-2", member("g1-2", "c", "n"))
	o.expect(t)
	o.write("g1-0", member("g1-0", "d", "")) // made again: its predecessor is gone
	o.write("g1-0", member("g1-0", "d", "n"))
	o.expect(t, 1)
}

func TestAGangInPartIsSeen(t *testing.T) {
	o := observe()
	worst := &longest{}
	o.write("g1-0", member("g1-0", "a", "n"))
	o.pass(2*partLimit, false, worst)
	o.expect(t)
	o.pass(partLimit, true, worst)
	o.expect(t)
	o.pass(time.Second, true, worst)
	o.pass(time.Second, true, worst)
	o.expect(t, 2)
	if worst.counted != partLimit+2*time.Second || worst.gang != "g1" {
		t.Errorf("the longest is %+v", *worst)
	}
}

func TestAGangThatIsEvictedInPartIsSeenAndOneThatLostMembersIsNot(t *testing.T) {
	whole := func() *observed {
		o := observe()
		for i := range 3 {
			name := fmt.Sprintf("g1-%d", i)
			o.write(name, member(name, name, fmt.Sprintf("n%d", i)))
		}
		return o
	}
	lost := whole()
	lost.write("g1-0", nil)
	lost.pass(2*partLimit, true, &longest{})
	lost.expect(t)
	evicted := whole()
	pod := member("g1-0", "g1-0", "n0")
	pod.Status.Conditions = []core.PodCondition{{Type: core.DisruptionTarget,
		Status: core.ConditionTrue}}
	evicted.write("g1-0", pod)
	evicted.write("g1-0", nil)
	evicted.pass(2*partLimit, true, &longest{})
	evicted.expect(t, 2)
}

func TestAPodThatWaitsWithoutAReasonIsSeen(t *testing.T) {
	o := observe()
	pod := member("g1-0", "a", "")
	pod.Status.Conditions = []core.PodCondition{{Type: core.PodScheduled,
		Status: core.ConditionFalse, Reason: "Unschedulable"}}
	o.write("g1-0", pod)
	o.pass(2*wordLimit, true, &longest{})
	o.expect(t)
	o.write("g1-1", member("g1-1", "b", ""))
	o.pass(wordLimit, true, &longest{})
	o.expect(t)
	o.pass(time.Second, true, &longest{})
	o.expect(t, 6)
}

func TestTheEndOfAProcessIsJudgedByItsLog(t *testing.T) {
	const reused = "Pod updated on a different node than previously added to."
	for _, each := range []struct {
		tail                         string
		wasReady, isBerths, isInView bool
		kind                         string
	}{
		{reused, true, true, true, isFault},
		{reused, false, true, true, isFault},
		{reused, true, true, false, isForeign},
		{"Leaderelection lost", true, true, false, isByDesign},
		{"Leaderelection lost", true, true, true, isFault},
		{"panic: x", false, true, false, isFault},
		{"stopped", true, true, true, isFault},
		{"cannot reach the API server", false, true, true, isByDesign},
		{"cannot reach etcd", true, false, true, isByDesign},
	} {
		kind := kindOfEnd(each.tail, each.wasReady, each.isBerths, each.isInView)
		if kind != each.kind {
			t.Errorf("%+v is %s", each, kind)
		}
	}
}

func TestFaultsFollowFromTheSeed(t *testing.T) {
	parts := []string{"etcd", "berthd-a", "berthd-b"}
	const length = time.Hour
	planned := planFaults(7, length, parts)
	if !reflect.DeepEqual(planned, planFaults(7, length, parts)) {
		t.Error("the same seed gives other faults")
	}
	if reflect.DeepEqual(planned, planFaults(8, length, parts)) {
		t.Error("another seed gives the same faults")
	}
	var kinds []string
	end := time.Duration(0)
	for _, each := range planned {
		if each.at < end || each.at+each.lasts() > length {
			t.Errorf("%v does not begin after %v and end within %v", each, end, length)
		}
		end = each.at + each.lasts()
		for _, blow := range each.blows {
			if blow.lasts > longestFreeze {
				t.Errorf("%v is longer than %v", blow, longestFreeze)
			}
			kinds = append(kinds, strings.Join(strings.Fields(blow.String())[:2], " "))
		}
		if len(each.blows) > 1 {
			kinds = append(kinds, "pair")
		}
	}
	slices.Sort(kinds)
	if kinds = slices.Compact(kinds); len(kinds) != 2*len(parts)+1 {
		t.Errorf("an hour has %v", kinds)
	}
}

func TestGrowthIsSeen(t *testing.T) {
	many := func(residentKB, files int) []size { return []size{{residentKB, files}, {1, files}, {1, 9999}} }
	for _, each := range []struct {
		late      []size
		sanitized bool
		laws      int
	}{
		{many(100<<10, 80), false, 0},
		{many(220<<10, 80), false, 1},
		{many(220<<10, 80), true, 0},
		{many(2100<<10, 80), true, 1},
		{many(100<<10, 140), false, 1},
	} {
		r := &run{sizes: newSizes(), Options: Options{Output: io.Discard}, world: &world{}}
		r.sizes.sanitized = each.sanitized
		r.sizes.early["berthd-a"] = many(100<<10, 100)
		r.sizes.late["berthd-b"] = each.late
		log, err := os.Create(filepath.Join(t.TempDir(), "log"))
		if err != nil {
			t.Fatal(err)
		}
		r.log = log
		r.judgeSizes()
		if len(r.violations) != each.laws {
			t.Errorf("%+v: %q", each, r.violations)
		}
	}
}
