package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	core "k8s.io/api/core/v1"
	policy "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/dynamic"

	"berth.dev/berth/tests/e2e/harness"
)

const (
	// heapOfObject is the most that one of these objects may cost berthd, in bytes. Each PodGroup with
	// invented resources had cost 465 MB on 1,008 nodes.
	heapOfObject = 2 << 20
	// heapOfOthers is what berthd's memory may change by besides: gangs, connections, requests.
	heapOfOthers = 16 << 20
)

// mallory has the role edit in one namespace.
type mallory struct {
	*harness.Env // of the namespace
	user         *harness.User
	groups       dynamic.ResourceInterface
	objects      int // so far
}

func beginHostile(t *testing.T) *mallory {
	t.Helper()
	e := cluster.Begin(t)
	user := e.User("mallory", "edit")
	user.AwaitRight("create", "podgroups.scheduling.volcano.sh")
	client, err := dynamic.NewForConfig(user.Config)
	e.Must(err)
	return &mallory{Env: e, user: user,
		groups: client.Resource(harness.PodGroups).Namespace(e.Namespace)}
}

func (m *mallory) creates(objects ...any) {
	m.Helper()
	m.objects += len(objects)
	m.Must(harness.InParallel(len(objects), func(i int) error {
		var err error
		switch object := objects[i].(type) {
		case *unstructured.Unstructured:
			_, err = m.groups.Create(m.Context, object, meta.CreateOptions{})
		case *core.Pod:
			_, err = m.user.Client.CoreV1().Pods(m.Namespace).Create(m.Context, object, meta.CreateOptions{})
		case *core.PersistentVolumeClaim:
			_, err = m.user.Client.CoreV1().PersistentVolumeClaims(m.Namespace).Create(m.Context, object,
				meta.CreateOptions{})
		case *core.Service:
			_, err = m.user.Client.CoreV1().Services(m.Namespace).Create(m.Context, object,
				meta.CreateOptions{})
		case *policy.PodDisruptionBudget:
			_, err = m.user.Client.PolicyV1().PodDisruptionBudgets(m.Namespace).Create(m.Context, object,
				meta.CreateOptions{})
		default:
			err = fmt.Errorf("no way to create a %T", object)
		}
		return err
	}))
}

// clears deletes what ClearNamespace leaves, and then that.
func (m *mallory) clears() {
	m.Helper()
	all, none := meta.DeleteOptions{}, meta.ListOptions{}
	client := m.user.Client
	services, err := client.CoreV1().Services(m.Namespace).List(m.Context, none)
	m.Must(err)
	for _, each := range services.Items {
		m.Must(client.CoreV1().Services(m.Namespace).Delete(m.Context, each.Name, all))
	}
	m.Must(client.CoreV1().PersistentVolumeClaims(m.Namespace).DeleteCollection(m.Context, all, none))
	m.Must(client.PolicyV1().PodDisruptionBudgets(m.Namespace).DeleteCollection(m.Context, all, none))
	m.Must(m.ClearNamespace(m.Context, m.Namespace))
}

func (m *mallory) pod(name string, word func(*core.Pod)) *core.Pod {
	pod := harness.NewPod(m.Namespace, name).CPU("10m").Build()
	word(pod)
	return pod
}

// gang is a pod in a group of its own, whose condition tells its user what is the matter.
func (m *mallory) gang(name string, word func(*core.Pod)) []any {
	pod := harness.NewPod(m.Namespace, name+"-0").CPU("10m").Group(name).Build()
	word(pod)
	return []any{harness.NewPodGroup(m.Namespace, name, 1), pod}
}

func (m *mallory) group(name string, spec map[string]any) *unstructured.Unstructured {
	group := harness.NewPodGroup(m.Namespace, name, 1)
	for key, value := range spec {
		group.Object["spec"].(map[string]any)[key] = value
	}
	return group
}

func invented(prefix string, count int) core.ResourceList {
	amounts := core.ResourceList{}
	for i := range count {
		name := fmt.Sprintf("evil.com/%s-%d", prefix, i)
		amounts[core.ResourceName(name)] = resource.MustParse("1")
	}
	return amounts
}

func (m *mallory) groupsWithInventedResources() {
	for g := range 6 {
		resources := map[string]any{}
		for name := range invented(fmt.Sprintf("g%d", g), 6000) {
			resources[string(name)] = "1"
		}
		m.creates(m.group(fmt.Sprintf("invented-%d", g), map[string]any{"minResources": resources}))
	}
	m.creates(m.gang("asks", func(pod *core.Pod) {
		pod.Spec.Containers[0].Resources.Requests = invented("asked", 1)
		pod.Spec.Containers[0].Resources.Limits = invented("asked", 1)
	})...)
	m.AwaitWaits("asks", "no node has evil.com/asked-0")
}

