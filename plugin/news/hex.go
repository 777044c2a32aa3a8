package news

import "warmroute/plugin/bytestr"

// Hex is b in lower-case hexadecimal, for a header.
func Hex(b []byte) string {
	dst := make([]byte, 0, 2*len(b))
	for _, c := range b {
		dst = bytestr.AppendHex(dst, uint64(c), 2)
	}
	return string(dst)
}

// FromHex is what Hex wrote; nil if it is not that, or too long.
func FromHex(s string) []byte {
	if len(s)%2 != 0 || len(s) > 2*maxAskLength {
		return nil
	}
	b := make([]byte, 0, len(s)/2)
	for i := 0; i < len(s); i += 2 {
		high, low := digit(s[i]), digit(s[i+1])
		if high > 15 || low > 15 {
			return nil
		}
		b = append(b, high<<4|low)
	}
	return b
}

func digit(c byte) byte {
	switch {
	case c >= '0' && c <= '9':
		return c - '0'
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10
	}
	return 255
}
