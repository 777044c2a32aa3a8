// Package rawjson reads JSON where it stands. A text is checked once (Valid); the other functions take what is valid, and no second look
// at what they pass over. They agree with encoding/json on every text: FuzzText.
package rawjson

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"unicode/utf16"
	"unicode/utf8"
)

// Each calls each for the parts of a valid object or list, in their order; name is the string that names a member, nil in a list.
func Each(text []byte, each func(name, part []byte)) {
	named := text[0] == '{'
	for at := Gap(text, 1); at < len(text)-1; at = Gap(text, at+1) {
		var name []byte
		if named {
			end := pass(text, at)
			name = text[at:end]
			at = Gap(text, Gap(text, end)+1) // behind the colon
		}
		end := pass(text, at)
		each(name, text[at:end:end])
		if at = Gap(text, end); text[at] != ',' {
			break
		}
	}
}

// Gap is where the space at a place of a text ends.
func Gap(text []byte, at int) int {
	for at < len(text) && (text[at] == ' ' || text[at] == '\n' || text[at] == '\r' || text[at] == '\t') {
		at++
	}
	return at
}

// pass is where the value ends that begins at a place of valid JSON.
func pass(text []byte, at int) int {
	for depth := 0; ; at++ {
		switch text[at] {
		case '"':
			at = closing(text, at)
		case '{', '[':
			depth++
			continue
		case '}', ']':
			depth--
		case ',', ':', ' ', '\n', '\r', '\t':
			continue
		default:
			for at+1 < len(text) && !isEnd[text[at+1]] {
				at++
			}
		}
		if depth == 0 {
			return at + 1
		}
	}
}

// isEnd are the bytes that end a number or a word.
var isEnd = [256]bool{',': true, ':': true, '}': true, ']': true, ' ': true, '\n': true, '\r': true, '\t': true}

// closing is where the quote stands that ends the string at a place.
func closing(text []byte, at int) int {
	for from := at + 1; ; at++ {
		at += 1 + bytes.IndexByte(text[at+1:], '"')
		slash := at
		for slash > from && text[slash-1] == '\\' {
			slash--
		}
		if (at-slash)%2 == 0 {
			return at
		}
		at--
	}
}

// Text is the text of a valid string, as encoding/json reads it. It may be a part of raw.
func Text(raw []byte) []byte {
	raw = raw[1 : len(raw)-1]
	at := bytes.IndexByte(raw, '\\')
	if !utf8.Valid(raw) {
		var s string
		_ = json.Unmarshal(append(append([]byte{'"'}, raw...), '"'), &s)
		return []byte(s)
	} else if at < 0 {
		return raw
	}
	out := make([]byte, 0, len(raw))
	for ; at >= 0; at = bytes.IndexByte(raw, '\\') {
		out = append(out, raw[:at]...)
		if raw[at+1] == 'u' {
			r, n := unicodeEscape(raw[at:])
			out, raw = utf8.AppendRune(out, r), raw[at+n:]
			continue
		}
		out, raw = append(out, escapes[raw[at+1]]), raw[at+2:]
	}
	return append(out, raw...)
}

// escapes is what stands for a byte behind a backslash.
var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// unicodeEscape is the rune of \uXXXX, or of two that are a pair, and how long that is.
func unicodeEscape(s []byte) (rune, int) {
	r := hexRune(s[2:6])
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	if len(s) >= 12 && s[6] == '\\' && s[7] == 'u' {
		if both := utf16.DecodeRune(r, hexRune(s[8:12])); both != utf8.RuneError {
			return both, 12
		}
	}
	return utf8.RuneError, 6
}

func hexRune(digits []byte) rune {
	var out [2]byte
	_, _ = hex.Decode(out[:], digits)
	return rune(out[0])<<8 | rune(out[1])
}
