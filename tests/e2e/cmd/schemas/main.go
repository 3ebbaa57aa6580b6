// Command schemas writes fixtures/schemas.txt: the fields of the kinds that the chart makes, and the
// minor versions of Kubernetes that have them. It reads the schemas in client-go, one for each minor
// version in ascending order:
//
//	go run ./cmd/schemas $(go list -m -f '{{.Dir}}' k8s.io/client-go@v0.27.16) ... > fixtures/schemas.txt
package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"berth.dev/berth/tests/e2e/schemas"
)

// roots are the kinds, without the package io.k8s.api.
var roots = []string{
	"apps.v1.Deployment", "policy.v1.PodDisruptionBudget", "networking.v1.NetworkPolicy",
	"core.v1.ConfigMap", "core.v1.Service", "core.v1.ServiceAccount", "core.v1.ResourceQuota",
	"rbac.v1.ClusterRole", "rbac.v1.ClusterRoleBinding", "rbac.v1.Role", "rbac.v1.RoleBinding",
	"flowcontrol.v1.FlowSchema", "flowcontrol.v1beta3.FlowSchema",
	"admissionregistration.v1.ValidatingAdmissionPolicy",
	"admissionregistration.v1.ValidatingAdmissionPolicyBinding",
	"admissionregistration.v1.MutatingAdmissionPolicy",
	"admissionregistration.v1.MutatingAdmissionPolicyBinding",
	"admissionregistration.v1beta1.MutatingAdmissionPolicy",
	"admissionregistration.v1beta1.MutatingAdmissionPolicyBinding",
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "schemas:", err)
		os.Exit(1)
	}
}

var minorOf = regexp.MustCompile(`client-go@v0\.(\d+)\.`)

func run(directories []string) error {
	set := &schemas.Set{Types: map[string]*schemas.Type{}}
	for _, directory := range directories {
		match := minorOf.FindStringSubmatch(directory)
		if match == nil {
			return fmt.Errorf("%s is no directory of client-go@v0.MINOR.PATCH", directory)
		}
		minor, _ := strconv.Atoi(match[1])
		if set.First == 0 {
			set.First = minor
		} else if minor != set.Newest+1 {
			return fmt.Errorf("1.%d follows 1.%d, expected each minor version once, in order", minor,
				set.Newest)
		}
		set.Newest = minor
		if err := add(set, directory, minor); err != nil {
			return fmt.Errorf("%s: %w", directory, err)
		}
	}
	fmt.Println("# Fields of Kubernetes' API, made by cmd/schemas. TYPE [FIRST NEWEST] are minor versions.")
	return set.Write(os.Stdout, slices.Sorted(maps.Keys(set.Types)))
}

func add(set *schemas.Set, directory string, minor int) error {
	text, err := os.ReadFile(filepath.Join(directory, "applyconfigurations", "internal", "internal.go"))
	if err != nil {
		return err
	}
	_, rest, _ := strings.Cut(string(text), "`")
	document, _, found := strings.Cut(rest, "`")
	if !found {
		return fmt.Errorf("internal.go holds no schema")
	}
	parser, err := typed.NewParser(typed.YAMLObject(document))
	if err != nil {
		return err
	}
	types := map[string]schema.TypeDef{}
	for _, each := range parser.Schema.Types {
		types[each.Name] = each
	}
	seen := map[string]bool{}
	for _, root := range roots {
		addType(set, types, seen, "io.k8s.api."+root, minor)
	}
	return nil
}

func addType(set *schemas.Set, types map[string]schema.TypeDef, seen map[string]bool, name string,
	minor int) {
	read, found := types[name]
	if !found || seen[name] {
		return
	}
	seen[name] = true
	known := set.Types[name]
	if known == nil {
		known = &schemas.Type{}
		set.Types[name] = known
	}
	isStruct := read.Map != nil && len(read.Map.Fields) > 0
	if !isStruct {
		var inner []string
		known.Alias, inner = nameOf(schema.TypeRef{Inlined: read.Atom})
		for _, each := range inner {
			addType(set, types, seen, each, minor)
		}
		return
	}
	for _, field := range read.Map.Fields {
		if field.Name == "status" {
			continue // a chart writes none
		}
		typeName, inner := nameOf(field.Type)
		addField(known, field.Name, typeName, minor)
		for _, each := range inner {
			addType(set, types, seen, each, minor)
		}
	}
}

// addField extends a field that the version before has as well.
func addField(known *schemas.Type, name, typeName string, minor int) {
	for i, field := range known.Fields {
		if field.Name == name && field.Type == typeName && field.Until == minor-1 {
			known.Fields[i].Until = minor
			return
		}
	}
	known.Fields = append(known.Fields, schemas.Field{Name: name, Type: typeName, Since: minor,
		Until: minor})
}

// nameOf is how schemas.Field writes a type, and the names in it.
func nameOf(reference schema.TypeRef) (string, []string) {
	if reference.NamedType != nil {
		if strings.HasPrefix(*reference.NamedType, "__untyped") {
			return "untyped", nil
		}
		return *reference.NamedType, []string{*reference.NamedType}
	}
	atom := reference.Inlined
	switch {
	case atom.Map != nil && atom.List == nil:
		element, inner := nameOf(atom.Map.ElementType)
		return "{}" + element, inner
	case atom.List != nil && atom.Map == nil:
		element, inner := nameOf(atom.List.ElementType)
		return "[]" + element, inner
	case atom.Scalar != nil && atom.Map == nil:
		return string(*atom.Scalar), nil
	}
	return "untyped", nil
}
