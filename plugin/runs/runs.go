// Package runs finds where a run of bytes ends that say nothing: of text in a JSON string, and of a line. Runs are most of what the module
// reads, so it reads words and vectors. A run begins at b[i], and its end is an index of b; len(b): it does not end there.
package runs

import (
	"math/bits"
	"unicode/utf8"

	"warmroute/plugin/bytestr"
)

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// Special marks the bytes of w that end a run of plain ASCII: quote, backslash, control bytes and all from 0x80 on. The
// lowest mark is exact; above it a borrow may make others. (Mycroft's zero-byte test, as in Hacker's Delight 6-1.)
func Special(w uint64) uint64 {
	return (w | (w - ' '*ones) | ((w ^ '"'*ones) - ones) | ((w ^ '\\'*ones) - ones)) & highs
}

// ends says which bytes end a run of plain ASCII.
var ends = func() (t [256]bool) {
	for c := range t {
		t[c] = c < ' ' || c == '"' || c == '\\' || c >= 0x80
	}
	return
}()

// Plain returns where the string that b[i] is in ends or has an escape or a control byte.
func Plain(b []byte, i int) int {
	for {
		i = ASCII(b, i)
		for i < len(b) && b[i] >= 0x80 {
			i++
		}
		if i == len(b) || ends[b[i]] {
			return i
		}
	}
}

// Text is Plain that also stops where UTF-8 (RFC 3629) is invalid or cut short.
func Text(b []byte, i int) int {
	for {
		i = ASCII(b, i)
		j := i
		for j < len(b) && b[j] >= 0x80 {
			n := Rune(b[j:])
			if n == 0 {
				return j
			}
			j += n
		}
		if i == j || j == len(b) {
			return j
		}
		i = j
	}
}

// Invalid is how many bytes p begins with that are no part of a code point of UTF-8: the first, and those behind it as far as that is sure.
func Invalid(p []byte) (n int) {
	for n = 1; n+utf8.UTFMax <= len(p) && p[n] >= 0x80 && Rune(p[n:]) == 0; n++ {
	}
	return n
}

// Rune is the length of the code point of two or more bytes that p starts with, which is not empty; 0: there is none.
func Rune(p []byte) int {
	c := p[0]
	switch {
	case c >= 0xE0 && c < 0xF0 && len(p) >= 3:
		r := uint32(c&0x0F)<<12 | uint32(p[1]&0x3F)<<6 | uint32(p[2]&0x3F)
		if p[1]&0xC0 == 0x80 && p[2]&0xC0 == 0x80 && r >= 0x800 && r-0xD800 >= 0x800 {
			return 3
		}
	case c >= 0xC2 && c < 0xE0 && len(p) >= 2:
		if p[1]&0xC0 == 0x80 {
			return 2
		}
	case c >= 0xF0 && c < 0xF5 && len(p) >= 4:
		r := uint32(c&0x07)<<18 | uint32(p[1]&0x3F)<<12
		if p[1]&0xC0 == 0x80 && p[2]&0xC0 == 0x80 && p[3]&0xC0 == 0x80 && r >= 0x10000 && r < 0x110000 {
			return 4
		}
	}
	return 0
}

// Line returns where the first CR or LF is; len(b): there is none. JSON has neither within strings.
func Line(b []byte) int {
	i := 0
	for ; i+8 <= len(b); i += 8 {
		w := bytestr.Load64(b, i)
		// As in Special: the lowest mark is exact.
		if m := ((w^'\n'*ones)-ones)&^(w^'\n'*ones) | ((w^'\r'*ones)-ones)&^(w^'\r'*ones); m&highs != 0 {
			return i + bits.TrailingZeros64(m&highs)/8
		}
	}
	for ; i < len(b); i++ {
		if b[i] == '\n' || b[i] == '\r' {
			return i
		}
	}
	return i
}
