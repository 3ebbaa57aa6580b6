package oracle

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
)

// The cluster's default spreads (SPREAD-8, ORACLE-11).

// DefaultSpreads differ in all that a default can say.
func DefaultSpreads() []v1.TopologySpreadConstraint {
	two, ignore, honor := int32(2), v1.NodeInclusionPolicyIgnore, v1.NodeInclusionPolicyHonor
	return []v1.TopologySpreadConstraint{
		{TopologyKey: v1.LabelTopologyZone, MaxSkew: 1, WhenUnsatisfiable: v1.DoNotSchedule},
		{TopologyKey: "rack", MaxSkew: 2, WhenUnsatisfiable: v1.DoNotSchedule, MinDomains: &two,
			NodeAffinityPolicy: &ignore, NodeTaintsPolicy: &honor},
	}
}

// WriteConfig writes a configuration of Berth with these defaults.
func WriteConfig(path string, spreads []v1.TopologySpreadConstraint) error {
	text, err := json.Marshal(map[string]any{
		"actions":     "enqueue, allocate",
		"tiers":       []any{map[string]any{"plugins": []any{map[string]string{"name": "gang"}}}},
		"constraints": map[string]any{"defaultSpread": spreads},
	})
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o600)
}

func setDefaultSpreads(profile *config.KubeSchedulerProfile, spreads []v1.TopologySpreadConstraint) {
	for i, each := range profile.PluginConfig {
		if each.Name == names.PodTopologySpread {
			profile.PluginConfig[i].Args = &config.PodTopologySpreadArgs{
				DefaultConstraints: spreads, DefaultingType: config.ListDefaulting}
		}
	}
}

func selecting[T runtime.Object](c *Cluster) []runtime.Object {
	var some []runtime.Object
	for _, each := range c.Selecting {
		if _, is := each.(T); is {
			some = append(some, each)
		}
	}
	return some
}

// addSelecting adds Services and controllers of some pods, among them some that select nothing, are
// missing, or are no controllers.
func addSelecting(seed, number uint64, c *Cluster) {
	d := dice{rand.New(rand.NewPCG(number, seed))}
	template := v1.PodTemplateSpec{Spec: v1.PodSpec{Containers: []v1.Container{{Name: "c"}}}}
	for _, space := range spaces {
		for i := range d.IntN(3) {
			c.Selecting = append(c.Selecting, &v1.Service{ObjectMeta: in(space, "service", i),
				Spec: v1.ServiceSpec{Selector: d.selected()}})
		}
		for i := range 2 {
			c.Selecting = append(c.Selecting,
				&v1.ReplicationController{ObjectMeta: in(space, "rc", i),
					Spec: v1.ReplicationControllerSpec{Selector: d.selected()}},
				&appsv1.ReplicaSet{ObjectMeta: in(space, "rs", i),
					Spec: appsv1.ReplicaSetSpec{Selector: d.selector()}},
				&appsv1.StatefulSet{ObjectMeta: in(space, "sts", i),
					Spec: appsv1.StatefulSetSpec{Selector: d.selector(), Template: template}})
		}
	}
	for _, pod := range c.Pods {
		if d.chance(60) {
			pod.OwnerReferences = []metav1.OwnerReference{d.owner()}
		}
	}
}

func in(space, name string, number int) metav1.ObjectMeta {
	name = fmt.Sprintf("%s-%d", name, number)
	return metav1.ObjectMeta{Namespace: space, Name: name, UID: types.UID(space + "/" + name)}
}

func (d dice) selected() map[string]string {
	if d.chance(20) {
		return nil
	}
	return map[string]string{pick(d, labels): pick(d, values)}
}

func (d dice) owner() metav1.OwnerReference {
	kinds := []metav1.TypeMeta{{APIVersion: "v1", Kind: "ReplicationController"},
		{APIVersion: "apps/v1", Kind: "ReplicaSet"}, {APIVersion: "apps/v1", Kind: "StatefulSet"},
		{APIVersion: "apps/v1beta2", Kind: "StatefulSet"}, {APIVersion: "batch/v1", Kind: "Job"}}
	short := []string{"rc", "rs", "sts", "sts", "rs"}
	at, isController := d.IntN(len(kinds)), d.chance(90)
	name := fmt.Sprintf("%s-%d", short[at], d.IntN(3))
	return metav1.OwnerReference{APIVersion: kinds[at].APIVersion, Kind: kinds[at].Kind, Name: name,
		UID: types.UID(name), Controller: &isController}
}
