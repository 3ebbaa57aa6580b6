package e2e

import (
	"context"
	"fmt"
	"os"
	"testing"

	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/e2e/harness"
)

// Issue 9, row 17: what a user meets who applies everything at once. The API server finds out anew
// what kinds there are each half minute; until then a policy whose parameters are queues fails.

func startFresh(t *testing.T) *harness.ControlPlane {
	t.Helper()
	plane, err := harness.StartControlPlane(t.Context(), os.Getenv("KUBE_BINARIES"), t.TempDir())
	t.Cleanup(plane.Stop)
	if err != nil {
		t.Fatal(err)
	}
	return plane
}

// Refuses a ConfigMap: as its parameters, there are none.
const canary = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: canary}
spec:
  paramKind: {apiVersion: v1, kind: ConfigMap}
  matchConstraints:
    resourceRules:
      - {apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}
  validations: [{expression: "true"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: canary}
spec:
  policyName: canary
  validationActions: [Deny]
  paramRef: {selector: {}, parameterNotFoundAction: Deny}
`

// installCanary returns when the API server has taken up all policies that were there before, and
// knows the kinds of that moment.
func installCanary(plane *harness.ControlPlane, ctx context.Context) error {
	objects, err := harness.Manifests([]byte(canary))
	if err != nil {
		return err
	}
	if err := plane.Apply(ctx, objects); err != nil {
		return err
	}
	return plane.AwaitAnswer(ctx, func(ctx context.Context) error {
		_, err := plane.Client.CoreV1().ConfigMaps("default").Create(ctx,
			&core.ConfigMap{ObjectMeta: meta.ObjectMeta{Name: "canary"}}, dryRun)
		if !errors.IsInvalid(err) {
			return fmt.Errorf("the canary is not in force: %v", err)
		}
		return nil
	})
}

func TestQueuesAreAcceptedFromTheFirstMoment(t *testing.T) {
	type step = func(*harness.ControlPlane, context.Context) error
	definitions := (*harness.ControlPlane).InstallDefinitions
	policies := func(plane *harness.ControlPlane, ctx context.Context) error {
		return plane.ApplyAdmission(ctx, cluster.Policies())
	}
	for name, steps := range map[string][]step{
		"definitions first": {installCanary, definitions, policies},
		"policies first":    {policies, installCanary, definitions},
	} {
		t.Run(name, func(t *testing.T) {
			plane := startFresh(t)
			must := func(err error) {
				t.Helper()
				if err != nil {
					t.Fatal(err)
				}
			}
			text, err := os.ReadFile(harness.Deploy("examples", "queue.yaml"))
			must(err)
			example, err := harness.Manifests(text)
			must(err)
			for _, each := range steps {
				must(each(plane, t.Context()))
			}
			must(plane.Apply(t.Context(), example))
			queues := plane.Dynamic.Resource(harness.Queues)
			_, err = queues.Create(t.Context(), harness.NewQueue("default", spec{}),
				meta.CreateOptions{})
			must(err)
			// The API server takes up all policies at once, this one among them.
			must(plane.AwaitAnswer(t.Context(), func(ctx context.Context) error {
				_, err := queues.Create(ctx, harness.NewQueue("child", spec{"parent": "default"}),
					dryRun)
				must(err)
				err = queues.Delete(ctx, "default", meta.DeleteOptions{DryRun: dryRun.DryRun})
				if !errors.IsInvalid(err) {
					return fmt.Errorf("no policy is in force yet: %v", err)
				}
				return nil
			}))
			must(plane.TryApply(t.Context(), example))
		})
	}
}
