package main

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/e2e/harness"
)

type gang struct {
	name string
	size int
}

// gangsOf says what a workload consists of; the gangs of single pods have one member.
func gangsOf(workload string) (gangs []gang, single bool, err error) {
	percent := 100
	if before, after, scaled := strings.Cut(workload, "x"); scaled {
		if percent, err = strconv.Atoi(before); err != nil {
			return nil, false, err
		}
		if percent <= 0 {
			return nil, false, fmt.Errorf("%d percent of a workload, expected more than 0", percent)
		}
		workload = after
	}
	add := func(size int) {
		gangs = append(gangs, gang{fmt.Sprintf("g%04d", len(gangs)), size})
	}
	switch workload {
	case "W1":
		add(10 * percent)
	case "W2":
		for range max(1, percent/2) {
			add(20)
		}
	case "W3":
		for range 10 * percent {
			add(1)
		}
		return gangs, true, nil
	case "W4":
		random := rand.New(rand.NewPCG(4, 4))
		for left := 40 * percent; left > 0; {
			size := min(left, 16+random.IntN(113))
			add(size)
			left -= size
		}
	default:
		return nil, false, fmt.Errorf("no workload %q, expected W1 to W4", workload)
	}
	return gangs, false, nil
}

// run is the pods of one measurement.
type run struct {
	variant *variant
	space   string
	gangs   []gang
	single  bool
	grouped bool // the groups are created
	pods    []*core.Pod
}

func (d *driver) newRun(v *variant, gangs []gang, single bool) (*run, error) {
	d.spaces++
	r := &run{variant: v, space: fmt.Sprintf("peers-%d", d.spaces), gangs: gangs, single: single}
	_, err := d.Client.CoreV1().Namespaces().Create(d.ctx,
		&core.Namespace{ObjectMeta: meta.ObjectMeta{Name: r.space}}, meta.CreateOptions{})
	for _, each := range gangs {
		for i := range each.size {
			pod := harness.NewPod(r.space, fmt.Sprintf("%s-%04d", each.name, i)).
				Scheduler(v.scheduler).Build()
			if v.join != nil && (!single || v.groupsSingles) {
				v.join(pod, each.name)
			}
			r.pods = append(r.pods, pod)
		}
	}
	return r, err
}