// Each pod goes before the next one comes; every second runs on a node that its user has named.
func (m *mallory) podsWithInventedResources() {
	node := m.AddNodes(1, "8")[0]
	for i := range 6 {
		name := fmt.Sprintf("inventor-%d", i)
		m.creates(m.pod(name, func(pod *core.Pod) {
			pod.Spec.Containers[0].Resources.Requests = invented(name, 1500)
			pod.Spec.Containers[0].Resources.Limits = invented(name, 1500)
			if i%2 == 0 {
				pod.Spec.SchedulerName, pod.Spec.NodeName = core.DefaultSchedulerName, node
			}
		}))
		m.AwaitSessions(1)
		m.Delete(name)
	}
}

func term(key, label string) core.PodAffinityTerm {
	return core.PodAffinityTerm{TopologyKey: key,
		LabelSelector: &meta.LabelSelector{MatchLabels: map[string]string{label: "x"}}}
}

// BOUND-1
func (m *mallory) podsWithManyTerms() {
	m.creates(m.gang("terms", func(pod *core.Pod) {
		apart := &core.PodAntiAffinity{}
		for i := range 200 {
			apart.RequiredDuringSchedulingIgnoredDuringExecution = append(
				apart.RequiredDuringSchedulingIgnoredDuringExecution,
				term(fmt.Sprintf("evil.com/key-%d", i), fmt.Sprintf("label-%d", i)))
		}
		pod.Spec.Affinity = &core.Affinity{PodAntiAffinity: apart}
	})...)
	m.AwaitWaits("terms", "200 terms of pod affinity and topology spreads, at most 64")
	m.AwaitWaits("terms", m.Namespace+"/terms-0")
}

// BOUND-3: 20 pods with 60 spreads each, no two of them alike.
func (m *mallory) podsWithDifferentSpreads() {
	for p := range 20 {
		m.creates(m.gang(fmt.Sprintf("spreads-%02d", p), func(pod *core.Pod) {
			for i := range 60 {
				pod.Spec.TopologySpreadConstraints = append(pod.Spec.TopologySpreadConstraints,
					core.TopologySpreadConstraint{MaxSkew: 1, WhenUnsatisfiable: core.DoNotSchedule,
						TopologyKey:   fmt.Sprintf("evil.com/key-%d-%d", p, i),
						LabelSelector: &meta.LabelSelector{MatchLabels: map[string]string{"a": "b"}}})
			}
		})...)
	}
	m.Await(harness.Soon, func() error { // it is not said which of the pods have come too late
		for p := range 20 {
			words := m.Message(fmt.Sprintf("spreads-%02d", p), "Unschedulable")
			if strings.Contains(words, "different terms of pod affinity and topology spreads, at most 1000") {
				return nil
			}
		}
		return fmt.Errorf("no PodGroup says that its namespace has too many terms")
	})
}

// BOUND-1
func (m *mallory) podsWithManyConstraints() {
	labels := map[string]string{}
	for i := range 1000 {
		labels[fmt.Sprintf("evil.com/label-%d", i)] = "x"
	}
	m.creates(m.pod("labels", func(pod *core.Pod) { pod.Labels = labels }))
	m.creates(m.pod("selector", func(pod *core.Pod) { pod.Spec.NodeSelector = labels }))
	m.creates(m.gang("tolerations", func(pod *core.Pod) {
		for i := range 600 {
			pod.Spec.Tolerations = append(pod.Spec.Tolerations, core.Toleration{
				Key: fmt.Sprintf("evil.com/taint-%d", i), Operator: core.TolerationOpExists})
		}
	})...)
	m.creates(m.gang("affinity", func(pod *core.Pod) {
		var terms []core.NodeSelectorTerm
		for i := range 600 {
			terms = append(terms, core.NodeSelectorTerm{
				MatchExpressions: []core.NodeSelectorRequirement{{
					Key: fmt.Sprintf("evil.com/label-%d", i), Operator: core.NodeSelectorOpExists}}})
		}
		pod.Spec.Affinity = &core.Affinity{NodeAffinity: &core.NodeAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: &core.NodeSelector{
				NodeSelectorTerms: terms}}}
	})...)
	m.creates(m.gang("volumes", func(pod *core.Pod) {
		for i := range 501 {
			pod.Spec.Volumes = append(pod.Spec.Volumes, core.Volume{Name: fmt.Sprintf("v%d", i),
				VolumeSource: core.VolumeSource{PersistentVolumeClaim: //
				&core.PersistentVolumeClaimVolumeSource{ClaimName: fmt.Sprintf("claim-%d", i)}}})
		}
	})...)
	m.AwaitWaits("tolerations", "tolerations, at most 500")
	m.AwaitWaits("affinity", "terms and expressions of node affinity and nodeSelector, at most 1000")
	m.AwaitWaits("volumes", "501 volumes, at most 500")
}

// BOUND-2
func (m *mallory) groupsWithManyRoles() {
	roles := map[string]any{}
	for i := range 3000 {
		roles[fmt.Sprintf("role-%d", i)] = int64(1 << 30)
	}
	long := map[string]any{strings.Repeat("r", 300): int64(1)}
	longer := map[string]any{strings.Repeat("r", 90000): int64(1)}
	m.creates(m.group("roles", map[string]any{"minTaskMember": roles}),
		m.group("long", map[string]any{"minTaskMember": long}),
		m.group("longer", map[string]any{"minTaskMember": longer,
			"queue": strings.Repeat("q", 100000), "priorityClassName": strings.Repeat("p", 100000)}))
	m.AwaitWaits("roles", "3000 roles, expected at most 256")
	m.AwaitWaits("long", "role has 300 bytes, expected at most 253")
	m.AwaitWaits("longer", "its pod group cannot be read")
}

