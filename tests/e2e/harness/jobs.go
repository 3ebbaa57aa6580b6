package harness

import (
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
)

// JobBuilder words a Job of managed pods of 1 cpu; every method returns the builder.
type JobBuilder struct{ job *batch.Job }

// NewJob is a Job that wants so many pods, all at once, on this test's nodes.
func (e *Env) NewJob(name string, count int32) JobBuilder {
	pod := NewPod(e.Namespace, "").Finishes().Pool(e.Namespace).Build()
	return JobBuilder{&batch.Job{
		ObjectMeta: meta.ObjectMeta{Namespace: e.Namespace, Name: name,
			Annotations: map[string]string{}, Labels: map[string]string{}},
		Spec: batch.JobSpec{Parallelism: &count, Completions: &count,
			Template: core.PodTemplateSpec{ObjectMeta: pod.ObjectMeta, Spec: pod.Spec}},
	}}
}

// Gang has its pods start together: a number, or all.
func (b JobBuilder) Gang(number string) JobBuilder { return b.Annotate(GangAnnotation, number) }

// Annotate sets an annotation of the Job.
func (b JobBuilder) Annotate(key, value string) JobBuilder {
	b.job.Annotations[key] = value
	return b
}

// Label sets a label of the Job.
func (b JobBuilder) Label(key, value string) JobBuilder {
	b.job.Labels[key] = value
	return b
}

// Pods words its pods.
func (b JobBuilder) Pods(word func(PodBuilder) PodBuilder) JobBuilder {
	pod := &core.Pod{ObjectMeta: b.job.Spec.Template.ObjectMeta, Spec: b.job.Spec.Template.Spec}
	pod = word(PodBuilder{pod}).Build()
	b.job.Spec.Template.ObjectMeta, b.job.Spec.Template.Spec = pod.ObjectMeta, pod.Spec
	return b
}

// Completes sets how many pods are to succeed in all.
func (b JobBuilder) Completes(count int32) JobBuilder {
	b.job.Spec.Completions = &count
	return b
}

// Suspended has no pods made yet.
func (b JobBuilder) Suspended() JobBuilder {
	b.job.Spec.Suspend = new(true)
	return b
}

// Deadline sets activeDeadlineSeconds of the Job, not of its pods.
func (b JobBuilder) Deadline(seconds int64) JobBuilder {
	b.job.Spec.ActiveDeadlineSeconds = &seconds
	return b
}

// Build is a Job to create.
func (b JobBuilder) Build() *batch.Job { return b.job.DeepCopy() }

// CreateJob makes a Job, which goes before the test ends, with its pods. It is returned as made.
func (e *Env) CreateJob(job *batch.Job) *unstructured.Unstructured {
	e.Helper()
	jobs := e.Client.BatchV1().Jobs(e.Namespace)
	made, err := jobs.Create(e.Context, job, meta.CreateOptions{})
	e.Must(err)
	e.Cleanup(func() {
		background := meta.DeletePropagationBackground
		err := jobs.Delete(e.Context, job.Name, meta.DeleteOptions{PropagationPolicy: &background})
		if !errors.IsNotFound(err) {
			e.Must(err)
		}
	})
	made.SetGroupVersionKind(batch.SchemeGroupVersion.WithKind("Job"))
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(made)
	e.Must(err)
	return &unstructured.Unstructured{Object: content}
}

// PatchJob merges a patch into a Job.
func (e *Env) PatchJob(name, patch string) {
	e.Helper()
	_, err := e.Client.BatchV1().Jobs(e.Namespace).Patch(e.Context, name, types.MergePatchType,
		[]byte(patch), meta.PatchOptions{})
	e.Must(err)
}

// Finish has pods of this test succeed, as kubelets report it.
func (e *Env) Finish(isMeant func(*core.Pod) bool) {
	e.Helper()
	pods := e.Pods(func(pod *core.Pod) bool {
		return pod.Status.Phase == core.PodRunning && isMeant(pod)
	})
	e.Must(InParallel(len(pods), func(i int) error {
		_, err := e.Client.CoreV1().Pods(e.Namespace).Patch(e.Context, pods[i].Name,
			types.StrategicMergePatchType, []byte(succeeded), meta.PatchOptions{}, "status")
		return err
	}))
}
