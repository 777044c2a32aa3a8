package rawjson

// mostDepth is how deep JSON may be nested, as in encoding/json.
const mostDepth = 10000

// Valid is json.Valid, several times faster on long texts.
func Valid(text []byte) bool {
	at, ok := checkValue(text, Gap(text, 0), 0)
	return ok && Gap(text, at) == len(text)
}

// First is the value at the beginning of a text, whatever follows it; nil: there is none.
func First(text []byte) []byte {
	begin := Gap(text, 0)
	end, ok := End(text, begin)
	if !ok {
		return nil
	}
	return text[begin:end]
}

// End is where the value ends that begins at a place; false: there is none, and end is the place of the first byte that no value has there.
func End(text []byte, begin int) (end int, ok bool) { return checkValue(text, begin, 0) }

// checkValue is End of a value inside so many others.
func checkValue(text []byte, at, depth int) (end int, ok bool) {
	if at == len(text) || depth > mostDepth {
		return at, false
	}
	switch c := text[at]; c {
	case '"':
		return checkString(text, at+1)
	case '{', '[':
		return checkList(text, at, depth+1)
	case 't':
		return checkWord(text, at, "true")
	case 'f':
		return checkWord(text, at, "false")
	case 'n':
		return checkWord(text, at, "null")
	}
	return checkNumber(text, at)
}

// checkList checks an object or a list.
func checkList(text []byte, at, depth int) (end int, ok bool) {
	named, closes := text[at] == '{', text[at]+2 // ASCII has a bracket's other half two behind it
	if at = Gap(text, at+1); at < len(text) && text[at] == closes && depth <= mostDepth {
		return at + 1, true
	}
	for {
		if named {
			if at == len(text) || text[at] != '"' {
				return at, false
			}
			if at, ok = checkString(text, at+1); !ok {
				return at, false
			}
			if at = Gap(text, at); at == len(text) || text[at] != ':' {
				return at, false
			}
			at = Gap(text, at+1)
		}
		if at, ok = checkValue(text, at, depth); !ok {
			return at, false
		}
		if at = Gap(text, at); at == len(text) {
			return at, false
		}
		switch text[at] {
		case closes:
			return at + 1, true
		case ',':
			at = Gap(text, at+1)
		default:
			return at, false
		}
	}
}

// isPlain are the bytes that a string has as they are, but for its quote.
var isPlain = func() (out [256]bool) {
	for c := ' '; c < 256; c++ {
		out[c] = c != '"' && c != '\\'
	}
	return out
}()

// checkString checks a string behind its first quote.
func checkString(text []byte, at int) (end int, ok bool) {
	for ; ; at++ {
		for at < len(text) && isPlain[text[at]] {
			at++
		}
		switch {
		case at == len(text):
			return at, false
		case text[at] == '"':
			return at + 1, true
		case text[at] != '\\' || at+1 == len(text):
			return at, false
		}
		if at++; text[at] == 'u' {
			for range 4 {
				if at++; at == len(text) || !isHex(text[at]) {
					return at, false
				}
			}
		} else if escapes[text[at]] == 0 {
			return at, false
		}
	}
}

func isHex(c byte) bool { return isDigit(c) || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func checkWord(text []byte, at int, word string) (end int, ok bool) {
	if end = at + len(word); end > len(text) || string(text[at:end]) != word {
		return at, false
	}
	return end, true
}

func checkNumber(text []byte, at int) (end int, ok bool) {
	if text[at] == '-' {
		at++
	}
	digits := func(at int) int {
		for at < len(text) && isDigit(text[at]) {
			at++
		}
		return at
	}
	if end = digits(at); end == at || text[at] == '0' && end > at+1 {
		return at, false
	}
	if end < len(text) && text[end] == '.' {
		at = end + 1
		if end = digits(at); end == at {
			return at, false
		}
	}
	if end < len(text) && (text[end] == 'e' || text[end] == 'E') {
		at = end + 1
		if at < len(text) && (text[at] == '+' || text[at] == '-') {
			at++
		}
		if end = digits(at); end == at {
			return at, false
		}
	}
	return end, true
}
