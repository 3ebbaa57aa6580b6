package e2e

import (
	"testing"

	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"berth.dev/berth/tests/e2e/harness"
)

// named is a gang that cannot start, and is a target only because of its name: nobody has waited for
// an hour.
func named(t *testing.T, word func(e *harness.Env, group string)) *harness.Env {
	e := cluster.BeginWithBerth(t, reserving(map[string]any{"wait-duration": "1h"}, nil))
	e.AddNodes(2, "4")
	e.CreateGang("old", 2, 2, func(pod harness.PodBuilder) harness.PodBuilder {
		return pod.CPU("3").Finishes()
	})
	e.AwaitBound("old", 2, harness.Soon)
	e.CreateGang("big", 2, 2, cpu("3500m"))
	word(e, "big")
	e.AwaitLocked("big", 2)
	return e
}

func annotateGroup(e *harness.Env, group, value string) {
	e.Helper()
	_, err := e.Dynamic.Resource(harness.PodGroups).Namespace(e.Namespace).Patch(e.Context, group,
		types.MergePatchType,
		[]byte(`{"metadata":{"annotations":{"`+harness.Target+`":`+value+`}}}`), meta.PatchOptions{})
	e.Must(err)
}

func assertWithdrawn(e *harness.Env, group string) {
	e.Helper()
	e.AwaitTargeted(group, "False", "Withdrawn")
	e.AwaitOpen()
	assertNotBound(e, group)
}

// Issue 9, row 9.
func TestATargetIsReleasedWhenItsNameIsTakenBack(t *testing.T) {
	for _, value := range []string{"null", `"false"`} {
		t.Run(value, func(t *testing.T) {
			e := named(t, func(e *harness.Env, group string) { annotateGroup(e, group, `"true"`) })
			annotateGroup(e, "big", value)
			assertWithdrawn(e, "big")
			e.AwaitSessions(3)
			e.AwaitOpen()
		})
	}
}

// The same where its owner names it; that survives a restart, which knows the group before the owner.
func TestATargetIsReleasedWhenItsOwnerTakesTheNameBack(t *testing.T) {
	job := &batch.Job{ObjectMeta: meta.ObjectMeta{Name: "training",
		Annotations: map[string]string{harness.Target: "true"}}}
	e := named(t, func(e *harness.Env, group string) {
		job.Spec.Template.Spec = core.PodSpec{RestartPolicy: core.RestartPolicyNever,
			Containers: harness.NewPod(e.Namespace, "x").Build().Spec.Containers}
		suspended := true // its pods are not the matter
		job.Spec.Suspend = &suspended
		made, err := e.Client.BatchV1().Jobs(e.Namespace).Create(e.Context, job, meta.CreateOptions{})
		e.Must(err)
		_, err = e.Dynamic.Resource(harness.PodGroups).Namespace(e.Namespace).Patch(e.Context, group,
			types.MergePatchType, []byte(`{"metadata":{"ownerReferences":[{"apiVersion":"batch/v1",`+
				`"kind":"Job","name":"training","controller":true,"uid":"`+string(made.UID)+`"}]}}`),
			meta.PatchOptions{})
		e.Must(err)
	})
	since := e.AwaitAnnotations("big", harness.TargetSince)[harness.TargetSince]
	e.Berth.Kill()
	e.Must(e.Berth.Start(e.Context))
	e.Must(e.Berth.AwaitReady(e.Context))
	e.AwaitSessions(3)
	e.AwaitLocked("big", 2)
	if again := e.AwaitAnnotations("big", harness.TargetSince)[harness.TargetSince]; again != since {
		t.Errorf("it was elected anew at %s, first at %s", again, since)
	}
	_, err := e.Client.BatchV1().Jobs(e.Namespace).Patch(e.Context, "training",
		types.MergePatchType, []byte(`{"metadata":{"annotations":{"`+harness.Target+`":null}}}`),
		meta.PatchOptions{})
	e.Must(err)
	assertWithdrawn(e, "big")
}
