package prompt

import (
	"strings"
	"unicode/utf8"

	"warmroute/plugin/runs"
	"warmroute/plugin/why"
)

// sink is where a string's bytes go.
type sink uint8

const (
	toNowhere sink = iota
	toText         // canonical bytes
	toBilled       // the same, once they are seen to be no billing
	toUnsure       // the same, where the turn's role has not come
	toCapture      // held
	toDigest       // digest
)

const replacement = "\xef\xbf\xbd" // U+FFFD

var replacements = []byte(strings.Repeat(replacement, 64))

// escaped is the byte that a backslash and a letter stand for; 0: not an escape of one letter.
var escaped = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// readString reads within a string. Each round takes as long as many bytes of plain text do, and a client can have one for each byte or two.
func (s *Scanner) readString(b []byte, i int) int {
	for i < len(b) {
		s.work++
		if s.esc|s.uncertain() != 0 {
			i = s.readSlowly(b, i)
			if s.status != More {
				return i
			}
			continue
		}
		j := i
		switch s.sink {
		case toNowhere:
			j = runs.Plain(b, i)
		case toText:
			if i = s.copyText(b, i); i == len(b) {
				return i
			}
			j = runs.Text(b, i)
		default:
			j = runs.Text(b, i)
		}
		if j > i {
			if s.emit(b[i:j]); j == len(b) {
				return j
			}
		}
		switch c := b[j]; {
		case c == '"':
			s.endString()
			return j + 1
		case c == '\\':
			i = j + 1
			if i < len(b) && escaped[b[i]] != 0 {
				s.emit1(escaped[b[i]])
				i++
				continue
			}
			s.esc = escLetter
		case c < ' ':
			s.fail(why.BrokenJSON)
			return j
		default: // not a whole code point
			if i = j; len(b)-j < utf8.UTFMax { // it may go on in the next chunk
				i = s.readSlowly(b, j)
				continue
			}
			i += runs.Invalid(b[j:])
			s.emitReplacements(i - j)
		}
	}
	return i
}

// uncertain is not 0 while bytes read before decide what the next one means.
func (s *Scanner) uncertain() uint8 {
	if s.high != 0 {
		return 1
	}
	return uint8(s.pends)
}

const escLetter, escFirstDigit, escLastDigit = 1, 2, 5

// readSlowly reads one byte of an escape, a surrogate pair or an unfinished code point. It may leave the byte unread.
func (s *Scanner) readSlowly(b []byte, i int) int {
	c := b[i]
	switch {
	case s.esc >= escFirstDigit:
		s.readDigit(c)
	case s.esc == escLetter && c == 'u':
		s.esc, s.hex = escFirstDigit, 0
	case s.esc == escLetter:
		s.loseHigh()
		s.esc = 0
		if escaped[c] == 0 {
			s.fail(why.BrokenJSON)
			return i
		}
		s.emit1(escaped[c])
	case s.high != 0 && c == '\\':
		s.esc = escLetter
	case s.high != 0:
		s.loseHigh()
		return i
	default:
		return s.readCodePoint(c, i)
	}
	return i + 1
}

// readCodePoint adds c to the unfinished code point. Where that makes it invalid, each byte before c is replaced, and c
// stands on its own.
func (s *Scanner) readCodePoint(c byte, i int) int {
	s.pend[s.pends] = c
	s.pends++
	n := s.pends
	if !utf8.FullRune(s.pend[:n]) {
		return i + 1
	}
	s.pends = 0
	if _, size := utf8.DecodeRune(s.pend[:n]); size == n && n > 1 {
		s.emit(s.pend[:n])
		return i + 1
	}
	if n == 1 {
		s.emitString(replacement)
		return i + 1
	}
	for range n - 1 {
		s.emitString(replacement)
	}
	return i
}

// readDigit reads a hex digit of \uXXXX. Two escapes may make one code point (RFC 8259, section 7).
func (s *Scanner) readDigit(c byte) {
	switch {
	case c-'0' <= 9:
		c -= '0'
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		c = c | 0x20 - 'a' + 10
	default:
		s.fail(why.BrokenJSON)
		return
	}
	s.hex = s.hex<<4 | rune(c)
	if s.esc != escLastDigit {
		s.esc++
		return
	}
	s.esc = 0
	r := s.hex
	low := r >= 0xDC00 && r < 0xE000
	if s.high != 0 && low {
		r = (s.high-0xD800)<<10 | (r - 0xDC00) + 0x10000
		s.high = 0
		s.emitRune(r)
		return
	}
	s.loseHigh()
	switch {
	case r >= 0xD800 && r < 0xDC00:
		s.high = r
	case low:
		s.emitString(replacement)
	default:
		s.emitRune(r)
	}
}

// loseHigh replaces a high surrogate that stands alone.
func (s *Scanner) loseHigh() {
	if s.high != 0 {
		s.high = 0
		s.emitString(replacement)
	}
}

func (s *Scanner) emitRune(r rune) {
	s.emit(s.spare[:utf8.EncodeRune(s.spare[:], r)])
}

func (s *Scanner) emitString(p string) {
	for i := range len(p) {
		s.emit1(p[i])
	}
}

// emitReplacements replaces n bytes together: a body of nothing else must not take much longer than text.
func (s *Scanner) emitReplacements(n int) {
	for n > 0 {
		some := min(n*len(replacement), len(replacements))
		s.emit(replacements[:some])
		n -= some / len(replacement)
	}
}

func (s *Scanner) emit1(c byte) {
	if s.sink == toText {
		s.put1(c)
	} else {
		s.spare[0] = c
		s.emit(s.spare[:1])
	}
}

func (s *Scanner) emit(p []byte) {
	switch s.sink {
	case toText:
		s.put(p)
	case toBilled, toUnsure:
		s.addBilled(p)
	case toCapture:
		s.add(s.held, p)
	case toDigest:
		s.addMedium(p)
	}
}
