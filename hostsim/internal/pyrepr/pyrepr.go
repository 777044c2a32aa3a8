// Package pyrepr reads Python's literals as repr and str write them, which programs in Python log: strings, lists and dicts, and calls
// with named arguments (docs.python.org, "repr", "String and Bytes literals"). It looks at a text alone: of the house it uses rawjson.
package pyrepr

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"warmroute/hostsim/internal/rawjson"
)

// String reads the string literal that repr writes, at the beginning of s, and returns what follows it.
func String(s string) (text, rest string, ok bool) {
	if s == "" || s[0] != '\'' && s[0] != '"' {
		return "", "", false
	}
	var out strings.Builder
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == s[0]:
			return out.String(), s[i+1:], true
		case c != '\\' || i+1 == len(s):
			out.WriteByte(c)
		default:
			i++
			if n := map[byte]int{'x': 2, 'u': 4, 'U': 8}[s[i]]; n > 0 {
				if i+n >= len(s) {
					return "", "", false
				}
				code, err := strconv.ParseUint(s[i+1:i+1+n], 16, 32)
				if err != nil || code > utf8.MaxRune {
					return "", "", false
				}
				out.WriteRune(rune(code))
				i += n
				continue
			}
			if at := strings.IndexByte(`nrt\'"`, s[i]); at >= 0 {
				out.WriteByte("\n\r\t\\'\""[at])
			} else {
				out.WriteByte('\\')
				out.WriteByte(s[i])
			}
		}
	}
	return "", "", false // cut short
}

// constants are Python's constants, and JSON's for them.
var constants = [...][2]string{{"True", "true"}, {"False", "false"}, {"None", "null"}}

// JSON makes JSON of the list or dict that s begins with: programs that log or export messages with str() write such. nil: s
// does not begin with one.
func JSON(s string) []byte {
	var out []byte
	depth := 0
next:
	for s != "" {
		switch c := s[0]; {
		case c == '\'' || c == '"':
			text, rest, ok := String(s)
			if !ok {
				return nil
			}
			quoted, _ := json.Marshal(text) // a string cannot fail
			s, out = rest, append(out, quoted...)
			continue
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			if depth--; depth == 0 {
				if out = bytes.TrimSpace(append(out, c)); rawjson.Valid(out) {
					return out
				}
				return nil
			}
		case c == 'T' || c == 'F' || c == 'N':
			for _, name := range constants {
				if rest, ok := strings.CutPrefix(s, name[0]); ok {
					s, out = rest, append(out, name[1]...)
					continue next
				}
			}
			return nil
		}
		out, s = append(out, s[0]), s[1:]
	}
	return nil
}
