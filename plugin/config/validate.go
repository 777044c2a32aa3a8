package config

import (
	_ "embed" // for schema.min.json
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// schema is schema.json without its descriptions, which would be 14 KB of the module.
//
//go:embed schema.min.json
var schema string

// readRoot reads the schema, with what its references ("#/properties/NAME", of a pool's fields) stand for.
func readRoot() (*value, *Error) {
	root, err := read([]byte(schema))
	if err != nil {
		return nil, err
	}
	return root, link(root)
}

// link replaces references by what they stand for.
func link(root *value) *Error {
	fields, all := root.get("properties").get("pools").get("items").get("properties"), root.get("properties")
	for i, field := range fields.items {
		if to := field.get("$ref").string(); to != "" {
			if fields.items[i] = all.get(strings.TrimPrefix(to, "#/properties/")); fields.items[i] == nil {
				return &Error{Field: to, Msg: "is not in the schema"}
			}
		}
	}
	return nil
}

// faults are those of a document, in its order.
type faults struct {
	root *value // the schema of the whole document
	list []*Error
}

// mostFaults bounds the list; one more says that there are more.
const mostFaults = 50

func (f *faults) add(field, msg string) {
	if len(f.list) <= mostFaults {
		f.list = append(f.list, &Error{Field: field, Msg: msg})
	}
}

// take adds a fault, if there is one, of a field at a path.
func (f *faults) take(at string, fault *Error) {
	if fault != nil {
		f.add(at+fault.Field, fault.Msg)
	}
}

// validate checks a value against its schema.
func (f *faults) validate(schema, v *value, path string) {
	if alternatives := schema.get("oneOf").list(); len(alternatives) > 0 {
		kinds := ""
		for i, one := range alternatives {
			kind := one.get("type").string()
			if hasType(v, kind) {
				f.validate(one, v, path)
				return
			}
			if i > 0 {
				kinds += " or "
			}
			kinds += article(kind)
		}
		f.add(path, kinds+" is needed, not "+show(v))
		return
	}
	kind := schema.get("type").string()
	if !hasType(v, kind) {
		msg := article(kind) + " is needed, not " + show(v)
		if names := schema.get("enum").list(); len(names) > 0 {
			msg = show(v) + " is not one of " + list(names)
		}
		f.add(path, msg+allowed(schema))
		return
	}
	switch kind {
	case "object":
		f.object(schema, v, path)
	case "array":
		f.array(schema, v, path)
	case "integer", "number":
		f.number(schema, v, path)
	case "string":
		f.string(schema, v, path)
	}
}

func (f *faults) object(schema, v *value, path string) {
	properties := schema.get("properties")
	for i, name := range v.names {
		field, property := join(path, name), properties.get(name)
		switch {
		case property == nil:
			f.add(field, "no such field"+f.suggest(name, properties))
		case v.get(name) != v.items[i]:
			f.add(field, "given twice")
		default:
			f.validate(property, v.items[i], field)
		}
	}
	for _, required := range schema.get("required").list() {
		if name := required.string(); v.get(name) == nil {
			f.add(join(path, name), missing(properties.get(name)))
		}
	}
}

// missing says what a required field needs.
func missing(property *value) string {
	switch {
	case property.get("minItems") != nil:
		return tooFew(property)
	case property.get("enum") != nil:
		return "missing; it is one of " + list(property.get("enum").list())
	}
	return "missing; " + article(property.get("type").string()) + " is needed"
}

func (f *faults) array(schema, v *value, path string) {
	items := v.list()
	if len(items) < schema.get("minItems").count() {
		f.add(path, tooFew(schema))
	}
	if most := schema.get("maxItems"); most != nil && len(items) > most.count() {
		f.add(path, strconv.Itoa(len(items))+" items are more than the maximum "+most.text)
	}
	for i, item := range items {
		f.validate(schema.get("items"), item, index(path, i))
	}
}

func tooFew(schema *value) string {
	least := schema.get("minItems").count()
	if least == 1 {
		return "at least 1 item is needed"
	}
	return "at least " + strconv.Itoa(least) + " items are needed"
}

func (f *faults) number(schema, v *value, path string) {
	number := v.number()
	step := schema.get("multipleOf").number()
	least, most := schema.get("minimum"), schema.get("maximum")
	var fault string
	switch {
	case least != nil && number < least.number():
		fault = "is below the minimum " + least.text
	case most != nil && number > most.number():
		fault = "is above the maximum " + most.text
	case step > 0 && math.Mod(number, step) != 0:
		fault = "is not a multiple of " + schema.get("multipleOf").text
	default:
		return
	}
	f.add(path, show(v)+" "+fault+allowed(schema))
}

func (f *faults) string(schema, v *value, path string) {
	s := v.string()
	fault := ""
	if names := schema.get("enum").list(); len(names) > 0 {
		known := make([]string, len(names))
		for i, name := range names {
			if known[i] = name.string(); known[i] == s {
				return
			}
		}
		fault = "is not one of " + list(names) + didYouMean(nearest(s, known))
	} else if utf8.RuneCountInString(s) < schema.get("minLength").count() {
		fault = "is empty"
	} else if most := schema.get("maxLength"); most != nil && utf8.RuneCountInString(s) > most.count() {
		fault = "is longer than the maximum of " + most.text + " characters"
	} else {
		fault = checkFormat(schema, s)
	}
	if fault != "" {
		f.add(path, show(v)+" "+fault)
	}
}

// hasType says whether a value is of a type of JSON Schema, by whose rule 1.0 is
// an integer; and so is ±Inf here, so that it is refused as out of range.
func hasType(v *value, kind string) bool {
	if kind == "integer" {
		return v.kind == isNumber && v.number() == math.Trunc(v.number())
	}
	return string(v.kind) == kind
}

// article names a type of JSON Schema with its article.
func article(kind string) string {
	switch kind {
	case "integer":
		return "a whole number"
	case "object", "array":
		return "an " + kind
	}
	return "a " + kind
}

// allowed is the range of a number or a time span in brackets, or "" where there
// is none.
func allowed(schema *value) string {
	for _, prefix := range []string{"", "x-"} {
		least, most := schema.get(prefix+"minimum"), schema.get(prefix+"maximum")
		if least != nil && most != nil {
			return " (allowed: " + least.text + " to " + most.text + ")"
		}
	}
	return ""
}

// list writes names with commas between them, without the empty one, which stands for none.
func list(names []*value) string {
	all := ""
	for _, name := range names {
		if name.string() == "" {
			continue
		}
		if all != "" {
			all += ", "
		}
		all += name.string()
	}
	return all
}

func index(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }
