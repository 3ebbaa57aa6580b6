package e2e

import (
	"testing"

	meta "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/e2e/harness"
)

// Names on objects that own others, and on those that they own, by the policy reserve.berth.dev.

// The policy asks for the verb on the queue that berthd counts the name for.
func TestATargetIsNamedForTheQueueOfItsJob(t *testing.T) {
	e := cluster.Begin(t)
	allowInNamespace(e, "users")
	mine, theirs := e.Namespace+"-mine", e.Namespace+"-theirs"
	allowQueue(e, "leads", "reserve", mine)
	lead := asUser(e, "tom", "users", "leads")
	e.Await(harness.Soon, creating(e, lead, podGroup(`{berth.dev/target: "true"}`, mine), dryRun))
	refusedSoon(e, creating(e, lead, podGroup(`{berth.dev/target: "true"}`, theirs), dryRun),
		`"reserve"`)
	// A job's name counts for the queue that the job names itself, unless its pods name another.
	const target, queue = `berth.dev/target: "true"`, `scheduling.volcano.sh/queue-name: `
	job := func(own, ofPods string) error {
		return creating(e, lead, `{apiVersion: batch/v1, kind: Job, metadata: {annotations: {`+own+
			`}}, spec: {template: {metadata: {annotations: {`+ofPods+`}}, spec: `+podSpec+
			`, restartPolicy: Never}}}}`, dryRun)()
	}
	e.Must(job(target+`, `+queue+mine, ``))
	e.Must(job(target, queue+mine))
	refused(t, job(target, ``), `"default"`)
	refused(t, job(target+`, `+queue+theirs, ``), `"`+theirs+`"`)
	refused(t, job(target+`, `+queue+mine, queue+theirs), `"`+theirs+`"`)
	// A name on pods does not: they may outlive their job, and come to be in the default queue.
	refused(t, job(queue+mine, target), `"default"`)
	e.Must(job(queue+mine, target+`, `+queue+mine))
}

// A pod of a template that is older than the policy would pass for one that was checked.
func TestWhatLeavesItsControllerIsCheckedAnew(t *testing.T) {
	e := cluster.Begin(t)
	allowInNamespace(e, "users")
	allowQueue(e, "leads", "reserve", "default")
	user, lead := asUser(e, "ann", "users"), asUser(e, "tom", "users", "leads")
	refusedSoon(e, creating(e, user, podGroup(`{berth.dev/target: "true"}`, "default"), dryRun),
		`"reserve"`)
	const owner = `{apiVersion: batch/v1, kind: Job, name: j, uid: u, controller: true}`
	jobs := asUser(e, "system:serviceaccount:kube-system:job-controller", "system:serviceaccounts",
		"users")
	e.Must(creating(e, jobs, `{apiVersion: v1, kind: Pod, metadata: {annotations: {
		berth.dev/target: "true"}, ownerReferences: [`+owner+`]}, spec: {schedulerName: nobodys,
		containers: [{name: c, image: i}]}}`, meta.CreateOptions{})())
	const other = `{"metadata":{"ownerReferences":[{"apiVersion":"ray.io/v1","kind":"RayCluster",` +
		`"name":"r","uid":"v","controller":true}]}}`
	const none = `{"metadata":{"ownerReferences":null}}`
	// The same uid, of a kind that berthd takes for made of nothing.
	as := func(version, kind string) string {
		return `{"metadata":{"ownerReferences":[{"apiVersion":"` + version + `","kind":"` + kind +
			`","name":"j","uid":"u","controller":true}]}}`
	}
	for _, patch := range []string{other, none, as("example.com/v1", "Job"), as("batch/v1", "Pod")} {
		refused(t, patching(e, user, "Pod", "x", patch)(), `"reserve"`, `user "ann"`)
	}
	e.Must(patching(e, user, "Pod", "x", `{"metadata":{"labels":{"a":"b"}}}`)())
	e.Await(harness.Soon, patching(e, lead, "Pod", "x", none))
	e.Must(patching(e, user, "Pod", "x", other)())
}
