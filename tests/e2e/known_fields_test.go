package e2e

import (
	"fmt"
	"os"
	"reflect"
	"slices"
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
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" && strings.Contains(options, "inline") {
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
