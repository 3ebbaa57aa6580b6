package e2e

import (
	"fmt"
	"os"
	"strings"
	"testing"

	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/e2e/harness"
)

// engineer is one who installs Berth by `helm`, and the hosts that run what is installed.
type engineer struct {
	*site
	*harness.Person
	hosts *harness.Hosts
}

func newEngineer(t *testing.T) *engineer {
	t.Helper()
	berthd := os.Getenv("BERTHD_BINARY")
	if berthd == "" {
		t.Fatal(harness.LacksBerthd)
	}
	s := newSite(t)
	hosts := s.StartHosts(t, berthd)
	s.startControllers()
	return &engineer{site: s, Person: s.Administrator(t), hosts: hosts}
}

// images are those of berthd's pods that are ready.
func (e *engineer) images() map[string]int {
	e.Helper()
	found := map[string]int{}
	e.pods(harness.Namespace, "app=berth", func(pod core.Pod) bool {
		if len(pod.Status.ContainerStatuses) > 0 && pod.DeletionTimestamp == nil {
			found[pod.Spec.Containers[0].Image]++
		}
		return true
	})
	return found
}

// assertImages shows that both pods are the release's, and ready.
func (e *engineer) assertImages(tag, when string) {
	e.Helper()
	want := map[string]int{"REGISTRY/berthd:" + tag: 2}
	if found := e.images(); fmt.Sprint(found) != fmt.Sprint(want) {
		e.Fatalf("%s: the images of ready pods are %v, not %v", when, found, want)
	}
}

func (e *engineer) bindAGangAnew(when string) {
	e.Helper()
	e.said("kubectl delete -f deploy/examples/gang.yaml")
	e.await("the pods of the gang before are gone", func() bool {
		return e.pods("default", "job-name=training", func(core.Pod) bool { return true }) == 0
	})
	e.said("kubectl apply -f deploy/examples/gang.yaml")
	e.await("a gang is bound whole "+when, func() bool { return e.bound() == 8 })
}

// docs/operating.md and docs/upgrading.md, from an empty cluster to an empty one, by the commands that
// they print. The first gang waits, and is bound whole; pods are replaced while it runs.
func TestStoryOfTheInstallation(t *testing.T) {
	operating, upgrading := blocks(t, "docs/operating.md"), blocks(t, "docs/upgrading.md")
	e := newEngineer(t)
	// Room for four workers beside a pod of berthd's each.
	e.hosts.AddNode("n1", "4750m")
	e.hosts.AddNode("n2", "4750m")

	e.Follows(operating["install"], nil)
	e.assertImages(e.shipped().Metadata.AppVersion, "after the installation")
	e.Follows(operating["leads"], map[string]string{
		"berth-5d9c7b8f6-x8k2d_2f1c0b9a4e6d8075": `\S+_[0-9a-f]{16}`})
	e.Sees(operating["log"], "leader by lease berth-system/berthd")

	other := harness.NewPod("default", "other").Build()
	other.Spec.NodeName, other.Spec.SchedulerName = "n2", core.DefaultSchedulerName
	_, err := e.Client.CoreV1().Pods("default").Create(e.context, other, meta.CreateOptions{})
	e.must(err)

	names := map[string]string{"training-7": `training-\d`, "n2": "(n1|n2)"}
	e.Follows(operating["first-gang-waits"], names)
	if count := e.bound(); count != 0 {
		t.Errorf("%d pods of the gang are bound although one has no room", count)
	}
	e.must(e.Client.CoreV1().Pods("default").Delete(e.context, "other",
		meta.DeleteOptions{GracePeriodSeconds: new(int64)}))
	e.Follows(operating["first-gang-starts"], names)
	e.await("all of the gang is bound", func() bool { return e.bound() == 8 })

	e.hosts.AddNode("n3", "750m") // for one pod more of berthd's, while they are replaced
	e.Follows(upgrading["upgrade"], nil)
	e.Follows(upgrading["change"], nil)
	e.assertImages("0.1.0-2", "after a change")
	if count := e.bound(); count != 8 {
		t.Errorf("%d pods of the gang are bound after a change, not 8", count)
	}
	e.bindAGangAnew("after a change")
	e.Follows(upgrading["rollback"], nil)
	e.assertImages(e.shipped().Metadata.AppVersion, "after a rollback")
	e.bindAGangAnew("after a rollback")

	e.Follows(upgrading["uninstall"], nil)
	e.await("berthd's pods are gone", func() bool {
		return e.pods(harness.Namespace, "app=berth", func(core.Pod) bool { return true }) == 0
	})
	e.said("kubectl get podgroup training")
	if count := e.bound(); count != 8 {
		t.Errorf("%d pods of the gang are bound after the end of the release, not 8", count)
	}
}

// said is what a command has printed, which must succeed.
func (e *engineer) said(command string) string {
	e.Helper()
	output, err := e.Runs(e.context, command)
	if err != nil {
		e.Fatalf("%s: %v\n%s", command, err, output)
	}
	return strings.TrimSpace(output)
}
