package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"berth.dev/berth/tests/e2e/harness"
)

// blow is what one fault does to one part.
type blow struct {
	part   string
	freeze bool // else a kill
	lasts  time.Duration
}

func (b blow) String() string {
	word := "kill"
	if b.freeze {
		word = "freeze"
	}
	return fmt.Sprintf("%s %s for %v", word, b.part, b.lasts)
}

// fault is one blow, or two that begin within two seconds.
type fault struct {
	at    time.Duration // since the faults began
	blows []blow
	apart time.Duration // between the blows
}

func (f fault) lasts() time.Duration {
	longest := time.Duration(0)
	for i, each := range f.blows {
		longest = max(longest, time.Duration(i)*f.apart+each.lasts)
	}
	return longest
}

func (f fault) String() string {
	var words []string
	for _, each := range f.blows {
		words = append(words, each.String())
	}
	return fmt.Sprintf("%6.1f s  %s", f.at.Seconds(), strings.Join(words, " and "))
}

// longestFreeze of a part.
const longestFreeze = 40 * time.Second

// planFaults is the same for the same seed, length and parts. A calm follows each fault: mostly of
// seconds, so that one hits the recovery from the other, now and then long enough for law 2.
func planFaults(seed uint64, length time.Duration, parts []string) []fault {
	random := rand.New(rand.NewPCG(seed, 2))
	var planned []fault
	for at := between(random, 1, 5); ; {
		made := fault{at: at, blows: []blow{planBlow(random, parts[random.IntN(len(parts))])}}
		if random.IntN(3) == 0 {
			made.apart = between(random, 0, 2)
			second := planBlow(random, parts[random.IntN(len(parts))])
			if second.part != made.blows[0].part {
				made.blows = append(made.blows, second)
			}
		}
		calm := between(random, 1, 8)
		if random.IntN(3) == 0 {
			calm = between(random, 20, 45)
		}
		if at += made.lasts(); at > length {
			return planned
		}
		planned = append(planned, made)
		at += calm
	}
}

func planBlow(random *rand.Rand, part string) blow {
	if random.IntN(2) == 0 {
		return blow{part: part, lasts: between(random, 0.1, 3)}
	}
	lasts := between(random, 1, 12)
	rare := 4
	if kindOf(part) == "berthd" {
		rare = 2 // longer than its lease
	}
	if random.IntN(rare) == 0 {
		lasts = between(random, 12, longestFreeze.Seconds())
	}
	return blow{part: part, freeze: true, lasts: lasts}
}

func between(random *rand.Rand, from, to float64) time.Duration {
	seconds := from + (to-from)*random.Float64()
	return time.Duration(seconds * float64(time.Second)).Round(100 * time.Millisecond)
}

// strike carries a fault out, and returns when it is over.
func (r *run) strike(f fault) {
	var group sync.WaitGroup
	for i, each := range f.blows {
		group.Add(1)
		go func() {
			defer group.Done()
			time.Sleep(time.Duration(i) * f.apart)
			hit := r.parts[each.part]
			r.say("fault: %v", each)
			if each.freeze {
				r.count("freezes of " + kindOf(each.part))
				hit.freeze()
				time.Sleep(each.lasts)
				hit.thaw()
				return
			}
			r.count("kills of " + kindOf(each.part))
			hit.kill(each.lasts)
			time.Sleep(each.lasts)
		}()
	}
	group.Wait()
	if len(f.blows) > 1 {
		r.count("pairs")
	}
	r.say("fault is over")
}

func kindOf(part string) string {
	return strings.TrimSuffix(strings.TrimSuffix(part, "-a"), "-b")
}

// troubleNodes has nodes lost and cordoned, and etcd compacted, until the context ends; then all
// nodes are back.
func (r *run) troubleNodes(ctx context.Context, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 3))
	var group sync.WaitGroup
	for {
		select {
		case <-ctx.Done():
			group.Wait()
			return
		case <-time.After(between(random, 4, 15)):
		}
		name := nodeName(random.IntN(gangNodes))
		lasts := between(random, 3, 25)
		switch random.IntN(4) {
		case 0:
			r.compact(ctx)
		case 1:
			if r.take(name) {
				group.Go(func() { r.loseNode(ctx, name, lasts) })
			}
		default:
			if r.take(name) {
				group.Go(func() { r.cordon(ctx, name, lasts) })
			}
		}
	}
}

func nodeName(i int) string { return fmt.Sprintf("chaos-n%02d", i) }

// take has no other trouble come to the node; at most three have it at once.
func (r *run) take(name string) bool {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.troubled[name] || len(r.troubled) >= 3 {
		return false
	}
	r.troubled[name] = true
	return true
}

func (r *run) release(name string) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	delete(r.troubled, name)
}

// insist tries until the API server has done it.
func insist(request func(context.Context) error) {
	for {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		err := request(ctx)
		cancel()
		if err == nil {
			return
		}
		time.Sleep(200 * time.Millisecond)
	}
}

func wait(ctx context.Context, lasts time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(lasts):
	}
}

func (r *run) loseNode(ctx context.Context, name string, lasts time.Duration) {
	defer r.release(name)
	r.say("fault: node %s is lost for %v", name, lasts)
	r.count("nodes lost")
	nodes := r.cluster.Client.CoreV1().Nodes()
	isThere := func(wanted bool) bool {
		r.mutex.Lock()
		defer r.mutex.Unlock()
		return (r.world.nodes[name] != nil) == wanted
	}
	r.locked(func() { r.world.setPartsAside(name) })
	insist(func(ctx context.Context) error {
		_ = nodes.Delete(ctx, name, meta.DeleteOptions{})
		if !isThere(false) {
			return fmt.Errorf("node %s is there", name)
		}
		return nil
	})
	r.locked(func() { r.world.lostAt[name] = time.Now(); r.world.setPartsAside(name) })
	wait(ctx, lasts)
	insist(func(context.Context) error { // its pods are gone first
		r.mutex.Lock()
		defer r.mutex.Unlock()
		if here := len(r.world.onNode[name]); here > 0 {
			return fmt.Errorf("%d pods are on node %s", here, name)
		}
		delete(r.world.lostAt, name)
		return nil
	})
	insist(func(ctx context.Context) error {
		_, _ = nodes.Create(ctx, nodeOf(name, space), meta.CreateOptions{})
		if !isThere(true) {
			return fmt.Errorf("node %s is not there", name)
		}
		return nil
	})
}

func (r *run) cordon(ctx context.Context, name string, lasts time.Duration) {
	defer r.release(name)
	r.say("fault: node %s is cordoned for %v", name, lasts)
	r.count("cordons")
	r.locked(func() { r.world.setPartsAside(name) })
	patch := func(value bool) {
		insist(func(ctx context.Context) error {
			_, err := r.cluster.Client.CoreV1().Nodes().Patch(ctx, name, types.MergePatchType,
				fmt.Appendf(nil, `{"spec":{"unschedulable":%t}}`, value), meta.PatchOptions{})
			return err
		})
	}
	patch(true)
	r.locked(func() { r.world.setPartsAside(name) })
	wait(ctx, lasts)
	patch(false)
}

func (r *run) compact(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if err := r.history.compact(ctx, r.seen.Load()); err == nil {
		r.count("compactions")
	}
}

func (r *run) locked(do func()) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	do()
}

var nodeCapacity = harness.Capacity(fmt.Sprint(nodeCores), "64Gi", nodePods, 0)
