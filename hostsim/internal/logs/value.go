package logs

import (
	"bytes"

	"warmroute/hostsim/internal/rawjson"
)

// value is a JSON value of a log, of which nothing is read twice: its text is checked once as a whole, with all values inside it, and
// what finders ask of it is kept. It does not change. nil: an object has no such member.
type value struct {
	raw    []byte // without space around it. It may be a part of a buffer that the next line is read into: what is kept is copied
	known  validity
	split  bool     // parts and names have been read
	parts  []value  // of an object, or of a list
	names  []string // of an object's members
	inside *value   // what a text holds, itself if it holds no JSON; nil: nobody has asked
}

type validity byte

const (
	unchecked validity = iota
	invalid
	checked // it is JSON
	tight   // and has no space between its parts
	written // and is as marshal writes it
)

// read is the value that a text is, which may be none.
func read(text []byte) *value { return &value{raw: bytes.TrimSpace(text)} }

// null is JSON's.
var null = &value{raw: []byte("null"), known: written}

// valid says whether the text is JSON.
func (v *value) valid() bool {
	if v.known == unchecked {
		if v.known = invalid; rawjson.Valid(v.raw) {
			v.known = checked
		}
	}
	return v.known > invalid
}

// begins says whether the text begins with a byte; nil does not.
func (v *value) begins(with byte) bool { return v != nil && len(v.raw) > 0 && v.raw[0] == with }

// is says whether the text is that one.
func (v *value) is(text string) bool { return v != nil && string(v.raw) == text }

// bytes are the text; nil has none.
func (v *value) bytes() []byte {
	if v == nil {
		return nil
	}
	return v.raw
}

// copied is the same value, in memory of its own.
func (v *value) copied() *value { return &value{raw: bytes.Clone(v.bytes()), known: v.known} }

// short is the beginning of the text, for messages.
func (v *value) short() string { return short(string(v.bytes()), 40) }

// MarshalJSON returns the text.
func (v *value) MarshalJSON() ([]byte, error) { return v.raw, nil }

// inner are the parts of an object or a list, read once.
func (v *value) inner() []value {
	if v.split {
		return v.parts
	}
	v.split = true
	v.parts = make([]value, 0, 4)
	rawjson.Each(v.raw, func(name, part []byte) {
		if name != nil {
			v.names = append(v.names, nameOf(name))
		}
		v.parts = append(v.parts, value{raw: part, known: v.known})
	})
	return v.parts
}

// often are the members that nearly all objects of a log have, whose names need no memory of their own.
var often = map[string]string{`"role"`: "role", `"content"`: "content", `"type"`: "type", `"text"`: "text", `"index"`: "index", `"key"`: "key", `"value"`: "value"}

func nameOf(quoted []byte) string {
	if name, ok := often[string(quoted)]; ok {
		return name
	}
	return string(rawjson.Text(quoted))
}
