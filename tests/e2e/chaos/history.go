package chaos

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	etcd "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
)

// registry is where the API server keeps its objects.
const (
	registry = "/registry/"
	podsAt   = registry + "pods/"
	nodesAt  = registry + "minions/"
	groupsAt = registry + "scheduling.volcano.sh/podgroups/"
)

// change is one write of the API server. Of its objects at most one is set: none if the object at
// the key was deleted.
type change struct {
	revision int64
	key      string // the kind's prefix is cut off
	kind     string // podsAt, nodesAt or groupsAt; empty: one that no law needs
	resource string // such as pods
	pod      *core.Pod
	node     *core.Node
	group    *podGroup
}

// podGroup is what the laws need of one.
type podGroup struct {
	Status struct {
		Phase      string
		Conditions []struct {
			Type, Status, Reason, Message string
			LastTransitionTime            meta.Time
		}
	}
}

// history follows what the API server has written, in the order in which it was written, from etcd
// itself. So nothing is missed while the API server is frozen or away: etcd keeps what was written,
// the client goes on after the last revision that it has seen, and only what was seen is compacted.
type history struct {
	client *etcd.Client
	next   int64 // the first revision that was not seen
}

func openHistory(ctx context.Context, url string) (*history, error) {
	client, err := etcd.New(etcd.Config{Endpoints: []string{url}, Logger: zap.NewNop(),
		Context: ctx, MaxCallRecvMsgSize: 64 << 20})
	if err != nil {
		return nil, err
	}
	answer, err := client.Get(ctx, registry, etcd.WithPrefix(), etcd.WithCountOnly())
	if err != nil {
		return nil, err
	}
	return &history{client: client, next: answer.Header.Revision + 1}, nil
}

// follow tells each change until the context ends. An error says that changes were missed.
func (h *history) follow(ctx context.Context, tell func(change), seen func(int64)) error {
	for ctx.Err() == nil {
		watched, cancel := context.WithCancel(ctx)
		for answer := range h.client.Watch(watched, registry, etcd.WithPrefix(),
			etcd.WithRev(h.next)) {
			if answer.CompactRevision != 0 {
				cancel()
				return fmt.Errorf("changes up to revision %d were missed from %d on",
					answer.CompactRevision, h.next)
			}
			for _, event := range answer.Events {
				h.next = max(h.next, event.Kv.ModRevision+1)
				made, err := changeOf(event)
				if err != nil {
					cancel()
					return err
				}
				tell(made)
			}
			seen(h.next - 1)
		}
		cancel()
		select { // the watch was given up: it goes on after what was seen
		case <-ctx.Done():
		case <-time.After(200 * time.Millisecond):
		}
	}
	return nil
}

func changeOf(event *etcd.Event) (change, error) {
	key := string(event.Kv.Key)
	made := change{revision: event.Kv.ModRevision, resource: resourceOf(key)}
	for _, kind := range []string{podsAt, nodesAt, groupsAt} {
		if name, is := strings.CutPrefix(key, kind); is {
			made.kind, made.key = kind, name
		}
	}
	if made.kind == "" || event.Type == etcd.EventTypeDelete {
		return made, nil
	}
	if made.kind == groupsAt {
		made.group = &podGroup{}
		return made, json.Unmarshal(event.Kv.Value, made.group)
	}
	object, _, err := scheme.Codecs.UniversalDeserializer().Decode(event.Kv.Value, nil, nil)
	if err != nil {
		return made, fmt.Errorf("%s: %w", key, err)
	}
	switch typed := object.(type) {
	case *core.Pod:
		made.pod = typed
	case *core.Node:
		made.node = typed
	default:
		return made, fmt.Errorf("%s is a %T", key, object)
	}
	return made, nil
}

// resourceOf is what the API server keeps at a key: /registry/pods/... or, of kinds that are defined
// by objects, /registry/GROUP/podgroups/...
func resourceOf(key string) string {
	parts := strings.Split(strings.TrimPrefix(key, registry), "/")
	if len(parts) > 1 && strings.Contains(parts[0], ".") {
		return parts[1]
	}
	return parts[0]
}

// compact forgets what is older than the revision.
func (h *history) compact(ctx context.Context, revision int64) error {
	_, err := h.client.Compact(ctx, revision)
	return err
}
