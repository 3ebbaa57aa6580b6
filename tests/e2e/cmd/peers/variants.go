package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	core "k8s.io/api/core/v1"
	scheduling "k8s.io/api/scheduling/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"berth.dev/berth/tests/e2e/harness"
)

// variant is a scheduler with all that belongs to it. It runs as its project ships it, but for
// leader election.
type variant struct {
	name      string
	scheduler string       // of the pods
	install   func() error // before the processes
	start     func() error
	stopped   func() error

	processes []*harness.Process // all that cost, in the order of their start
	frozen    []*harness.Process // those that decide and bind
	isFrozen  bool

	groups        []schema.GroupVersionResource // kinds of group
	group         func(space, name string, size int64) *unstructured.Unstructured
	join          func(pod *core.Pod, group string)
	groupsSingles bool // a pod alone needs a group, too
	metrics       func(context.Context) (sessions, error)
}

var makers = map[string]func(*driver) *variant{
	"bare":         newBare,
	"native":       newNative,
	"view":         func(d *driver) *variant { return newBerth(d, harness.ThroughView) },
	"nominate":     func(d *driver) *variant { return newBerth(d, harness.InPlace) },
	"volcano":      newVolcano,
	"coscheduling": newCoscheduling,
}

func (v *variant) signal(signal syscall.Signal) {
	for _, process := range v.frozen {
		_ = syscall.Kill(-process.PID(), signal)
	}
}

func (v *variant) pause() {
	v.signal(syscall.SIGSTOP)
	v.isFrozen = true
}

func (v *variant) resume() {
	if v.isFrozen {
		v.signal(syscall.SIGCONT)
		v.isFrozen = false
	}
}

func (v *variant) stop(d *driver) {
	v.resume()
	for _, process := range v.processes {
		process.Kill()
	}
	if v.stopped != nil {
		if err := v.stopped(); err != nil {
			fmt.Fprintln(os.Stderr, "peers:", err)
		}
	}
	time.Sleep(2 * time.Second)
}

func (v *variant) resetPeaks() {
	for _, process := range v.processes {
		resetPeak(process)
	}
}

func (v *variant) peaks() counts {
	found := counts{}
	for _, process := range v.processes {
		found[process.Name] = peakOf(process)
	}
	return found
}

func (v *variant) sessions(ctx context.Context) sessions {
	if v.metrics == nil {
		return sessions{}
	}
	found, err := v.metrics(ctx)
	if err != nil {
		fmt.Fprintf(os.Stderr, "peers: metrics of %s: %v\n", v.name, err)
	}
	return found
}

func (v *variant) tails() string {
	var all strings.Builder
	for _, process := range v.processes {
		fmt.Fprintf(&all, "---- %s\n%.4000s\n", process.Name, process.Tail(0, 15))
	}
	return all.String()
}

// binaryOf is the path in an environment variable.
func binaryOf(environment string) (string, error) {
	binary := os.Getenv(environment)
	if binary == "" {
		return "", errors.New(environment + " is not set; -help says what it is")
	}
	return binary, nil
}

// prepare makes accounts and definitions of the variants whose binaries are named.
func (d *driver) prepare() error {
	for _, account := range []account{volcanoAccount, coAccount} {
		if err := d.createAccount(account); err != nil {
			return err
		}
	}
	for _, environment := range []string{"VOLCANO_CRDS", "COSCHEDULING_CRDS"} {
		if err := d.applyNewDefinitions(os.Getenv(environment)); err != nil {
			return fmt.Errorf("%s: %w", environment, err)
		}
	}
	return nil
}

// newBare is kube-scheduler with nothing but a limit of requests. It knows no gangs.
func newBare(d *driver) *variant {
	v := &variant{scheduler: core.DefaultSchedulerName}
	v.start = func() error {
		bare, err := d.NewKubeScheduler(harness.SchedulerOptions{Bare: true})
		if err != nil {
			return err
		}
		v.processes = append(v.processes, bare.Process)
		v.frozen = v.processes
		return bare.Start(d.ctx)
	}
	return v
}

