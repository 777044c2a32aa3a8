package loose

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// Object is a JSON object, whose members may be changed.
type Object map[string]*Value

// Object reads an object, or a string with the text of one; nil: it is neither.
func (v *Value) Object() Object {
	if v = v.Unquote(); !v.Begins('{') || !v.Valid() {
		return nil
	}
	parts := v.inner()
	o := make(Object, len(parts))
	for i := range parts {
		o[v.names[i]] = &parts[i]
	}
	return o
}

// Items reads a list; nil: it is none.
func (v *Value) Items() []*Value {
	if !v.Begins('[') || !v.Valid() {
		return nil
	}
	parts := v.inner()
	list := make([]*Value, len(parts))
	for i := range parts {
		list[i] = &parts[i]
	}
	return list
}

// Names are those of an object's members that stand in a list, in the list's order; all others after them by alphabet,
// if rest is set.
func (o Object) Names(list []string, rest bool) []string {
	type ranked struct {
		rank int
		name string
	}
	found := make([]ranked, 0, 8)
	for name := range o {
		at := len(list)
		if i := rank(list, name); i >= 0 {
			at = i
		} else if !rest {
			continue
		}
		found = append(found, ranked{at, name})
	}
	slices.SortFunc(found, func(a, b ranked) int { return cmp.Or(a.rank-b.rank, strings.Compare(a.name, b.name)) })
	out := make([]string, len(found))
	for i, f := range found {
		out[i] = f.name
	}
	return out
}

// Get returns the first member of one of the names whose value is neither null nor "" nor "-".
func (o Object) Get(list []string) *Value {
	for _, name := range o.Names(list, false) {
		if v := o[name]; v.Filled() {
			return v
		}
	}
	return nil
}

// Without copies an object, less the members of these names.
func (o Object) Without(names ...string) Object {
	out := maps.Clone(o)
	for _, name := range names {
		for _, member := range out.Names([]string{name}, false) {
			delete(out, member)
		}
	}
	return out
}
