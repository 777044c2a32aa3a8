package config

import (
	"slices"
	"strconv"
	"strings"
)

// together are the faults between several fields of a document of which some fields are faulty by themselves: those that
// stand whatever valid values these fields get. The module has no use for it.
func together(json []byte, faulty []*Error) []*Error {
	var places []place
	root, _ := readRoot()
	document, _ := read(json)
	for _, fault := range faulty {
		found := find(root, document, fault)
		if len(found) == 0 {
			return nil
		}
		places = append(places, found...)
	}
	changed := func(vary, choice int) (list []*Error, ok bool) {
		document, _ := read(json)
		for i, p := range places {
			if n := p.choices(); i == vary {
				p.put(document, choice)
			} else {
				p.put(document, n-1) // the last one is none, where that may be
			}
		}
		f := faults{root: root}
		if f.validate(root, document, ""); len(f.list) > 0 {
			return nil, false
		}
		c := fill(node{root, document, nil})
		c.check(document, &f)
		return f.list, true
	}
	kept, ok := changed(-1, 0)
	if !ok {
		return nil
	}
	for i, p := range places {
		for choice := range p.choices() {
			if len(kept) == 0 {
				return nil
			}
			list, ok := changed(i, choice)
			kept = slices.DeleteFunc(kept, func(e *Error) bool {
				return e.Field == p.path || ok && !slices.ContainsFunc(list, func(other *Error) bool { return *other == *e })
			})
		}
	}
	return kept
}

// place is a field of a document that is faulty, or that a faulty one may stand for.
type place struct {
	path   string   // as errors have it
	way    []string // from the root: names, and numbers of items
	values []*value // valid ones
	absent bool     // it may be left out
}

func (p *place) choices() int {
	if p.absent {
		return len(p.values) + 1
	}
	return len(p.values)
}

// put gives the field one of its choices.
func (p *place) put(document *value, choice int) {
	at := document
	last := len(p.way) - 1
	for _, name := range p.way[:last] {
		next := at.step(name)
		if next == nil {
			next = &value{kind: isObject}
			at.names, at.items = append(at.names, name), append(at.items, next)
		}
		at = next
	}
	i := at.place(p.way[last])
	switch {
	case choice < len(p.values) && i >= 0:
		at.items[i] = p.values[choice]
	case choice < len(p.values):
		at.names, at.items = append(at.names, p.way[last]), append(at.items, p.values[choice])
	case i >= 0:
		at.names, at.items = slices.Delete(at.names, i, i+1), slices.Delete(at.items, i, i+1)
	}
}

// place is the number of a member or an item; −1: there is none.
func (v *value) place(name string) int {
	if v.kind == isObject {
		return slices.Index(v.names, name)
	}
	if i, err := strconv.Atoi(name); err == nil && i < len(v.items) {
		return i
	}
	return -1
}

func (v *value) step(name string) *value {
	if i := v.place(name); i >= 0 {
		return v.items[i]
	}
	return nil
}

// find is the place of a faulty field, and of those that a field which does not exist may stand for; none where that is not known.
func find(root, document *value, fault *Error) (places []place) {
	var walk func(schema, v *value, path string, way []string)
	walk = func(schema, v *value, path string, way []string) {
		for _, one := range schema.get("oneOf").list() {
			if hasType(v, one.get("type").string()) {
				schema = one
				break
			}
		}
		for i, item := range v.items {
			name, at, of := strconv.Itoa(i), index(path, i), schema.get("items")
			if v.kind == isObject {
				name, of = v.names[i], schema.get("properties").get(v.names[i])
				at = join(path, name)
			}
			to := append(slices.Clone(way), name)
			if at != fault.Field {
				walk(of, item, at, to)
				continue
			}
			if p := (place{at, to, samples(of, i), v.kind == isObject}); p.choices() > 0 {
				places = append(places, p)
			}
			if of != nil || v.kind != isObject {
				continue
			}
			for _, meant := range meantBy(fault.Msg, name) {
				from, within := schema, way
				names := strings.Split(meant, ".")
				if schema.get("properties").get(names[0]) == nil || strings.Contains(fault.Msg, "top level") {
					from, within = root, nil
				}
				for _, n := range names {
					from = from.get("properties").get(n)
				}
				places = append(places, place{meant, slices.Concat(within, names), samples(from, i), true})
			}
		}
	}
	walk(root, document, "", nil)
	return places
}

// meantBy are the fields that the message for one which does not exist names.
func meantBy(msg, name string) []string {
	if strings.HasSuffix(msg, "it belongs to the top level") {
		return []string{name}
	}
	_, meant, found := strings.Cut(msg, "did you mean ")
	if !found {
		return nil
	}
	return strings.Split(strings.TrimSuffix(meant, "?"), " or ")
}

// samples are valid values of a schema, all there are or the ends of the range; other ones for each n.
func samples(schema *value, n int) (list []*value) {
	if one := schema.get("oneOf").list(); len(one) > 0 {
		schema = one[0]
	}
	if all := schema.get("enum").list(); len(all) > 0 {
		return all
	}
	text := func(kind kind, texts ...string) {
		for _, t := range texts {
			list = append(list, &value{kind: kind, text: t})
		}
	}
	switch schema.get("type").string() {
	case "boolean":
		text(isBoolean, "true", "false")
	case "integer", "number":
		for _, end := range []string{"minimum", "maximum", "default"} {
			if v := schema.get(end); v != nil {
				list = append(list, v)
			}
		}
	case "array":
		list = append(list, &value{kind: isArray})
		for _, item := range samples(schema.get("items"), n) {
			list = append(list, &value{kind: isArray, items: []*value{item}})
		}
	case "string":
		for _, t := range []string{schema.get("x-minimum").string(), schema.get("x-maximum").string(), "name" + strconv.Itoa(n), "/name", "NAME", "192.0.2." + strconv.Itoa(1+n%250) + ":1", ""} {
			if t == "" && schema.get("minLength").count() > 0 || checkFormat(schema, t) != "" {
				continue
			}
			text(isString, t)
		}
	}
	return list
}