// newNative is kube-scheduler with the gangs that Kubernetes 1.37 has behind a feature gate.
func newNative(d *driver) *variant {
	v := newBare(d)
	startBare := v.start
	v.start = func() error {
		defer func(before string) { d.SchedulerGates = before }(d.SchedulerGates)
		d.SchedulerGates = nativeGate + "=true"
		return startBare()
	}
	v.groups = []schema.GroupVersionResource{nativeGroups.WithResource("podgroups")}
	v.group = func(space, name string, size int64) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": nativeGroups.String(), "kind": "PodGroup",
			"metadata": map[string]any{"namespace": space, "name": name},
			"spec": map[string]any{"schedulingPolicy": map[string]any{
				"gang": map[string]any{"minCount": size}}},
		}}
	}
	v.join = func(pod *core.Pod, group string) {
		pod.Spec.SchedulingGroup = &core.PodSchedulingGroup{PodGroupName: &group}
	}
	return v
}

const nativeGate = "GenericWorkload"

var nativeGroups = scheduling.SchemeGroupVersion

// policiesOf are the directories of deploy/admission by mode.
var policiesOf = map[string]string{harness.ThroughView: harness.QueuePolicies,
	harness.InPlace: harness.GateAndMarker}

// newBerth is berthd in a mode, with the kube-scheduler and the policies that this mode needs.
func newBerth(d *driver, mode string) *variant {
	v := &variant{scheduler: harness.SchedulerName,
		groups: []schema.GroupVersionResource{harness.PodGroups}, group: harness.NewPodGroup,
		join: func(pod *core.Pod, group string) { pod.Annotations[harness.GroupAnnotation] = group },
	}
	v.install = func() error { return d.InstallAdmission(d.ctx, policiesOf[mode]) }
	v.start = func() error { return d.startBerth(v, mode) }
	v.stopped = func() error { return d.removePolicies(policiesOf[mode]) }
	v.metrics = func(ctx context.Context) (sessions, error) {
		samples, err := scrape(ctx, "http://"+d.Address+"/metrics")
		return sessions{Count: samples["berth_session_duration_seconds_count"],
			Seconds: samples["berth_session_duration_seconds_sum"]}, err
	}
	return v
}

func (d *driver) startBerth(v *variant, mode string) error {
	binary, err := binaryOf("BERTHD_BINARY")
	if err != nil {
		return err
	}
	berth, err := d.NewBerth(binary, harness.BerthOptions{Mode: mode, Address: d.Address,
		Port: d.ViewPort, AsShipped: true})
	if err != nil {
		return err
	}
	v.processes = append(v.processes, berth.Process)
	if err := berth.Start(d.ctx); err != nil {
		return err
	}
	options := harness.SchedulerOptions{Extender: d.Address, View: berth.View, WithoutLease: true}
	scheduler, err := d.NewKubeScheduler(options)
	if err != nil {
		return err
	}
	v.processes = append(v.processes, scheduler.Process)
	v.frozen = v.processes
	if err := scheduler.Start(d.ctx); err != nil {
		return err
	}
	return berth.AwaitReady(d.ctx)
}

// removePolicies waits until pods stay as they are, so that nobody else pays for policies.
func (d *driver) removePolicies(directory string) error {
	objects, err := d.Admission(directory)
	if err != nil {
		return err
	}
	for _, object := range slices.Backward(objects) {
		if err := d.Remove(d.ctx, object); err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}
	return d.AwaitAdmission(d.ctx, false)
}

func (d *driver) createGroups(v *variant, space string, gangs []gang) error {
	if v.group == nil {
		return nil
	}
	return harness.InParallel(len(gangs), func(i int) error {
		object := v.group(space, gangs[i].name, int64(gangs[i].size))
		_, err := d.Dynamic.Resource(v.groups[0]).Namespace(space).Create(d.ctx, object,
			meta.CreateOptions{})
		if err != nil {
			return fmt.Errorf("create group: %w", err)
		}
		return nil
	})
}
