package config

import (
	"strconv"
	"unicode/utf8"
)

// Error is what is wrong with a configuration. Either Field is set or, for text
// that is not JSON or no object, Line and Column.
type Error struct {
	Field        string // path such as endpoints[1].address
	Line, Column int    // from 1, the column in bytes; 0 where Field is set
	Msg          string // what is wrong and what is allowed
}

// Error returns "FIELD: MSG" or "line L, column C: MSG".
func (e *Error) Error() string {
	if e.Field == "" {
		return "line " + strconv.Itoa(e.Line) + ", column " + strconv.Itoa(e.Column) + ": " + e.Msg
	}
	return e.Field + ": " + e.Msg
}

// quotedBytes is how much of an offending value an error shows.
const quotedBytes = 48

// quote shows a text in double quotes, cut to quotedBytes.
func quote(text string) string {
	if len(text) <= quotedBytes {
		return strconv.Quote(text)
	}
	end := quotedBytes
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return strconv.Quote(text[:end] + "…")
}

// show shows a value shortly: scalars as written, others by their kind.
func show(v *value) string {
	switch {
	case v.kind == isString:
		return quote(v.text)
	case v.kind == isObject || v.kind == isArray:
		return article(string(v.kind))
	case len(v.text) > quotedBytes:
		return v.text[:quotedBytes] + "…"
	}
	return v.text
}

// join appends a member to a field path. A name that would not read as one word
// is quoted.
func join(path, name string) string {
	if !isWord(name) {
		name = quote(name)
	}
	if path == "" {
		return name
	}
	return path + "." + name
}

func isWord(name string) bool {
	for i := range len(name) {
		if c := name[i]; c != '_' && c != '-' && !isDigit(c) && (c|0x20 < 'a' || c|0x20 > 'z') {
			return false
		}
	}
	return name != "" && len(name) <= quotedBytes
}
