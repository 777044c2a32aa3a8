// Package prompttest is what tests of the readers of JSON share, so that another parser reads what they do.
package prompttest

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/valyala/fastjson"
)

// IsPlain reports that nothing is nested deeper than depth, before anything recurses, and that no string has a control byte.
func IsPlain(b []byte, depth int) bool {
	open, inside := 0, false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case inside && c < ' ':
			return false
		case inside && c == '\\':
			i++
		case c == '"':
			inside = !inside
		case !inside && (c == '{' || c == '['):
			if open++; open > depth {
				return false
			}
		case !inside && (c == '}' || c == ']'):
			open--
		}
	}
	return true
}

// Clean replaces invalid UTF-8 and lone surrogate escapes in valid JSON.
func Clean(b []byte) []byte {
	var out []byte
	for i := 0; i < len(b); {
		if b[i] == '\\' && b[i+1] != 'u' {
			out = append(out, b[i:i+2]...)
			i += 2
			continue
		}
		if b[i] == '\\' {
			r, n := hex4(b[i:]), 6
			if utf16.IsSurrogate(r) {
				if r2 := hex4(b[i+6:]); utf16.DecodeRune(r, r2) != utf8.RuneError {
					n = 12
				} else {
					out = append(out, `\ufffd`...)
					i += 6
					continue
				}
			}
			out = append(out, b[i:i+n]...)
			i += n
			continue
		}
		r, n := utf8.DecodeRune(b[i:])
		out = utf8.AppendRune(out, r)
		i += n
	}
	return out
}

func hex4(b []byte) rune {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0
	}
	n, err := strconv.ParseUint(string(b[2:6]), 16, 32)
	if err != nil {
		return 0
	}
	return rune(n)
}

// Visit calls f for the members of v, if it is an object.
func Visit(v *fastjson.Value, f func(string, *fastjson.Value)) {
	if v.Type() == fastjson.TypeObject {
		v.GetObject().Visit(func(k []byte, v *fastjson.Value) { f(string(k), v) })
	}
}
