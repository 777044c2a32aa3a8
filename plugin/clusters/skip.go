package clusters

import "warmroute/plugin/bytestr"

// skip skips the current value and returns the bytes it took: the whole piece if the value does not end in it.
func (j *jsonReader) skip(piece []byte) int {
	open, inString := j.skipped, j.inString
	for i := 0; i < len(piece); i++ {
		c := piece[i]
		if inString {
			switch {
			case j.escaped:
				j.escaped = false
			case c == '\\':
				j.escaped = true
			case c == '"':
				inString = false
			}
			continue
		}
		switch c {
		case '"':
			inString = true
		case '{', '[':
			open++
		case '}', ']':
			if open--; open == 0 {
				j.leave()
				return i + 1
			}
		}
	}
	j.skipped, j.inString = open, inString
	return len(piece)
}

// isLiteralByte says whether c may stand in a literal: true, false, null or a number.
func isLiteralByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || bytestr.IsDigit(c) || c == '_' || c == '-' || c == '+' || c == '.'
}

// isLiteral says whether b is true, false, null or a number (RFC 8259, section 6).
func isLiteral(b []byte) bool {
	if bytestr.Equal(b, "true") || bytestr.Equal(b, "false") || bytestr.Equal(b, "null") {
		return true
	}
	if len(b) > 0 && b[0] == '-' {
		b = b[1:]
	}
	whole := digitsOf(b)
	if whole == 0 || whole > 1 && b[0] == '0' {
		return false
	}
	b = b[whole:]
	if len(b) > 0 && b[0] == '.' {
		fraction := digitsOf(b[1:])
		if fraction == 0 {
			return false
		}
		b = b[1+fraction:]
	}
	if len(b) > 0 && (b[0] == 'e' || b[0] == 'E') {
		if b = b[1:]; len(b) > 0 && (b[0] == '+' || b[0] == '-') {
			b = b[1:]
		}
		exponent := digitsOf(b)
		if exponent == 0 {
			return false
		}
		b = b[exponent:]
	}
	return len(b) == 0
}

// digitsOf is the number of digits that b begins with.
func digitsOf(b []byte) int {
	n := 0
	for n < len(b) && bytestr.IsDigit(b[n]) {
		n++
	}
	return n
}

func hexDigit(c byte) (rune, bool) {
	switch {
	case bytestr.IsDigit(c):
		return rune(c - '0'), true
	case c >= 'a' && c <= 'f':
		return rune(c-'a') + 10, true
	case c >= 'A' && c <= 'F':
		return rune(c-'A') + 10, true
	}
	return 0, false
}
