package load

// skip steps over the value at hand and returns the bytes it took: the whole piece where it does not end there.
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

// isLiteral says whether b is true, false, null or a number (RFC 8259, section 6).
func isLiteral(b []byte) bool {
	if same(b, "true") || same(b, "false") || same(b, "null") {
		return true
	}
	at := 0
	digits := func() bool {
		from := at
		for at < len(b) && isDigit(b[at]) {
			at++
		}
		return at > from
	}
	if at < len(b) && b[at] == '-' {
		at++
	}
	if at < len(b) && b[at] == '0' {
		at++
	} else if !digits() {
		return false
	}
	if at < len(b) && b[at] == '.' {
		at++
		if !digits() {
			return false
		}
	}
	if at < len(b) && (b[at] == 'e' || b[at] == 'E') {
		if at++; at < len(b) && (b[at] == '+' || b[at] == '-') {
			at++
		}
		if !digits() {
			return false
		}
	}
	return at == len(b)
}

func hexDigit(c byte) (rune, bool) {
	switch {
	case isDigit(c):
		return rune(c - '0'), true
	case c >= 'a' && c <= 'f':
		return rune(c-'a') + 10, true
	case c >= 'A' && c <= 'F':
		return rune(c-'A') + 10, true
	}
	return 0, false
}
