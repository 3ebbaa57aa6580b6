package harness

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
)

// Recorder knows from watches what has become of pods and groups, and when. Any goroutine.
type Recorder struct {
	mutex   sync.Mutex
	changed chan struct{} // closed at each change, and replaced
	pods    map[string]*core.Pod
	groups  map[string]*unstructured.Unstructured
	history []Moment
	counts  map[string]int // of moments, by namespace and first word
	watched map[string]*gangWatch

	listeners []func(*core.Pod, types.UID)
}

// Moment is one change of one pod.
type Moment struct {
	At   time.Time
	Key  string // namespace/name
	UID  types.UID
	What string // created, nominated X, ungated, bound X, deleted, or a phase
}

func (m Moment) String() string {
	return fmt.Sprintf("%s %s %s", m.At.Format("15:04:05.000"), m.Key, m.What)
}

// gangWatch measures for how long a gang was bound in part.
type gangWatch struct {
	minMember int
	isMember  func(*core.Pod) bool
	since     time.Time // zero: it is whole, or nobody is bound
	longest   time.Duration
}

// StartRecorder watches until the context ends; it returns when it has seen what there is.
func StartRecorder(ctx context.Context, plane *ControlPlane) (*Recorder, error) {
	r := &Recorder{
		changed: make(chan struct{}),
		pods:    map[string]*core.Pod{},
		groups:  map[string]*unstructured.Unstructured{},
		counts:  map[string]int{},
		watched: map[string]*gangWatch{},
	}
	pods := cache.NewListWatchFromClient(plane.Client.CoreV1().RESTClient(), "pods",
		meta.NamespaceAll, fields.Everything())
	groups := &cache.ListWatch{
		ListFunc: func(options meta.ListOptions) (runtime.Object, error) {
			return plane.Dynamic.Resource(PodGroups).List(ctx, options)
		},
		WatchFunc: func(options meta.ListOptions) (watch.Interface, error) {
			return plane.Dynamic.Resource(PodGroups).Watch(ctx, options)
		},
	}
	mirrors := []*mirror{
		startMirror(ctx, pods, &core.Pod{}, func(key string, object runtime.Object) {
			r.podChanged(key, object.(*core.Pod))
		}, r.podGone),
		startMirror(ctx, groups, &unstructured.Unstructured{},
			func(key string, object runtime.Object) {
				r.change(func() { r.groups[key] = object.(*unstructured.Unstructured) })
			},
			func(key string) { r.change(func() { delete(r.groups, key) }) }),
	}
	for _, each := range mirrors {
		select {
		case <-each.synced:
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(StartUp):
			return nil, errors.New("the recorder did not see the cluster")
		}
	}
	return r, nil
}

// Follow calls for each pod there is, and for each change; a pod that is gone is told as nil. The
// calls come one by one and must not block.
func (r *Recorder) Follow(listener func(pod *core.Pod, gone types.UID)) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.listeners = append(r.listeners, listener)
	for _, pod := range r.pods {
		listener(pod, "")
	}
}

func (r *Recorder) change(apply func()) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	apply()
	close(r.changed)
	r.changed = make(chan struct{})
}

func (r *Recorder) podChanged(key string, pod *core.Pod) {
	r.change(func() {
		old := r.pods[key]
		if old == nil || old.UID != pod.UID {
			old = &core.Pod{}
			r.note(key, pod, "created")
		}
		if len(old.Spec.SchedulingGates) > 0 && len(pod.Spec.SchedulingGates) == 0 {
			r.note(key, pod, "ungated")
		}
		if name := pod.Status.NominatedNodeName; name != old.Status.NominatedNodeName {
			r.note(key, pod, "nominated "+name)
		}
		if name := pod.Spec.NodeName; name != old.Spec.NodeName {
			r.note(key, pod, "bound "+name)
		}
		if phase := pod.Status.Phase; phase != old.Status.Phase && phase != core.PodPending {
			r.note(key, pod, string(phase))
		}
		r.pods[key] = pod
		r.measure(pod)
		for _, listener := range r.listeners {
			listener(pod, "")
		}
	})
}

func (r *Recorder) podGone(key string) {
	r.change(func() {
		if pod := r.pods[key]; pod != nil {
			r.note(key, pod, "deleted")
			delete(r.pods, key)
			r.measure(pod)
			for _, listener := range r.listeners {
				listener(nil, pod.UID)
			}
		}
	})
}

func (r *Recorder) note(key string, pod *core.Pod, what string) {
	r.history = append(r.history, Moment{time.Now(), key, pod.UID, what})
	word, _, _ := strings.Cut(what, " ")
	r.counts[pod.Namespace+"/"+word]++
}

func groupKeyOf(pod *core.Pod) string {
	for _, key := range []string{GroupAnnotation, "scheduling.volcano.sh/group-name"} {
		if name := pod.Annotations[key]; name != "" {
			return pod.Namespace + "/" + name
		}
	}
	return pod.Namespace + "/" + pod.Labels["scheduling.x-k8s.io/pod-group"]
}

// measure looks again at the gangs that the pod is a member of.
func (r *Recorder) measure(changed *core.Pod) {
	for _, gang := range r.watched {
		if gang.isMember(changed) {
			gang.measure(r.pods)
		}
	}
}

func (gang *gangWatch) measure(pods map[string]*core.Pod) {
	bound := 0
	for _, pod := range pods {
		if pod.Spec.NodeName != "" && gang.isMember(pod) {
			bound++
		}
	}
	inPart := bound > 0 && bound < gang.minMember
	switch {
	case inPart && gang.since.IsZero():
		gang.since = time.Now()
	case !inPart && !gang.since.IsZero():
		gang.longest = max(gang.longest, time.Since(gang.since))
		gang.since = time.Time{}
	}
}

// WatchGang begins to measure for how long the gang is bound in part.
func (r *Recorder) WatchGang(namespace, name string, minMember int) {
	group := namespace + "/" + name
	r.WatchMembers(namespace, name, minMember, func(pod *core.Pod) bool {
		return groupKeyOf(pod) == group
	})
}

// WatchMembers is WatchGang for pods that do not name a group.
func (r *Recorder) WatchMembers(namespace, name string, minMember int,
	isMember func(*core.Pod) bool) {
	gang := &gangWatch{minMember: minMember, isMember: func(pod *core.Pod) bool {
		return pod.Namespace == namespace && isMember(pod)
	}}
	r.change(func() { r.watched[namespace+"/"+name] = gang })
}

// LongestInPart is the longest time for which 0 < bound < minMember held; it ends the measuring.
func (r *Recorder) LongestInPart(namespace, name string) time.Duration {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	gang := r.watched[namespace+"/"+name]
	if gang == nil {
		return 0
	}
	delete(r.watched, namespace+"/"+name)
	if gang.since.IsZero() {
		return gang.longest
	}
	return max(gang.longest, time.Since(gang.since))
}

// PodsOf are the pods of a namespace that satisfy the condition, by name.
func (r *Recorder) PodsOf(namespace string, condition func(*core.Pod) bool) []*core.Pod {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	var found []*core.Pod
	for _, pod := range r.pods {
		if pod.Namespace == namespace && condition(pod) {
			found = append(found, pod)
		}
	}
	slices.SortFunc(found, func(a, b *core.Pod) int { return strings.Compare(a.Name, b.Name) })
	return found
}

// Group is a PodGroup as last seen, or nil.
func (r *Recorder) Group(namespace, name string) *unstructured.Unstructured {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return r.groups[namespace+"/"+name]
}

// GroupsOf are the PodGroups that the object owns, by name.
func (r *Recorder) GroupsOf(owner meta.Object) []*unstructured.Unstructured {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	var found []*unstructured.Unstructured
	for _, group := range r.groups {
		for _, reference := range group.GetOwnerReferences() {
			if reference.UID == owner.GetUID() {
				found = append(found, group)
			}
		}
	}
	slices.SortFunc(found, func(a, b *unstructured.Unstructured) int {
		return strings.Compare(a.GetName(), b.GetName())
	})
	return found
}

// GroupsIn are the PodGroups of a namespace.
func (r *Recorder) GroupsIn(namespace string) []*unstructured.Unstructured {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	var found []*unstructured.Unstructured
	for _, group := range r.groups {
		if group.GetNamespace() == namespace {
			found = append(found, group)
		}
	}
	return found
}

// History of a namespace's pods, oldest first.
func (r *Recorder) History(namespace string) []Moment {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	var found []Moment
	for _, moment := range r.history {
		if strings.HasPrefix(moment.Key, namespace+"/") {
			found = append(found, moment)
		}
	}
	return found
}

// Count is how often pods of a namespace were "created", "nominated", "ungated", "bound" and so on.
func (r *Recorder) Count(namespace, word string) int {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return r.counts[namespace+"/"+word]
}

// Forget drops the history of a namespace's pods.
func (r *Recorder) Forget(namespace string) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.history = slices.DeleteFunc(r.history, func(moment Moment) bool {
		return strings.HasPrefix(moment.Key, namespace+"/")
	})
}

// Await returns nil as soon as the condition does; it is asked at each change seen, and now and
// then. Its last error is the answer when the time is over.
func (r *Recorder) Await(ctx context.Context, within time.Duration, condition func() error) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	ticker := time.NewTicker(200 * time.Millisecond)
	defer ticker.Stop()
	for {
		r.mutex.Lock()
		changed := r.changed
		r.mutex.Unlock()
		err := condition()
		if err == nil {
			return nil
		}
		select {
		case <-changed:
		case <-ticker.C:
		case <-ctx.Done():
			return fmt.Errorf("not within %v: %w", within, err)
		}
	}
}
