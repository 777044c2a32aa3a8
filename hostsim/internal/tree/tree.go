// Package tree reads YAML and JSON whose shape is not known: a configuration is a tree of map[string]any, []any, string, float64, bool and nil.
package tree

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// Member goes down by names; nil where there is none.
func Member(tree any, names ...string) any {
	for _, name := range names {
		m, ok := tree.(map[string]any)
		if !ok {
			return nil
		}
		tree = m[name]
	}
	return tree
}

// Str is the text at names; "" where there is none.
func Str(tree any, names ...string) string {
	s, _ := Member(tree, names...).(string)
	return s
}

// Items is the list at names; nil where there is none.
func Items(tree any, names ...string) []any {
	list, _ := Member(tree, names...).([]any)
	return list
}

// Number reads a number, also as proto JSON writes it: in quotes. 0: there is none.
func Number(tree any, names ...string) float64 {
	switch v := Member(tree, names...).(type) {
	case float64:
		return v
	case string:
		n, _ := json.Number(v).Float64()
		return n
	}
	return 0
}

// Walk visits every map of a tree, with its place, in the order of names. visit returns whether to go on below it.
func Walk(tree any, place string, visit func(place string, m map[string]any) bool) {
	switch v := tree.(type) {
	case map[string]any:
		if !visit(place, v) {
			return
		}
		names := make([]string, 0, len(v))
		for name := range v {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			Walk(v[name], strings.TrimPrefix(place+"."+name, "."), visit)
		}
	case []any:
		for i, item := range v {
			Walk(item, fmt.Sprintf("%s[%d]", place, i), visit)
		}
	}
}

// Typed says whether a map is a message of a type, by the end of its @type.
func Typed(m map[string]any, name string) bool {
	t, _ := m["@type"].(string)
	return strings.HasSuffix(t, name)
}

// Documents reads the documents of a YAML or JSON text.
func Documents(text []byte) ([]any, error) {
	var out []any
	var before []byte // a break for each line before the part, so that an error's line is that of the text
	for _, part := range bytes.Split(append([]byte("\n"), text...), []byte("\n---")) {
		lines := bytes.Count(part, []byte("\n"))
		if before == nil {
			part, lines = bytes.TrimPrefix(part, []byte("\n")), lines-1
		}
		whole := append(bytes.Clone(before), part...)
		before = bytes.Repeat([]byte("\n"), len(before)+lines+1)
		if len(bytes.TrimSpace(part)) == 0 {
			continue
		}
		var tree any
		if err := yaml.UnmarshalStrict(whole, &tree); err != nil {
			return nil, fmt.Errorf("document %d: %w", len(out)+1, err)
		}
		if tree != nil {
			out = append(out, tree)
		}
	}
	return out, nil
}
