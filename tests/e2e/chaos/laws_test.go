package chaos

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
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
		Status: core.ConditionFalse, Reason: "Unschedulable", Message: "no room"}}
	o.write("g1-0", pod)
	o.pass(2*wordLimit, true, &longest{})
	o.expect(t)
	o.write("g1-1", member("g1-1", "b", ""))
	o.pass(wordLimit, true, &longest{})
	o.expect(t)
	o.pass(time.Second, true, &longest{})
	o.expect(t, 6)
}

func TestOnlyGangsOnATroubledNodeAreLeftOut(t *testing.T) {
	for _, node := range []string{"n", "another"} {
		o := observe()
		o.write("g1-0", member("g1-0", "a", "n"))
		o.setPartsAside(node)
		o.pass(2*partLimit, true, &longest{})
		if node == "n" {
			o.expect(t)
		} else {
			o.expect(t, 2)
		}
	}
}

func waits(o *observed, message string, since time.Time) {
	group := &podGroup{}
	conditions := fmt.Sprintf(`{"status":{"conditions":[
		{"type":"Scheduled","status":"True","message":"no reason to wait"},
		{"type":"Unschedulable","status":"True","message":%q,"lastTransitionTime":%q}]}}`, message,
		since.UTC().Format(time.RFC3339))
	if err := json.Unmarshal([]byte(conditions), group); err != nil {
		panic(err)
	}
	o.apply(change{key: space + "/g1", kind: groupsAt, group: group}, o.at)
}

func TestAWordThatSaysNothingIsNoReason(t *testing.T) {
	gated := member("g1-0", "a", "")
	gated.Status.Conditions = []core.PodCondition{{Type: core.PodScheduled,
		Status: core.ConditionFalse, Reason: core.PodReasonSchedulingGated, Message: "is gated"}}
	for _, each := range []struct {
		message string
		laws    []int
	}{{"", []int{6}}, {"no room", nil}} {
		o := observe()
		o.write("g1-0", gated)
		waits(o, each.message, o.at)
		o.pass(2*wordLimit, true, &longest{})
		o.expect(t, each.laws...)
	}
}

func TestAWordOfBeforeTheGangWasWholeIsNoReason(t *testing.T) {
	for _, each := range []struct {
		whole time.Duration
		since time.Duration
		laws  []int
	}{
		{time.Second, -time.Hour, nil}, // too short to take the word back
		{2 * clearLimit, -time.Hour, []int{6}},
		{2 * clearLimit, time.Hour, nil},
	} {
		o := observe()
		for i := range 3 {
			name := fmt.Sprintf("g1-%d", i)
			o.write(name, member(name, name, fmt.Sprintf("n%d", i)))
		}
		o.pass(each.whole, true, &longest{})
		waits(o, "no room", o.at.Add(each.since))
		o.write("g1-0", nil)
		o.write("g1-0", member("g1-0", "again", ""))
		o.pass(2*wordLimit, true, &longest{})
		o.expect(t, each.laws...)
	}
}

func TestPodsOfOthersAreToBeBoundToo(t *testing.T) {
	w := &world{state: observe().state}
	for i := range otherPods {
		w.pods[space+"/"+otherPod(i)] = &podState{Pod: member(otherPod(i), otherPod(i), "n")}
	}
	w.gangs["g1"].phase = leaving
	if count, first := w.unbound(); count != 0 {
		t.Errorf("%d are not bound, such as %s", count, first)
	}
	w.pods[space+"/others-3"].Spec.NodeName = ""
	if count, first := w.unbound(); count != 1 || first != "others-3" {
		t.Errorf("%d are not bound, such as %s", count, first)
	}
}

func TestWritesAreCountedByResource(t *testing.T) {
	for key, resource := range map[string]string{
		"/registry/pods/chaos/g1-0":                          "pods",
		"/registry/leases/kube-system/berthd":                "leases",
		"/registry/scheduling.volcano.sh/podgroups/chaos/g1": "podgroups",
	} {
		if found := resourceOf(key); found != resource {
			t.Errorf("%s is of %s", key, found)
		}
	}
}

// statusOf is how a command of the shell has ended.
func statusOf(command string) error { return exec.Command("sh", "-c", command).Run() }

func TestTheEndOfAProcessIsJudgedByItsStatusThenItsLog(t *testing.T) {
	const reused = "Pod updated on a different node than previously added to."
	failed, crashed, killed := statusOf("exit 1"), statusOf("exit 2"), statusOf("kill -ABRT $$")
	view, nominate := part{isBerths: true, throughView: true}, part{isBerths: true}
	for _, each := range []struct {
		part     *part
		status   error
		log      string
		wasReady bool
		kind     string
	}{
		{&view, failed, reused, true, isFault},
		{&view, failed, reused, false, isFault},
		{&nominate, failed, reused, true, isForeign},
		{&nominate, crashed, reused, true, isFault},
		{&nominate, failed, "Leaderelection lost", true, isByDesign},
		{&nominate, killed, "Leaderelection lost", true, isFault},
		{&view, failed, "Leaderelection lost", true, isFault},
		{&view, failed, "panic: x", false, isFault},
		{&view, killed, "cannot reach the API server", false, isFault},
		{&view, nil, "stopped", true, isFault},
		{&view, failed, "cannot reach the API server", false, isByDesign},
		{&part{}, failed, "cannot reach etcd", true, isByDesign},
		{&part{isOthers: true}, failed, reused, true, isForeign},
		{&part{isOthers: true}, killed, "", true, isForeign},
	} {
		e := end{status: each.status, wasReady: each.wasReady, log: each.log}
		if kind := each.part.kindOf(e); kind != each.kind {
			t.Errorf("%v, %q is %s", e.status, e.log, kind)
		}
	}
}

// A process that ends anew is not judged by what its predecessor has logged.
func TestOnlyTheLogSinceTheLastStartIsJudged(t *testing.T) {
	process := harness.NewProcess("ends", t.TempDir(), "/bin/sh", "-c",
		`[ -e "$0" ] && exit 1; : > "$0"; echo Pod updated on a different node; exit 1`,
		filepath.Join(t.TempDir(), "before"))
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var kinds []string
	p := &part{Process: process, isBerths: true,
		ready: func(context.Context) error { return errors.New("never") }}
	p.supervise(ctx, func(p *part, e end) {
		if kinds = append(kinds, p.kindOf(e)); len(kinds) == 2 {
			cancel()
		}
	})
	if !slices.Equal(kinds, []string{isForeign, isByDesign}) {
		t.Errorf("%q", kinds)
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
		r := sizedRun(t)
		r.sizes.sanitized = each.sanitized
		r.sizes.early["berthd-a"] = many(100<<10, 100)
		r.sizes.late["berthd-b"] = each.late
		r.judgeSizes()
		if len(r.violations) != each.laws || !slices.Equal(r.sizes.notJudged, []string{"berthd-a"}) {
			t.Errorf("%+v: %q; %q", each, r.violations, r.sizes.notJudged)
		}
	}
}

func sizedRun(t *testing.T) *run {
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { log.Close() })
	return &run{sizes: newSizes(), Options: Options{Output: io.Discard}, world: &world{}, log: log,
		parts: map[string]*part{"berthd-a": {isBerths: true}, "berthd-b": {isBerths: true},
			"etcd": {}}}
}
