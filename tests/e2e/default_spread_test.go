package e2e

import (
	"testing"

	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	rbac "k8s.io/api/rbac/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/e2e/harness"
)

// The cluster's default spreads (SPREAD-8). The suite's kube-scheduler has none, so berthd alone
// decides by them.

// mayListSelecting gives berthd the rights that deploy/kustomize/base/rbac.yaml names for defaults.
func mayListSelecting(e *harness.Env) {
	e.Helper()
	read := []string{"list", "watch"}
	allowRules(e, e.Namespace+"-default-spread",
		rbac.Subject{Kind: "ServiceAccount", Namespace: harness.Namespace, Name: harness.ServiceAccount},
		rbac.PolicyRule{APIGroups: []string{""},
			Resources: []string{"services", "replicationcontrollers"}, Verbs: read},
		rbac.PolicyRule{APIGroups: []string{"apps"}, Resources: []string{"replicasets"}, Verbs: read})
}

func ownedBy(set *apps.StatefulSet) func(harness.PodBuilder) harness.PodBuilder {
	return func(pod harness.PodBuilder) harness.PodBuilder {
		return pod.Label("set", set.Name).OwnedBy(*meta.NewControllerRef(set,
			apps.SchemeGroupVersion.WithKind("StatefulSet")))
	}
}

func createStatefulSet(e *harness.Env, name string) *apps.StatefulSet {
	e.Helper()
	labels := map[string]string{"set": name}
	set, err := e.Client.AppsV1().StatefulSets(e.Namespace).Create(e.Context, &apps.StatefulSet{
		ObjectMeta: meta.ObjectMeta{Name: name},
		Spec: apps.StatefulSetSpec{ServiceName: name, Selector: &meta.LabelSelector{MatchLabels: labels},
			Template: core.PodTemplateSpec{ObjectMeta: meta.ObjectMeta{Labels: labels},
				Spec: core.PodSpec{Containers: []core.Container{{Name: "c", Image: "c"}}}}},
	}, meta.CreateOptions{})
	e.Must(err)
	return set
}

func createService(e *harness.Env, name string, selects map[string]string) {
	e.Helper()
	_, err := e.Client.CoreV1().Services(e.Namespace).Create(e.Context, &core.Service{
		ObjectMeta: meta.ObjectMeta{Name: name},
		Spec:       core.ServiceSpec{Selector: selects, Ports: []core.ServicePort{{Port: 80}}},
	}, meta.CreateOptions{})
	e.Must(err)
}

// A StatefulSet's pods are spread, others are not until a Service selects them.
func TestPodsHaveTheDefaultSpreadsOfTheCluster(t *testing.T) {
	e := cluster.Begin(t)
	mayListSelecting(e)
	e.WithBerth(harness.BerthOptions{Configuration: map[string]any{"constraints": map[string]any{
		"defaultSpread": []any{map[string]any{"topologyKey": zone, "maxSkew": 1}}}}})
	e.AddNodesIn("a", 2, "8")
	e.AddNodesIn("b", 1, "2")
	e.CreateGang("plain", 2, 2, cpu("1"))
	awaitWhole(e, "plain", 2)

	e.CreateGang("set", 6, 6, ownedBy(createStatefulSet(e, "set")))
	assertWaits(e, "set", "didn't match pod topology spread constraints", 2)
	e.AddNodesIn("b", 1, "4")
	awaitWhole(e, "set", 6)
	if zones := perDomain(e, "set", zone); zones["a"] != 3 || zones["b"] != 3 {
		t.Errorf("six members are spread as %v", zones)
	}

	createService(e, "web", map[string]string{"app": "web"})
	e.CreateGang("web", 8, 8, func(pod harness.PodBuilder) harness.PodBuilder {
		return pod.Label("app", "web")
	})
	assertSays(e, "web", "didn't match pod topology spread constraints")
	assertNotBound(e, "web")
	e.Must(e.Client.CoreV1().Services(e.Namespace).Delete(e.Context, "web", meta.DeleteOptions{}))
	awaitWhole(e, "web", 8)
}
