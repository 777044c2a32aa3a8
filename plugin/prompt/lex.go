package prompt

import "warmroute/plugin/why"

// state is what the JSON reader expects.
type state uint8

const (
	startOfBody state = iota // perhaps a byte order mark
	wantValue                // a value
	wantElement              // a value or ']'
	wantMember               // a name or '}'
	wantName                 // a name
	wantColon                // ':'
	wantMore                 // ',' or the end of the object or array
	inString                 // within a string
	inNumber                 // within a number
	inWord                   // within true, false or null
	endOfBody                // only whitespace
)

// signWork is the Work of a name, a value, or a sign between them.
const signWork = 4

const byteOrderMark = "\xef\xbb\xbf"

// read takes bytes of b from i on, at least one of them or none that belongs to the next event, and returns where it
// stopped: after one event.
func (s *Scanner) read(b []byte, i int) int {
	if s.state == inString {
		return s.readString(b, i)
	}
	if s.work += signWork; s.state == inNumber {
		return s.readNumber(b, i)
	}
	c := b[i]
	if s.state > startOfBody && s.state < inString || s.state == endOfBody {
		for c == ' ' || c == '\n' || c == '\t' || c == '\r' {
			i++
			if i == len(b) {
				return i
			}
			c = b[i]
		}
	}
	switch s.state {
	case startOfBody:
		return s.readMark(c, i)
	case wantElement:
		if c == ']' {
			s.closeFrame()
			return i + 1
		}
		return s.beginValue(c, i)
	case wantValue:
		return s.beginValue(c, i)
	case wantMember, wantName:
		switch {
		case c == '"':
			s.beginKey()
		case c == '}' && s.state == wantMember:
			s.closeFrame()
		default:
			s.fail(why.BrokenJSON)
		}
	case wantColon:
		s.state = wantValue
		if c != ':' {
			s.fail(why.BrokenJSON)
		}
	case wantMore:
		s.readMore(c)
	case inWord:
		s.readWord(c)
	default:
		s.fail(why.TrailingBytes)
	}
	return i + 1
}

// readMark skips a byte order mark.
func (s *Scanner) readMark(c byte, i int) int {
	if c != byteOrderMark[s.at] {
		if s.at > 0 {
			s.fail(why.BrokenJSON)
		}
		s.state = wantValue
		return i
	}
	if s.at++; s.at == len(byteOrderMark) {
		s.state = wantValue
	}
	return i + 1
}

func (s *Scanner) readMore(c byte) {
	f := &s.frames[s.depth]
	switch {
	case c == ',' && f.array:
		f.index++
		s.state, s.next = wantValue, s.elementShape(f)
	case c == ',':
		s.state = wantName
	case c == ']' && f.array, c == '}' && !f.array:
		s.closeFrame()
	default:
		s.fail(why.BrokenJSON)
	}
}

func (s *Scanner) beginValue(c byte, i int) int {
	switch {
	case c == '"':
		s.beginString()
	case c == '{' || c == '[':
		s.openFrame(c == '[')
	case c == '-' || c-'0' <= 9:
		s.beginNumber()
		return i
	case c == 't':
		s.word, s.at, s.state = "true", 1, inWord
	case c == 'f':
		s.word, s.at, s.state = "false", 1, inWord
	case c == 'n':
		s.word, s.at, s.state = "null", 1, inWord
	default:
		s.fail(why.BrokenJSON)
	}
	return i + 1
}

func (s *Scanner) readWord(c byte) {
	if c != s.word[s.at] {
		s.fail(why.BrokenJSON)
		return
	}
	if s.at++; s.at == len(s.word) {
		s.endWord()
	}
}
