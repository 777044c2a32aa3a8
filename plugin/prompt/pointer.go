package prompt

import "strings"

// JSONPointer is a compiled JSON Pointer (RFC 6901). A token that is an array index names that element of an array and
// that member of an object; "-" names nothing.
type JSONPointer struct {
	tokens []pointerToken
}

type pointerToken struct {
	name  string
	index int // -1: not an array index
}

const maxPointerToken = captureBytes

// ParsePointer compiles a pointer of less than MaxDepth tokens. The second result says what is wrong, to be read after the
// pointer, or is "".
func ParsePointer(s string) (*JSONPointer, string) {
	p := new(JSONPointer)
	if s == "" {
		return p, ""
	}
	if s[0] != '/' {
		return nil, "is not a JSON Pointer (it must start with '/')"
	}
	for name := range strings.SplitSeq(s[1:], "/") {
		for i := range len(name) {
			if name[i] == '~' && (i+1 == len(name) || name[i+1] != '0' && name[i+1] != '1') {
				return nil, "is not a JSON Pointer ('~' is written ~0, and '/' in a name ~1)"
			}
		}
		name = strings.ReplaceAll(strings.ReplaceAll(name, "~1", "/"), "~0", "~")
		if len(name) > maxPointerToken {
			return nil, "has a name of more than 256 bytes"
		}
		p.tokens = append(p.tokens, pointerToken{name, arrayIndex(name)})
	}
	if len(p.tokens) >= MaxDepth {
		return nil, "has more than 63 names"
	}
	return p, ""
}

// arrayIndex reads an index as RFC 6901 section 4 has it: no sign, no leading zero.
func arrayIndex(s string) int {
	if s == "" || len(s) > 9 || len(s) > 1 && s[0] == '0' {
		return -1
	}
	n := 0
	for i := range len(s) {
		if s[i]-'0' > 9 {
			return -1
		}
		n = n*10 + int(s[i]-'0')
	}
	return n
}
