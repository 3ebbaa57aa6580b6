// Package schemas checks objects against the fields that each minor version of Kubernetes has.
package schemas

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Type is one of Kubernetes' API: an alias of another type, or a struct.
type Type struct {
	Alias  string
	Fields []Field
}

// Field is a field of a struct as minor versions Since to Until have it, both included. Its type is a
// name, "[]" and a type, "{}" and a type, or one of string, numeric, boolean and untyped.
type Field struct {
	Name, Type   string
	Since, Until int
}

// Set holds types by name.
type Set struct {
	Types         map[string]*Type
	First, Newest int // minor versions that the set is of
}

// Write prints a set, one line for each type and each field; Read reads that.
func (s *Set) Write(to io.Writer, names []string) error {
	out := bufio.NewWriter(to)
	fmt.Fprintf(out, "versions %d %d\n", s.First, s.Newest)
	for _, name := range names {
		each := s.Types[name]
		if each.Alias != "" {
			fmt.Fprintf(out, "%s = %s\n", name, each.Alias)
			continue
		}
		fmt.Fprintln(out, name)
		for _, field := range each.Fields {
			fmt.Fprintf(out, "  %s %s", field.Name, field.Type)
			if field.Since != s.First || field.Until != s.Newest {
				fmt.Fprintf(out, " %d %d", field.Since, field.Until)
			}
			fmt.Fprintln(out)
		}
	}
	return out.Flush()
}

// Read reads a set. An error names the line.
func Read(from io.Reader) (*Set, error) {
	set := &Set{Types: map[string]*Type{}}
	var last *Type
	scanner := bufio.NewScanner(from)
	for number := 1; scanner.Scan(); number++ {
		line := scanner.Text()
		words := strings.Fields(line)
		var err error
		switch {
		case len(words) == 0 || words[0] == "#":
		case words[0] == "versions" && len(words) == 3:
			set.First, set.Newest, err = numbers(words[1:])
		case strings.HasPrefix(line, "  ") && last != nil && (len(words) == 2 || len(words) == 4):
			field := Field{words[0], words[1], set.First, set.Newest}
			if len(words) == 4 {
				field.Since, field.Until, err = numbers(words[2:])
			}
			last.Fields = append(last.Fields, field)
		case len(words) == 3 && words[1] == "=":
			set.Types[words[0]] = &Type{Alias: words[2]}
		case len(words) == 1:
			last = &Type{}
			set.Types[words[0]] = last
		default:
			err = fmt.Errorf("%q is no type, field or version", line)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
	}
	return set, scanner.Err()
}

func numbers(words []string) (int, int, error) {
	first, err := strconv.Atoi(words[0])
	if err != nil {
		return 0, 0, err
	}
	second, err := strconv.Atoi(words[1])
	return first, second, err
}

// Check returns a line for each thing in the object that 1.minor does not have.
func (s *Set) Check(minor int, typeName string, object any) []string {
	return s.check(minor, typeName, object, "")
}

func (s *Set) check(minor int, typeName string, value any, path string) []string {
	complain := func(expected string) []string {
		return []string{fmt.Sprintf("%s is %v, expected %s", path, value, expected)}
	}
	if value == nil {
		return nil // as if it was left out
	}
	switch typeName {
	case "untyped":
		return nil
	case "string":
		if _, is := value.(string); !is {
			return complain("a string")
		}
		return nil
	case "boolean":
		if _, is := value.(bool); !is {
			return complain("true or false")
		}
		return nil
	case "numeric":
		switch value.(type) {
		case int64, float64:
			return nil
		}
		return complain("a number")
	}
	if element, is := strings.CutPrefix(typeName, "[]"); is {
		return s.checkList(minor, element, value, path)
	}
	if element, is := strings.CutPrefix(typeName, "{}"); is {
		return s.checkMap(minor, element, value, path)
	}
	described := s.Types[typeName]
	if described == nil {
		return []string{fmt.Sprintf("%s: no type %s is known", path, typeName)}
	}
	if described.Alias != "" {
		return s.check(minor, described.Alias, value, path)
	}
	return s.checkFields(minor, described, value, path)
}

func (s *Set) checkList(minor int, element string, value any, path string) []string {
	list, is := value.([]any)
	if !is {
		return []string{fmt.Sprintf("%s is %v, expected a list", path, value)}
	}
	var complaints []string
	for i, each := range list {
		complaints = append(complaints, s.check(minor, element, each, fmt.Sprintf("%s[%d]", path, i))...)
	}
	return complaints
}

func (s *Set) checkMap(minor int, element string, value any, path string) []string {
	entries, is := value.(map[string]any)
	if !is {
		return []string{fmt.Sprintf("%s is %v, expected a map", path, value)}
	}
	var complaints []string
	for key, each := range entries {
		complaints = append(complaints, s.check(minor, element, each, path+"."+key)...)
	}
	return complaints
}

func (s *Set) checkFields(minor int, described *Type, value any, path string) []string {
	entries, is := value.(map[string]any)
	if !is {
		return []string{fmt.Sprintf("%s is %v, expected a map", path, value)}
	}
	var complaints []string
	for key, each := range entries {
		if found := described.field(key, minor); found != nil {
			complaints = append(complaints, s.check(minor, found.Type, each, path+"."+key)...)
		} else {
			complaints = append(complaints, fmt.Sprintf("%s.%s is no field in 1.%d", path, key, minor))
		}
	}
	return complaints
}

func (t *Type) field(name string, minor int) *Field {
	for i, field := range t.Fields {
		if field.Name == name && field.Since <= minor && minor <= field.Until {
			return &t.Fields[i]
		}
	}
	return nil
}
