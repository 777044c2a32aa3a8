package config

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// kind is the type of a JSON value, by its name in JSON Schema.
type kind string

const (
	isNull    kind = "null"
	isBoolean kind = "boolean"
	isNumber  kind = "number"
	isString  kind = "string"
	isArray   kind = "array"
	isObject  kind = "object"
)

// value is a JSON value. Its methods take nil, and a value of another kind, for
// an empty one.
type value struct {
	kind  kind
	text  string   // a string's content; a number or a word as written
	names []string // of an object's members, in the order of the document
	items []*value // an object's members or an array's items
}

// get returns a member of an object, the first of that name, or nil.
func (v *value) get(name string) *value {
	if v != nil {
		for i, n := range v.names {
			if n == name {
				return v.items[i]
			}
		}
	}
	return nil
}

// list returns the items of an array.
func (v *value) list() []*value {
	if v == nil || v.kind != isArray {
		return nil
	}
	return v.items
}

// string returns the content of a string.
func (v *value) string() string {
	if v == nil || v.kind != isString {
		return ""
	}
	return v.text
}

// number returns a number, ±Inf where it is out of a float64's range.
func (v *value) number() float64 {
	if v == nil || v.kind != isNumber {
		return 0
	}
	number, _ := strconv.ParseFloat(v.text, 64)
	return number
}

// count returns a whole number of an int's range.
func (v *value) count() int { return int(v.number()) }

// unescape gives the content of a string whose escapes are valid. Half a
// surrogate pair becomes U+FFFD, as do bytes that are not UTF-8.
func unescape(s []byte) string {
	content := make([]byte, 0, len(s))
	for i := 0; i < len(s); {
		if s[i] != '\\' {
			r, size := utf8.DecodeRune(s[i:])
			content = utf8.AppendRune(content, r)
			i += size
			continue
		}
		c := s[i+1]
		i += 2
		switch c {
		case 'b':
			c = '\b'
		case 'f':
			c = '\f'
		case 'n':
			c = '\n'
		case 'r':
			c = '\r'
		case 't':
			c = '\t'
		case 'u':
			r := hexRune(s[i:])
			i += 4
			if utf16.IsSurrogate(r) {
				pair := rune(utf8.RuneError)
				if i+6 <= len(s) && s[i] == '\\' && s[i+1] == 'u' {
					pair = utf16.DecodeRune(r, hexRune(s[i+2:]))
				}
				if r = pair; r != utf8.RuneError {
					i += 6
				}
			}
			content = utf8.AppendRune(content, r)
			continue
		}
		content = append(content, c)
	}
	return string(content)
}

// hexRune reads four hexadecimal digits.
func hexRune(s []byte) (r rune) {
	for _, c := range s[:4] {
		if isDigit(c) {
			r = r<<4 | rune(c-'0')
		} else {
			r = r<<4 | rune(c|0x20-'a'+10)
		}
	}
	return r
}
