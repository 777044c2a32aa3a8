package prompt

import (
	"math/bits"

	"warmroute/plugin/bytestr"
	"warmroute/plugin/runs"
)

// hexDigit is the value of a hex digit; 0xFF: not one.
var hexDigit = func() (t [256]byte) {
	for c := range t {
		switch {
		case c >= '0' && c <= '9':
			t[c] = byte(c - '0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			t[c] = byte(c | 0x20 - 'a' + 10)
		default:
			t[c] = 0xFF
		}
	}
	return
}()

// longRun is how many words of plain text in a row make it worth to look for the run's end and copy it in one go.
const longRun = 4

// copyText is the fast way through a string whose bytes go to Text: while there is room for a word on both sides it
// copies plain text, whole code points and whole escapes, and leaves the rest to readString.
func (s *Scanner) copyText(b []byte, i int) int {
	n := len(s.text)
	room := min(s.room, n+len(b)-i+8)
	if cap(s.text) < room {
		s.grow(room)
	}
	i, n = copyPlain(s.text[:min(s.room, cap(s.text))], n, b, i)
	s.text = s.text[:n]
	return i
}

// copyPlain copies from b[i:] to dst[n:] and returns both places. It must not allocate nor be inlined: in a function
// that may allocate, TinyGo notes each pointer for its collector, here at each word.
//
//go:noinline
func copyPlain(dst []byte, n int, b []byte, i int) (int, int) {
	plain := 0
	for i+8 <= len(b) && n+8 <= len(dst) {
		w := bytestr.Load64(b, i)
		bytestr.Store64(dst, n, w)
		m := runs.Special(w)
		if m == 0 {
			i, n = i+8, n+8
			if plain++; plain == longRun {
				k := runs.ASCII(b[:min(len(b), i+len(dst)-n)], i)
				n, i, plain = n+copy(dst[n:], b[i:k]), k, 0
			}
			continue
		}
		plain = 0
		k := bits.TrailingZeros64(m) / 8
		i, n = i+k, n+k
		if i+8 > len(b) || n+8 > len(dst) {
			break
		}
		from, to := 0, 0
		switch c := b[i]; {
		case c >= 0x80:
			from = copyRunes(dst[n:], b[i:])
			if to = from; from == 0 { // invalid: there are bytes enough behind it
				dst[n], dst[n+1], dst[n+2] = replacement[0], replacement[1], replacement[2]
				from, to = 1, 3
			}
		case c == '\\' && escaped[b[i+1]] != 0:
			dst[n] = escaped[b[i+1]]
			from, to = 2, 1
		case c == '\\' && b[i+1] == 'u':
			from, to = copyEscape(dst[n:n+4], b[i:])
		}
		if from == 0 {
			break
		}
		i, n = i+from, n+to
	}
	return i, n
}

// grow makes room for n bytes of text.
func (s *Scanner) grow(n int) {
	n = max(n, min(2*cap(s.text), s.room))
	t := make([]byte, len(s.text), n)
	copy(t, s.text)
	s.text = t
}

// odd marks, of two code points of three bytes each, what is not plainly valid: neither the pattern of lead and
// continuation bytes, nor leads from E1 to EC, among which nothing is overlong or a surrogate.
func odd(w uint64) uint64 {
	lead := w & 0x0F00000F
	return (w&0xC0C0F0C0C0F0 ^ 0x8080E08080E0) | (lead+0x03000003|(lead-0x01000001))&0x10000010
}

// copyRunes copies the code points of two and more bytes that b begins with while four bytes are left on both sides,
// and returns their length.
func copyRunes(dst, b []byte) int {
	i, end := 0, min(len(b), len(dst))-4
	b, dst = b[:end+4], dst[:end+4]
	for i <= end && b[i] >= 0x80 {
		for i <= end-10 { // 12 bytes of them, with the 2 that the second word has besides
			v, w := bytestr.Load64(b, i), bytestr.Load64(b, i+6)
			if odd(v)|odd(w) != 0 {
				break
			}
			bytestr.Store64(dst, i, v)
			bytestr.Store64(dst, i+6, w)
			i += 12
		}
		if i > end {
			return i
		}
		w := bytestr.Load32(b, i)
		switch {
		case w&0x00C0C0F0 == 0x008080E0 && w&0x200F != 0 && w&0x200F != 0x200D: // neither overlong nor a surrogate
			bytestr.Store32(dst, i, w)
			i += 3
		case w&0xC0E0 == 0x80C0 && w&0x1E != 0:
			bytestr.Store32(dst, i, w)
			i += 2
		case runs.Rune(b[i:i+4]) == 4:
			bytestr.Store32(dst, i, w)
			i += 4
		default:
			return i
		}
	}
	return i
}

// copyEscape writes what the \uXXXX escape that b begins with, or the pair of them, stands for. It returns the lengths
// read and written; 0: it is not whole.
func copyEscape(dst, b []byte) (from, to int) {
	r, ok := hexEscape(b)
	if !ok || r >= 0xDC00 && r < 0xE000 {
		return 0, 0
	}
	from = 6
	if r >= 0xD800 && r < 0xDC00 {
		low, ok := hexEscape(b[6:])
		if !ok || low < 0xDC00 || low >= 0xE000 {
			return 0, 0
		}
		r, from = (r-0xD800)<<10|(low-0xDC00)+0x10000, 12
	}
	switch {
	case r < 0x80:
		dst[0] = byte(r)
		return from, 1
	case r < 0x800:
		dst[0], dst[1] = byte(0xC0|r>>6), byte(0x80|r&0x3F)
		return from, 2
	case r < 0x10000:
		dst[0], dst[1], dst[2] = byte(0xE0|r>>12), byte(0x80|r>>6&0x3F), byte(0x80|r&0x3F)
		return from, 3
	}
	dst[0], dst[1], dst[2], dst[3] = byte(0xF0|r>>18), byte(0x80|r>>12&0x3F), byte(0x80|r>>6&0x3F), byte(0x80|r&0x3F)
	return from, 4
}

func hexEscape(b []byte) (uint32, bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	h0, h1, h2, h3 := hexDigit[b[2]], hexDigit[b[3]], hexDigit[b[4]], hexDigit[b[5]]
	return uint32(h0)<<12 | uint32(h1)<<8 | uint32(h2)<<4 | uint32(h3), (h0|h1|h2|h3)&0xF0 == 0
}
