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
func readRoot() (*value, error) {
	root, err := read([]byte(schema))
	if err != nil {
		return nil, err
	}
	return root, link(root)
}

// link replaces references by what they stand for.
func link(root *value) error {
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

// validate checks a value against its schema and names the first fault, in the
// order of the document.
func validate(schema, v *value, path string) error {
	if alternatives := schema.get("oneOf").list(); len(alternatives) > 0 {
		kinds := ""
		for i, one := range alternatives {
			kind := one.get("type").string()
			if hasType(v, kind) {
				return validate(one, v, path)
			}
			if i > 0 {
				kinds += " or "
			}
			kinds += article(kind)
		}
		return &Error{Field: path, Msg: kinds + " is needed, not " + show(v)}
	}
	kind := schema.get("type").string()
	if !hasType(v, kind) {
		msg := article(kind) + " is needed, not " + show(v)
		if names := schema.get("enum").list(); len(names) > 0 {
			msg = show(v) + " is not one of " + list(names)
		}
		return &Error{Field: path, Msg: msg + allowed(schema)}
	}
	switch kind {
	case "object":
		return validateObject(schema, v, path)
	case "array":
		return validateArray(schema, v, path)
	case "integer", "number":
		return validateNumber(schema, v, path)
	case "boolean":
		return nil
	}
	return validateString(schema, v, path)
}

func validateObject(schema, v *value, path string) error {
	properties := schema.get("properties")
	for i, name := range v.names {
		field, property := join(path, name), properties.get(name)
		if property == nil {
			return &Error{Field: field, Msg: "no such field; " + suggest(name, properties)}
		}
		if v.get(name) != v.items[i] {
			return &Error{Field: field, Msg: "given twice"}
		}
		if err := validate(property, v.items[i], field); err != nil {
			return err
		}
	}
	for _, required := range schema.get("required").list() {
		if name := required.string(); v.get(name) == nil {
			return &Error{Field: join(path, name), Msg: missing(properties.get(name))}
		}
	}
	return nil
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

func validateArray(schema, v *value, path string) error {
	items := v.list()
	if len(items) < schema.get("minItems").count() {
		return &Error{Field: path, Msg: tooFew(schema)}
	}
	if most := schema.get("maxItems"); most != nil && len(items) > most.count() {
		return &Error{Field: path, Msg: strconv.Itoa(len(items)) + " items are more than the maximum " + most.text}
	}
	for i, item := range items {
		if err := validate(schema.get("items"), item, index(path, i)); err != nil {
			return err
		}
	}
	return nil
}

func tooFew(schema *value) string {
	least := schema.get("minItems").count()
	if least == 1 {
		return "at least 1 item is needed"
	}
	return "at least " + strconv.Itoa(least) + " items are needed"
}

func validateNumber(schema, v *value, path string) error {
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
		return nil
	}
	return &Error{Field: path, Msg: show(v) + " " + fault + allowed(schema)}
}

func validateString(schema, v *value, path string) error {
	s := v.string()
	if names := schema.get("enum").list(); len(names) > 0 {
		for _, name := range names {
			if name.string() == s {
				return nil
			}
		}
		return &Error{Field: path, Msg: show(v) + " is not one of " + list(names)}
	}
	if utf8.RuneCountInString(s) < schema.get("minLength").count() {
		return &Error{Field: path, Msg: show(v) + " is empty"}
	}
	if most := schema.get("maxLength"); most != nil && utf8.RuneCountInString(s) > most.count() {
		return &Error{Field: path, Msg: show(v) + " is longer than the maximum of " + most.text + " characters"}
	}
	if fault := checkFormat(schema, s); fault != "" {
		return &Error{Field: path, Msg: show(v) + " " + fault}
	}
	return nil
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
