package harness

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/cache"
)

// mirror follows one kind of object: it lists and watches until the context ends, and is back soon
// after the API server is, where client-go's informers would wait for half a minute. `set` and
// `gone` are called by one goroutine, for each change.
type mirror struct {
	set    func(key string, object runtime.Object)
	gone   func(key string)
	keys   map[string]bool
	synced chan struct{} // closed after the first list
}

func startMirror(ctx context.Context, source *cache.ListWatch, example runtime.Object,
	set func(string, runtime.Object), gone func(string)) *mirror {
	m := &mirror{set: set, gone: gone, keys: map[string]bool{}, synced: make(chan struct{})}
	reflector := cache.NewReflectorWithOptions(source, example, m, cache.ReflectorOptions{
		Backoff: &wait.Backoff{Duration: 50 * time.Millisecond, Cap: time.Second, Steps: 1000,
			Factor: 2},
	})
	go reflector.RunWithContext(ctx)
	return m
}

func (m *mirror) put(object any) string {
	key, _ := cache.MetaNamespaceKeyFunc(object)
	m.keys[key] = true
	m.set(key, object.(runtime.Object))
	return key
}

func (m *mirror) Add(object any) error    { m.put(object); return nil }
func (m *mirror) Update(object any) error { m.put(object); return nil }
func (m *mirror) Resync() error           { return nil }

func (m *mirror) Delete(object any) error {
	key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(object)
	m.drop(key)
	return err
}

func (m *mirror) drop(key string) {
	delete(m.keys, key)
	m.gone(key)
}

// Replace is a list: what is not in it has gone unseen.
func (m *mirror) Replace(objects []any, _ string) error {
	listed := map[string]bool{}
	for _, object := range objects {
		listed[m.put(object)] = true
	}
	for key := range m.keys {
		if !listed[key] {
			m.drop(key)
		}
	}
	select {
	case <-m.synced:
	default:
		close(m.synced)
	}
	return nil
}
