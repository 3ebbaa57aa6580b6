package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
)

// fieldsOf writes the fields of these types and of all types in them: a line for each type, with the
// type of each field that has fields of its own. Long lines go on in indented ones.
func fieldsOf(types ...reflect.Type) string {
	const most = 98
	seen := map[string]string{}
	for len(types) > 0 {
		next := types[0]
		types = types[1:]
		if _, known := seen[next.Name()]; known {
			continue
		}
		line := next.Name() + ":"
		seen[next.Name()] = line
		var words []string
		for _, field := range fieldsIn(next) {
			word, inner := field.name, field.of
			if inner != nil {
				word += ":" + inner.Name()
				types = append(types, inner)
			}
			words = append(words, word)
		}
		slices.Sort(words)
		width := len(line)
		for _, word := range words {
			if width+1+len(word) > most {
				line += "\n "
				width = 1
			}
			line += " " + word
			width += 1 + len(word)
		}
		seen[next.Name()] = line
	}
	var text strings.Builder
	names := make([]string, 0, len(seen))
	for name := range seen {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		text.WriteString(seen[name] + "\n")
	}
	return text.String()
}

type jsonField struct {
	name string
	of   reflect.Type // nil: a scalar, or of any form
}

func fieldsIn(of reflect.Type) []jsonField {
	var fields []jsonField
	for i := range of.NumField() {
		field := of.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" && field.Anonymous {
			fields = append(fields, fieldsIn(field.Type)...)
			continue
		}
		fields = append(fields, jsonField{name, typeWithFields(field.Type)})
	}
	return fields
}

// typeWithFields is the type of the elements of a list, or nil for what is no object. The status is
// not what a user writes.
func typeWithFields(of reflect.Type) reflect.Type {
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
		of = of.Elem()
	}
	isText := reflect.PointerTo(of).Implements(reflect.TypeFor[interface {
		UnmarshalJSON([]byte) error
	}]())
	if of.Kind() != reflect.Struct || isText || strings.HasSuffix(of.Name(), "Status") {
		return nil
	}
	return of
}

func TestTheKnownFieldsOfPodsAreThoseOfKubernetes(t *testing.T) {
	const file = "../../src/kube/pod_fields.cpp"
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(source), "R\"(\n")
	written, _, _ := strings.Cut(rest, ")\"")
	expected := fieldsOf(reflect.TypeFor[corev1.Pod](), reflect.TypeFor[batchv1.Job](),
		reflect.TypeFor[batchv1.JobTemplateSpec](), reflect.TypeFor[appsv1.StatefulSet]())
	if written != expected {
		t.Error(fmt.Sprintf("%s has other fields than k8s.io/api; expected:\n%s", file, expected))
	}
}

// The numbers and names of the fields of a message in a file of definitions, and the numbers that are
// reserved there.
func definitionOf(t *testing.T, text, message string) (map[int]string, map[int]bool) {
	t.Helper()
	text = regexp.MustCompile(`//.*`).ReplaceAllString(text, "")
	found := regexp.MustCompile(`\nmessage ` + message + ` \{([^}]*)\}`).FindStringSubmatch(text)
	if found == nil {
		return nil, nil
	}
	fields, reserved := map[int]string{}, map[int]bool{}
	body := found[1]
	field := regexp.MustCompile(`(\w+) = (\d+);`)
	for _, each := range field.FindAllStringSubmatch(body, -1) {
		number, _ := strconv.Atoi(each[2])
		fields[number] = each[1]
	}
	span := regexp.MustCompile(`(\d+)(?: to (\d+))?`)
	for _, line := range regexp.MustCompile(`reserved [^;]*;`).FindAllString(body, -1) {
		for _, each := range span.FindAllStringSubmatch(line, -1) {
			first, _ := strconv.Atoi(each[1])
			last, err := strconv.Atoi(each[2])
			if err != nil {
				last = first
			}
			for number := first; number <= last; number++ {
				reserved[number] = true
			}
		}
	}
	return fields, reserved
}

// API-36: each field of our copy has the number that Kubernetes gave it, and the copy knows each
// field of a pod's spec.
func TestTheCopyOfKubernetesDefinitionsIsRight(t *testing.T) {
	read := func(file string) string {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	directoryOf := func(module string) string {
		directory, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(directory))
	}
	machinery := directoryOf("k8s.io/apimachinery")
	theirs := read(directoryOf("k8s.io/api")+"/core/v1/generated.proto") +
		read(machinery+"/pkg/apis/meta/v1/generated.proto") +
		read(machinery+"/pkg/api/resource/generated.proto")
	ours := read("../../src/protobuf/objects.proto")
	messages := regexp.MustCompile(`\nmessage (\w+) \{`).FindAllStringSubmatch(ours, -1)
	if len(messages) < 30 {
		t.Fatalf("only %d messages were found", len(messages))
	}
	for _, each := range messages {
		name := each[1]
		expected, _ := definitionOf(t, theirs, name)
		actual, reserved := definitionOf(t, ours, name)
		if expected == nil && len(actual) > 0 {
			t.Errorf("Kubernetes has no message %s", name)
		}
		for number, field := range actual {
			if expected[number] != field {
				t.Errorf("%s.%s has number %d, which is %q in Kubernetes", name, field, number,
					expected[number])
			}
		}
		for number, field := range expected {
			if name == "PodSpec" && actual[number] == "" && !reserved[number] {
				t.Errorf("the copy does not know PodSpec.%s, number %d", field, number)
			}
		}
	}
}