func (m *mallory) objectsOfOtherKinds() {
	var values []string
	for i := range 3000 {
		values = append(values, fmt.Sprintf("value-%d", i))
	}
	selector := &meta.LabelSelector{MatchExpressions: []meta.LabelSelectorRequirement{{
		Key: "app", Operator: meta.LabelSelectorOpIn, Values: values}}}
	var objects []any
	for i := range 10 {
		name := meta.ObjectMeta{Name: fmt.Sprintf("other-%d", i)}
		class, none := "none", intstr.FromInt32(0)
		objects = append(objects,
			&core.PersistentVolumeClaim{ObjectMeta: name, Spec: core.PersistentVolumeClaimSpec{
				AccessModes: []core.PersistentVolumeAccessMode{core.ReadWriteOnce}, Selector: selector,
				StorageClassName: &class, Resources: core.VolumeResourceRequirements{
					Requests: core.ResourceList{core.ResourceStorage: resource.MustParse("1Gi")}}}},
			&policy.PodDisruptionBudget{ObjectMeta: name, Spec: policy.PodDisruptionBudgetSpec{
				MaxUnavailable: &none, Selector: selector}},
			m.pod(name.Name, func(pod *core.Pod) {
				pod.Spec.Volumes = []core.Volume{{Name: "v", VolumeSource: core.VolumeSource{
					PersistentVolumeClaim: &core.PersistentVolumeClaimVolumeSource{ClaimName: name.Name}}}}
			}))
	}
	for i := range 100 {
		name := meta.ObjectMeta{Name: fmt.Sprintf("service-%d", i)}
		objects = append(objects, &core.Service{ObjectMeta: name, Spec: core.ServiceSpec{
			ClusterIP: core.ClusterIPNone, Selector: map[string]string{fmt.Sprintf("label-%d", i): "x"}}})
	}
	m.creates(objects...)
}

func (m *mallory) manyKindsOfPods() {
	var objects []any
	for i := range 200 {
		objects = append(objects, m.pod(fmt.Sprintf("kind-%d", i), func(pod *core.Pod) {
			pod.Labels = map[string]string{"number": fmt.Sprint(i)}
			pod.Spec.Containers[0].Resources.Requests[core.ResourceMemory] =
				*resource.NewQuantity(int64(1<<40+i), resource.BinarySI)
		}))
	}
	m.creates(objects...)
}

// A user with the role edit in one namespace fills it with what costs most. The gang of another team
// is bound all the same, and what berthd keeps is bounded by object and goes with the objects. The
// times are logged; they decide nothing.
func TestHostileObjectsHarmNobody(t *testing.T) {
	cluster.StartControllers(t)
	m := beginHostile(t)
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	e.AddNodes(3, "4")
	heap := func() float64 {
		bytes, err := e.Berth.Metric(e.Context, `berth_state{what="heap_bytes"}`)
		e.Must(err)
		if bytes == 0 {
			e.Fatal("berthd does not say how much memory it uses")
		}
		return bytes
	}
	gangs := 0
	othersGangIsBound := func(after string) {
		name := fmt.Sprintf("gang-%d", gangs)
		gangs++
		begin := time.Now()
		e.CreateGang(name, 3, 3, cpu("1"))
		e.AwaitBound(name, 3, harness.Soon)
		t.Logf("%-36s %3d objects, heap %5.1f MB, gang bound after %v", after, m.objects, heap()/1e6,
			time.Since(begin).Round(time.Millisecond))
		e.EndGang(name)
	}
	othersGangIsBound("before")
	before := heap()
	for _, family := range []struct {
		name   string
		create func()
	}{
		{"groups with invented resources", m.groupsWithInventedResources},
		{"pods with invented resources", m.podsWithInventedResources},
		{"pods with many terms", m.podsWithManyTerms},
		{"pods with different spreads", m.podsWithDifferentSpreads},
		{"pods with many constraints", m.podsWithManyConstraints},
		{"groups with many roles", m.groupsWithManyRoles},
		{"objects of other kinds", m.objectsOfOtherKinds},
		{"many kinds of pods", m.manyKindsOfPods},
	} {
		family.create()
		othersGangIsBound(family.name)
		if now := heap(); now > before+heapOfOthers+float64(m.objects)*heapOfObject {
			t.Errorf("%s: %d objects cost %.0f bytes", family.name, m.objects, now-before)
		}
	}

	e.Berth.Kill()
	e.Must(e.Berth.Start(e.Context))
	e.Must(e.Berth.AwaitReady(e.Context))
	othersGangIsBound("after a restart")
	m.clears()
	e.Await(harness.Soon, func() error {
		if now := heap(); now > before+heapOfOthers {
			return fmt.Errorf("%.0f bytes are left of all objects", now-before)
		}
		return nil
	})
	othersGangIsBound("all deleted")
}
