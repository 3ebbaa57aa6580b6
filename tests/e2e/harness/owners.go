package harness

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
)

// GangAnnotation has pods of one owner start together.
const GangAnnotation = "berth.dev/gang"

// Fixture is the path of a file of tests/e2e/fixtures.
func Fixture(parts ...string) string {
	return filepath.Join(append([]string{Repository(), "tests", "e2e", "fixtures"}, parts...)...)
}

// installOwners installs the definitions of those who own pods, and stops a berthd that has not
// seen them.
func (c *Cluster) installOwners(ctx context.Context) error {
	if c.hasOwners {
		return nil
	}
	text, err := os.ReadFile(Fixture("definitions", "owners.yaml"))
	if err != nil {
		return err
	}
	objects, err := Manifests(text)
	if err != nil {
		return err
	}
	if err := c.StopBerth(); err != nil {
		return err
	}
	if err := c.Apply(ctx, objects); err != nil {
		return err
	}
	c.hasOwners = true
	return c.AwaitAnswer(ctx, func(ctx context.Context) error {
		mapper := c.kinds()
		for _, object := range objects {
			if object.GetKind() != "CustomResourceDefinition" {
				continue
			}
			group, _, _ := unstructured.NestedString(object.Object, "spec", "group")
			kind, _, _ := unstructured.NestedString(object.Object, "spec", "names", "kind")
			mapping, err := mapper.RESTMapping(schema.GroupKind{Group: group, Kind: kind})
			if err != nil {
				return err
			}
			_, err = c.Dynamic.Resource(mapping.Resource).List(ctx, meta.ListOptions{Limit: 1})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Script is a file of objects that a test creates step by step, as their controllers do. A line
// "# then: ..." ends a step. "uid-of:KIND/NAME" stands for the uid of an object that was created
// before.
type Script struct {
	env    *Env
	mapper apimeta.RESTMapper
	steps  []string
	made   []*unstructured.Unstructured
}

var (
	endOfStep = regexp.MustCompile(`(?m)^# then: .*$`)
	endOfText = regexp.MustCompile(`(?m)^---$`)
	uidOf     = regexp.MustCompile(`uid-of:([A-Za-z]+/[a-z0-9.-]+)`)
)

// Script reads a file. Whatever it creates goes before the test ends.
func (e *Env) Script(path string) *Script {
	e.Helper()
	text, err := os.ReadFile(path)
	e.Must(err)
	s := &Script{env: e, mapper: e.kinds(), steps: endOfStep.Split(string(text), -1)}
	e.Cleanup(func() { e.Must(s.Delete()) })
	return s
}

// Change replaces a text that occurs once in the steps to come.
func (s *Script) Change(old, new string) {
	s.env.Helper()
	if strings.Count(strings.Join(s.steps, ""), old) != 1 {
		s.env.Fatalf("%q does not occur once", old)
	}
	for i := range s.steps {
		s.steps[i] = strings.Replace(s.steps[i], old, new, 1)
	}
}

// Next creates the objects of the next step, on this test's nodes, and tells whether there was one.
func (s *Script) Next() bool {
	s.env.Helper()
	if len(s.steps) == 0 {
		return false
	}
	step := s.steps[0]
	s.steps = s.steps[1:]
	for _, text := range endOfText.Split(step, -1) {
		objects, err := Manifests([]byte(s.fillIn(text)))
		s.env.Must(err)
		for _, object := range objects {
			s.create(object)
		}
	}
	return true
}

func (s *Script) fillIn(text string) string {
	return uidOf.ReplaceAllStringFunc(text, func(reference string) string {
		kind, name, _ := strings.Cut(strings.TrimPrefix(reference, "uid-of:"), "/")
		return string(s.Made(kind, name).GetUID())
	})
}

// Made is an object that was created.
func (s *Script) Made(kind, name string) *unstructured.Unstructured {
	s.env.Helper()
	for _, object := range s.made {
		if object.GetKind() == kind && object.GetName() == name {
			return object
		}
	}
	s.env.Fatalf("no %s %q has been created", kind, name)
	return nil
}

func (s *Script) create(object *unstructured.Unstructured) {
	s.env.Helper()
	object.SetNamespace(s.env.Namespace)
	pod := []string{"spec"}
	switch object.GetKind() {
	case "Job", "StatefulSet", "Deployment":
		pod = []string{"spec", "template", "spec"}
	case "Pod":
	default:
		pod = nil
	}
	if pod != nil {
		s.env.Must(unstructured.SetNestedStringMap(object.Object,
			map[string]string{PoolLabel: s.env.Namespace}, append(pod, "nodeSelector")...))
	}
	validation := meta.FieldValidationStrict
	if s.env.Minor < 34 {
		validation = meta.FieldValidationIgnore // operators send fields that it does not know
	}
	made, err := s.resource(object).Create(s.env.Context, object,
		meta.CreateOptions{FieldValidation: validation})
	if err != nil {
		s.env.Fatalf("create %s %q: %v", object.GetKind(), object.GetName(), err)
	}
	s.made = append(s.made, made)
}

func (s *Script) resource(object *unstructured.Unstructured) dynamic.ResourceInterface {
	s.env.Helper()
	kind := object.GroupVersionKind()
	mapping, err := s.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	s.env.Must(err)
	return s.env.Dynamic.Resource(mapping.Resource).Namespace(s.env.Namespace)
}

// Patch merges a patch into an object that was created.
func (s *Script) Patch(kind, name, patch string) {
	s.env.Helper()
	_, err := s.resource(s.Made(kind, name)).Patch(s.env.Context, name, types.MergePatchType,
		[]byte(patch), meta.PatchOptions{})
	s.env.Must(err)
}

// Delete deletes what nothing of the script owns, as `kubectl delete` does, and waits until the
// garbage collector has deleted all the rest.
func (s *Script) Delete() error {
	background := meta.DeletePropagationBackground
	for _, object := range s.made {
		if len(object.GetOwnerReferences()) > 0 {
			continue
		}
		err := s.resource(object).Delete(s.env.Context, object.GetName(),
			meta.DeleteOptions{PropagationPolicy: &background})
		if err != nil && !errors.IsNotFound(err) {
			return err
		}
	}
	return s.env.Recorder.Await(s.env.Context, Soon, func() error {
		for _, object := range s.made {
			found, err := s.resource(object).Get(s.env.Context, object.GetName(), meta.GetOptions{})
			if err == nil && found.GetUID() == object.GetUID() {
				return fmt.Errorf("%s %q is still there", object.GetKind(), object.GetName())
			}
			if err != nil && !errors.IsNotFound(err) {
				return err
			}
		}
		return nil
	})
}

// named tells whether the name of a pod begins with the text.
func named(prefix string) func(*core.Pod) bool {
	return func(pod *core.Pod) bool { return strings.HasPrefix(pod.Name, prefix) }
}

// WatchOwned begins to measure for how long a gang is bound in part, whose members are known by
// how their names begin. AssertNeverInPart knows it by that.
func (e *Env) WatchOwned(prefix string, minMember int) {
	e.Recorder.WatchMembers(e.Namespace, prefix, minMember, named(prefix))
}

// AwaitNamed waits until exactly so many pods whose names match the regular expression run.
func (e *Env) AwaitNamed(pattern string, count int) {
	e.Helper()
	is := regexp.MustCompile("^(" + pattern + ")$")
	e.AwaitPods(Soon, count, fmt.Sprintf("%q run", pattern), func(pod *core.Pod) bool {
		return is.MatchString(pod.Name) && pod.Status.Phase == core.PodRunning
	})
}

// AwaitGroupsOf waits until berthd has made so many PodGroups for an owner, each with that minimum,
// and names them.
func (e *Env) AwaitGroupsOf(owner *unstructured.Unstructured, count, minMember int) []string {
	e.Helper()
	var names []string
	e.Await(Soon, func() error {
		groups := e.Recorder.GroupsOf(owner)
		if len(groups) != count {
			return fmt.Errorf("%s %q owns %d PodGroups, expected %d", owner.GetKind(),
				owner.GetName(), len(groups), count)
		}
		names = nil
		for _, group := range groups {
			names = append(names, group.GetName())
			found, _, _ := unstructured.NestedInt64(group.Object, "spec", "minMember")
			if int(found) != minMember {
				return fmt.Errorf("minMember of PodGroup %q is %d, expected %d", group.GetName(), found,
					minMember)
			}
			reference := group.GetOwnerReferences()[0]
			if reference.Kind != owner.GetKind() || reference.Name != owner.GetName() ||
				reference.APIVersion != owner.GetAPIVersion() {
				return fmt.Errorf("PodGroup %q names its owner as %+v", group.GetName(), reference)
			}
		}
		return nil
	})
	return names
}
