// Package loose reads JSON as logs have it: a member may be an object, or a string with the text of one, in base64 or as Python writes it;
// a number may be a text; names differ in case and punctuation; nothing may stand as null, "" or "-". And it writes such values again, in
// one form: members by alphabet, without space, as json.Marshal does.
//
// It knows JSON, and nothing of what a member means.
package loose

import (
	"bytes"
	"unicode/utf8"

	"warmroute/hostsim/internal/rawjson"
)

// Value is a JSON value of a log, or a text that is none (see Valid). Nothing of it is read twice: its text is checked once as a whole, with
// all values inside it, and what it is asked is kept. It does not change. nil: an object has no such member; all methods but Valid take it.
type Value struct {
	raw    []byte // without space around it. It may be a part of a buffer that the next line is read into: what is kept is copied
	known  validity
	split  bool     // parts and names have been read
	parts  []Value  // of an object, or of a list
	names  []string // of an object's members
	inside *Value   // what a text holds, itself if it holds no JSON; nil: nobody has asked
}

type validity byte

const (
	unchecked validity = iota
	invalid
	checked // it is JSON
	tight   // and has no space between its parts
	written // and is as Marshal writes it
)

// Read is the value that a text is, which may be none. It keeps the text: see Copied.
func Read(text []byte) *Value { return &Value{raw: bytes.TrimSpace(text)} }

// KnownValid is the value of a text that is known to be JSON, and so is not checked again; it has no space around it.
func KnownValid(text []byte) *Value { return &Value{raw: text, known: checked} }

// KnownTight is the same of a text that has no space between its parts either.
func KnownTight(text []byte) *Value { return &Value{raw: text, known: tight} }

// Null is JSON's.
var Null = &Value{raw: []byte("null"), known: written}

// Valid says whether the text is JSON.
func (v *Value) Valid() bool {
	if v.known == unchecked {
		if v.known = invalid; rawjson.Valid(v.raw) {
			v.known = checked
		}
	}
	return v.known > invalid
}

// Begins says whether the text begins with a byte; nil does not. '{' tells an object, '[' a list, '"' a string.
func (v *Value) Begins(with byte) bool { return v != nil && len(v.raw) > 0 && v.raw[0] == with }

// Is says whether the text is that one.
func (v *Value) Is(text string) bool { return v != nil && string(v.raw) == text }

// Bytes are the text; nil has none.
func (v *Value) Bytes() []byte {
	if v == nil {
		return nil
	}
	return v.raw
}

// Copied is the same value, in memory of its own.
func (v *Value) Copied() *Value { return &Value{raw: bytes.Clone(v.Bytes()), known: v.known} }

// Short is the beginning of the text, for messages.
func (v *Value) Short() string { return Short(string(v.Bytes()), 40) }

// MarshalJSON returns the text.
func (v *Value) MarshalJSON() ([]byte, error) { return v.raw, nil }

// inner are the parts of an object or a list, read once.
func (v *Value) inner() []Value {
	if v.split {
		return v.parts
	}
	v.split = true
	v.parts = make([]Value, 0, 4)
	rawjson.Each(v.raw, func(name, part []byte) {
		if name != nil {
			v.names = append(v.names, nameOf(name))
		}
		v.parts = append(v.parts, Value{raw: part, known: v.known})
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

// Short is the beginning of a text, cut between characters.
func Short(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
