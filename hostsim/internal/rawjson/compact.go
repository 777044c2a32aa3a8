package rawjson

import "bytes"

// Compact appends valid JSON without the space between its parts; escape escapes what browsers obey, as json.Marshal does.
func Compact(dst, text []byte, escape bool) []byte {
	from := 0
	for at := 0; at < len(text); at++ {
		switch text[at] {
		case '"':
			end := closing(text, at)
			if escape && obeyed(text[at:end]) {
				dst = appendEscaped(append(dst, text[from:at]...), text[at:end])
				from = end
			}
			at = end
		case ' ', '\n', '\r', '\t':
			dst = append(dst, text[from:at]...)
			from = at + 1
		}
	}
	return append(dst, text[from:]...)
}

// obeyed says whether a text may have a byte that appendEscaped escapes.
func obeyed(text []byte) bool {
	return bytes.IndexByte(text, '<') >= 0 || bytes.IndexByte(text, '>') >= 0 || bytes.IndexByte(text, '&') >= 0 || bytes.Contains(text, []byte("\xe2\x80"))
}

func appendEscaped(dst, text []byte) []byte {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '<' || c == '>' || c == '&':
			dst = append(dst, '\\', 'u', '0', '0', "0123456789abcdef"[c>>4], "0123456789abcdef"[c&15])
		case c == 0xe2 && i+2 < len(text) && text[i+1] == 0x80 && text[i+2]&^1 == 0xa8:
			dst = append(append(dst, `\u202`...), "0123456789abcdef"[text[i+2]&15])
			i += 2
		default:
			dst = append(dst, c)
		}
	}
	return dst
}
