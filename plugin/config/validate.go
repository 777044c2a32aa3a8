package config

import (
	_ "embed" // for schema.json
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/valyala/fastjson"
)

//go:embed schema.json
var schema string

// Schema returns the JSON Schema (2020-12) of the configuration.
func Schema() string { return schema }

// validate checks a value against its schema and names the first fault, in the
// order of the document.
func validate(schema, v *fastjson.Value, path string) error {
	if alternatives := schema.GetArray("oneOf"); len(alternatives) > 0 {
		kinds := ""
		for i, one := range alternatives {
			kind := text(one.Get("type"))
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
	kind := text(schema.Get("type"))
	if !hasType(v, kind) {
		msg := article(kind) + " is needed, not " + show(v)
		if names := schema.GetArray("enum"); len(names) > 0 {
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
	}
	return validateString(schema, v, path)
}

func validateObject(schema, v *fastjson.Value, path string) error {
	var failed error
	var names []string
	properties := schema.GetObject("properties")
	v.GetObject().Visit(func(key []byte, member *fastjson.Value) {
		name := string(key)
		field, property := join(path, name), properties.Get(name)
		switch {
		case failed != nil:
		case property == nil:
			failed = &Error{Field: field, Msg: "no such field; " + suggest(name, properties)}
		case contains(names, name):
			failed = &Error{Field: field, Msg: "given twice"}
		default:
			names = append(names, name)
			failed = validate(property, member, field)
		}
	})
	if failed != nil {
		return failed
	}
	for _, required := range schema.GetArray("required") {
		name := text(required)
		if !contains(names, name) {
			return &Error{Field: join(path, name), Msg: missing(properties.Get(name))}
		}
	}
	return nil
}

// missing says what a required field needs.
func missing(property *fastjson.Value) string {
	switch {
	case property.Get("minItems") != nil:
		return tooFew(property)
	case property.Get("enum") != nil:
		return "missing; it is one of " + list(property.GetArray("enum"))
	}
	return "missing; " + article(text(property.Get("type"))) + " is needed"
}

func validateArray(schema, v *fastjson.Value, path string) error {
	items := v.GetArray()
	if len(items) < schema.GetInt("minItems") {
		return &Error{Field: path, Msg: tooFew(schema)}
	}
	if most := schema.Get("maxItems"); most != nil && len(items) > most.GetInt() {
		return &Error{Field: path, Msg: strconv.Itoa(len(items)) + " items are more than the maximum " + numeral(most)}
	}
	for i, item := range items {
		if err := validate(schema.Get("items"), item, index(path, i)); err != nil {
			return err
		}
	}
	return nil
}

func tooFew(schema *fastjson.Value) string {
	least := schema.GetInt("minItems")
	if least == 1 {
		return "at least 1 item is needed"
	}
	return "at least " + strconv.Itoa(least) + " items are needed"
}

func validateNumber(schema, v *fastjson.Value, path string) error {
	number, _ := strconv.ParseFloat(numeral(v), 64) // ±Inf where out of range
	step := schema.GetFloat64("multipleOf")
	least, most := schema.Get("minimum"), schema.Get("maximum")
	var fault string
	switch {
	case least != nil && number < least.GetFloat64():
		fault = "is below the minimum " + numeral(least)
	case most != nil && number > most.GetFloat64():
		fault = "is above the maximum " + numeral(most)
	case step > 0 && math.Mod(number, step) != 0:
		fault = "is not a multiple of " + numeral(schema.Get("multipleOf"))
	default:
		return nil
	}
	return &Error{Field: path, Msg: show(v) + " " + fault + allowed(schema)}
}

func validateString(schema, v *fastjson.Value, path string) error {
	s := text(v)
	if names := schema.GetArray("enum"); len(names) > 0 {
		for _, name := range names {
			if text(name) == s {
				return nil
			}
		}
		return &Error{Field: path, Msg: show(v) + " is not one of " + list(names)}
	}
	if utf8.RuneCountInString(s) < schema.GetInt("minLength") {
		return &Error{Field: path, Msg: show(v) + " is empty"}
	}
	if most := schema.Get("maxLength"); most != nil && utf8.RuneCountInString(s) > most.GetInt() {
		return &Error{Field: path, Msg: show(v) + " is longer than the maximum of " + numeral(most) + " characters"}
	}
	if fault := checkFormat(schema, s); fault != "" {
		return &Error{Field: path, Msg: show(v) + " " + fault}
	}
	return nil
}

// hasType says whether a value is of a type of JSON Schema.
func hasType(v *fastjson.Value, kind string) bool {
	switch kind {
	case "integer": // 1.0 is one, after JSON Schema's rule
		if v.Type() != fastjson.TypeNumber {
			return false
		}
		number, _ := strconv.ParseFloat(numeral(v), 64)
		return number == math.Trunc(number) // ±Inf included: out of range then
	default:
		return v.Type().String() == kind
	}
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

// allowed is the range of a number in brackets, or "" where there is none.
func allowed(schema *fastjson.Value) string {
	least, most := schema.Get("minimum"), schema.Get("maximum")
	if least == nil || most == nil {
		return ""
	}
	return " (allowed: " + numeral(least) + " to " + numeral(most) + ")"
}

// list writes names with commas between them.
func list(names []*fastjson.Value) string {
	all := ""
	for i, name := range names {
		if i > 0 {
			all += ", "
		}
		all += text(name)
	}
	return all
}

func index(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

func contains(names []string, name string) bool {
	for _, n := range names {
		if n == name {
			return true
		}
	}
	return false
}
