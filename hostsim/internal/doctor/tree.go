package doctor

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// A configuration is a tree of map[string]any, []any, string, float64, bool and nil.

// member goes down by names; nil where there is none.
func member(tree any, names ...string) any {
	for _, name := range names {
		m, ok := tree.(map[string]any)
		if !ok {
			return nil
		}
		tree = m[name]
	}
	return tree
}

func str(tree any, names ...string) string {
	s, _ := member(tree, names...).(string)
	return s
}

func items(tree any, names ...string) []any {
	list, _ := member(tree, names...).([]any)
	return list
}

// number reads a number, also as proto JSON writes it: in quotes. 0: there is none.
func number(tree any, names ...string) float64 {
	switch v := member(tree, names...).(type) {
	case float64:
		return v
	case string:
		n, _ := json.Number(v).Float64()
		return n
	}
	return 0
}

// walk visits every map of a tree, with its place, in the order of names. visit returns whether to go on below it.
func walk(tree any, place string, visit func(place string, m map[string]any) bool) {
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
			walk(v[name], strings.TrimPrefix(place+"."+name, "."), visit)
		}
	case []any:
		for i, item := range v {
			walk(item, fmt.Sprintf("%s[%d]", place, i), visit)
		}
	}
}

// typed says whether a map is a message of a type, by the end of its @type.
func typed(m map[string]any, name string) bool {
	t, _ := m["@type"].(string)
	return strings.HasSuffix(t, name)
}

// Documents reads the documents of a YAML or JSON text.
func Documents(text []byte) ([]any, error) {
	var out []any
	for i, part := range bytes.Split(append([]byte("\n"), text...), []byte("\n---")) {
		if len(bytes.TrimSpace(part)) == 0 {
			continue
		}
		var tree any
		if err := yaml.Unmarshal(part, &tree); err != nil {
			return nil, fmt.Errorf("document %d: %w", i+1, err)
		}
		if tree != nil {
			out = append(out, tree)
		}
	}
	return out, nil
}
