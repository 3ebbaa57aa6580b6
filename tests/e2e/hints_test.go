package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"berth.dev/berth/tests/e2e/harness"
)

// Gangs that kube-scheduler cannot complete, for reasons that plans do not know
// (docs/design/hints.md).

// A device for each member, of a class that no node has, until one comes that has them.
func TestAGangWithoutDevicesWaits(t *testing.T) {
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	e.AddNodes(3, "4")
	for i := range 4 {
		e.CreateDeviceClaim(fmt.Sprintf("gang-%d", i))
	}
	assertRefusedGangWaits(e, harness.PodBuilder.Device, "cannot allocate all claims", 1)
	e.AddDevices(e.Namespace+"-n3", 4)
	e.AddNodes(1, "4")
	e.AwaitBound("gang", 4, 2*promptly)
	e.AssertNeverInPart("gang", promptly)
}

// Devices that a class offers under the name of a resource, which no node counts: kube-scheduler
// finds them, where they are. In place it finds none for any pod with our marker.
func TestDevicesOfAClass(t *testing.T) {
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	e.AddNodes(2, "4")
	offered := "example.com/" + e.Namespace
	createGang := func(name, devices string) {
		e.CreateGroup(name, 2)
		pods := harness.Members(e.Namespace, name, 2, cpu("1"))
		for _, pod := range pods {
			one := core.ResourceName(devices)
			resources := &pod.Spec.Containers[0].Resources
			resources.Requests[one] = resource.MustParse("1")
			resources.Limits = core.ResourceList{one: resource.MustParse("1")}
		}
		e.Create(pods...)
	}
	e.CreateDeviceClass(offered)
	createGang("unknown", offered+"-x")
	e.AwaitWaits("unknown", "no node has "+offered+"-x")
	createGang("gang", offered)
	e.AwaitWaits("gang", "kube-scheduler refused")
	e.AddDevices(e.Namespace+"-n2", 2)
	e.AddNodes(1, "4")
	e.AwaitBound("gang", 2, harness.Soon)
	e.AssertNeverInPart("gang", promptly)
}

// assertRefusedGangWaits creates "gang", whose group is to have kube-scheduler's words, and watches
// it for half a minute: nothing of it is bound, its room is there for others, and it is tried a few
// times only, and so often at least.
func assertRefusedGangWaits(e *harness.Env, word func(harness.PodBuilder) harness.PodBuilder,
	words string, least float64) {
	e.Helper()
	const watched, most = 30 * time.Second, 6
	counter := func(sample string) func() float64 {
		count := func() float64 {
			value, err := e.Berth.Metric(e.Context, sample)
			e.Must(err)
			return value
		}
		before := count()
		return func() float64 { return count() - before }
	}
	failures := counter("berth_failed_attempts_total")
	plans := counter(`berth_decisions_total{kind="bind"}`)
	e.CreateGang("gang", 4, 4, word)
	began := time.Now()
	e.Await(promptly, func() error {
		if message := e.Message("gang", "Unschedulable"); !strings.Contains(message, words) {
			return fmt.Errorf("the group says %q", message)
		}
		return nil
	})
	whole := func(pod harness.PodBuilder) harness.PodBuilder { return pod.CPU("4") }
	e.CreateGang("other", 3, 3, whole)
	e.AwaitBound("other", 3, 2*promptly)
	e.EndGang("other")
	e.Await(harness.Soon, func() error {
		if passed := time.Since(began); passed < watched {
			return fmt.Errorf("%v have passed", passed)
		}
		return nil
	})
	assertNotBound(e, "gang")
	if failed := failures(); failed < least || failed > most {
		e.Errorf("%v attempts failed in %v, expected %v to %d", failed, watched, least, most)
	}
	if planned := plans(); planned > 4*most+3 {
		e.Errorf("%v times a pod was planned in %v", planned, watched)
	}
}
