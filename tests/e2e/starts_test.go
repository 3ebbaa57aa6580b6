package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"berth.dev/berth/tests/e2e/harness"
)

// waitingTime is a field of status.waiting of a group; the zero time: it is not there.
func waitingTime(e *harness.Env, group, field string) (time.Time, error) {
	object, err := e.Dynamic.Resource(harness.PodGroups).Namespace(e.Namespace).Get(e.Context, group, meta.GetOptions{})
	if err != nil {
		return time.Time{}, err
	}
	text, is, _ := unstructured.NestedString(object.Object, "status", "waiting", field)
	if !is {
		return time.Time{}, nil
	}
	return time.Parse(time.RFC3339, text)
}

// awaitStart waits until the field is there, and between these times from now.
func awaitStart(e *harness.Env, group, field string, least, most time.Duration) time.Time {
	e.Helper()
	var found time.Time
	e.Await(2*harness.Soon, func() error {
		at, err := waitingTime(e, group, field)
		if err != nil {
			return err
		}
		if until := time.Until(at); at.IsZero() || until < least || until > most {
			return fmt.Errorf("%s of %s is %v", field, group, at)
		}
		found = at
		return nil
	})
	return found
}

// PROMISE-1, START-1: the start of a target is promised by the limit of the pod in its way, and
// comes true. docs/forecast.md.
func TestAPromisedStartComesTrue(t *testing.T) {
	e := occupiedUntil(t, "filter", func(pod harness.PodBuilder) harness.PodBuilder {
		return pod.Annotate(timeLimit, "20m")
	})
	promised := awaitStart(e, "big", "startsBy", 15*time.Minute, 25*time.Minute)
	awaitStart(e, "big", "likelyTo", 0, 25*time.Minute)
	person := e.Administrator(t)
	why, err := person.Runs(e.Context, "berth why big -o wide -n "+e.Namespace)
	if err != nil || !strings.Contains(why, "at the latest, if all pods keep their time limits") {
		t.Errorf("berth why: %v\n%s", err, why)
	}
	finish(e, "old")
	e.AwaitBound("big", 4, harness.Soon)
	if time.Now().After(promised) {
		t.Errorf("it started after %v", promised)
	}
	e.Await(harness.Soon, func() error {
		if at, err := waitingTime(e, "big", "startsBy"); err != nil || !at.IsZero() {
			return fmt.Errorf("it runs, and startsBy is %v (%v)", at, err)
		}
		return nil
	})
}

// PROMISE-3, START-3: a pod stays beyond what it states.
func TestABrokenPromiseIsAnEvent(t *testing.T) {
	e := occupiedUntil(t, "filter", func(pod harness.PodBuilder) harness.PodBuilder {
		return pod.Annotate(timeLimit, "30s")
	})
	message := e.AwaitReason("PodGroup", "big", "StartDelayed")
	if !strings.Contains(message, "has run beyond its time limit since") {
		t.Errorf("the event says: %s", message)
	}
	assertNotBound(e, "big")
	finish(e, "old")
	e.AwaitBound("big", 4, harness.Soon)
}
