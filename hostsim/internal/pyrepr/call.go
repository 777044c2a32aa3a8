package pyrepr

import "strings"

// Call reads the named arguments of a call as repr writes it, behind its bracket, and returns what follows it. Values are as they
// stand. false: it does not end.
func Call(s string) (arguments map[string]string, rest string, ok bool) {
	arguments = map[string]string{}
	for {
		end := valueEnd(s)
		if end < 0 {
			return nil, "", false
		}
		if name, value, ok := strings.Cut(s[:end], "="); ok {
			arguments[strings.TrimSpace(name)] = value
		}
		if s[end] == ')' {
			return arguments, s[end+1:], true
		}
		s = s[end+1:]
	}
}

// valueEnd is where the value at the beginning of s ends: at a comma or a bracket that is none of its own; -1: it does not.
func valueEnd(s string) int {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\'', '"':
			_, rest, ok := String(s[i:])
			if !ok {
				return -1
			}
			i = len(s) - len(rest) - 1
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth == 0 {
				return i
			}
			depth--
		case ',':
			if depth == 0 {
				return i
			}
		}
	}
	return -1
}
