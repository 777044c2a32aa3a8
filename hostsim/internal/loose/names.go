package loose

import "slices"

// Plain is a member's name without case and punctuation: requestBody, request_body and Request-Body are one name.
func Plain(name string) string {
	var room [64]byte
	if p := appendPlain(room[:0], name); string(p) != name {
		return string(p)
	}
	return name
}

func appendPlain(dst []byte, name string) []byte {
	for i := range len(name) {
		switch c := name[i]; {
		case c >= 'A' && c <= 'Z':
			dst = append(dst, c+'a'-'A')
		case c == '_' || c == '-' || c == '.' || c == ' ' || c == '@' || c == ':' || c == '$':
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

// rank is where a name stands in a list of plain names; -1: nowhere.
func rank(list []string, name string) int {
	if len(list) == 0 {
		return -1
	}
	var room [64]byte
	p := appendPlain(room[:0], name)
	return slices.IndexFunc(list, func(one string) bool { return one == string(p) })
}

// IsOne says whether a name is one of a list of plain names.
func IsOne(name string, of []string) bool { return rank(of, name) >= 0 }
