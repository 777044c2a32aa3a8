package config

import (
	"strconv"
	"unicode/utf8"
)

// maxDepth bounds the nesting of a configuration, because the module's stack is
// small. The schema needs 3.
const maxDepth = 32

// read parses a JSON text (RFC 8259) or says where it is broken. Other parsers
// report no position and are large (docs/notes.md).
func read(json []byte) (*value, *Error) {
	s := scanner{text: json}
	v := s.value(0)
	if s.space(); s.msg == "" && s.at < len(json) {
		s.want("the end of the text")
	}
	if s.msg == "" {
		return v, nil
	}
	line, column := 1, 1
	for _, c := range json[:s.at] {
		column++
		if c == '\n' {
			line, column = line+1, 1
		}
	}
	return nil, &Error{Line: line, Column: column, Msg: s.msg}
}

func isBlank(json []byte) bool {
	s := scanner{text: json}
	s.space()
	return s.at == len(json)
}

// scanner goes through a text. Once msg is set, at stays at the fault and every
// method returns without effect.
type scanner struct {
	text []byte
	at   int
	msg  string
}

func (s *scanner) fail(msg string) {
	if s.msg == "" {
		s.msg = msg
	}
}

// want fails with what was needed and what is there instead.
func (s *scanner) want(needed string) {
	found := "the end of the text"
	if s.at < len(s.text) {
		r, _ := utf8.DecodeRune(s.text[s.at:])
		found = strconv.QuoteRune(r)
	}
	s.fail(needed + " is needed here, not " + found)
}

func (s *scanner) space() {
	for {
		switch s.peek() {
		case ' ', '\t', '\n', '\r':
			s.at++
		default:
			return
		}
	}
}

// peek is the next byte, or 0 at the end and after a fault.
func (s *scanner) peek() byte {
	if s.msg != "" || s.at >= len(s.text) {
		return 0
	}
	return s.text[s.at]
}

// take steps over c if it comes next.
func (s *scanner) take(c byte) bool {
	if c == 0 || s.peek() != c {
		return false
	}
	s.at++
	return true
}

// value reads any value; after a fault its content does not matter.
func (s *scanner) value(depth int) *value {
	s.space()
	v := &value{}
	start := s.at
	switch c := s.peek(); {
	case depth > maxDepth:
		s.fail("nested deeper than " + strconv.Itoa(maxDepth) + " levels")
	case c == '{':
		v.kind = isObject
		s.list(v, '}', depth)
		return v
	case c == '[':
		v.kind = isArray
		s.list(v, ']', depth)
		return v
	case c == '"':
		v.kind, v.text = isString, s.string()
		return v
	case c == '-' || isDigit(c):
		v.kind = isNumber
		s.number()
	case c == 't':
		v.kind = isBoolean
		s.word("true")
	case c == 'f':
		v.kind = isBoolean
		s.word("false")
	case c == 'n':
		v.kind = isNull
		s.word("null")
	default:
		s.want("a value")
	}
	v.text = string(s.text[start:s.at])
	return v
}

// list reads an object or an array, from its opening bracket to its close.
func (s *scanner) list(v *value, closing byte, depth int) {
	s.at++
	if s.space(); s.take(closing) {
		return
	}
	for s.msg == "" {
		if v.kind == isObject {
			v.names = append(v.names, s.key())
		}
		v.items = append(v.items, s.value(depth+1))
		s.space()
		if s.take(closing) {
			return
		}
		if !s.take(',') {
			s.want("',' or '" + string(rune(closing)) + "'")
		}
	}
}

// key reads a member's name and the colon.
func (s *scanner) key() string {
	if s.space(); s.peek() != '"' {
		s.want("a member name in double quotes")
		return ""
	}
	name := s.string()
	if s.space(); !s.take(':') {
		s.want("':'")
	}
	return name
}

func (s *scanner) string() string {
	s.at++
	start := s.at
	for s.msg == "" {
		switch c := s.peek(); {
		case s.at >= len(s.text):
			s.want(`'"'`)
		case c == '"':
			s.at++
			return unescape(s.text[start : s.at-1])
		case c < ' ':
			s.fail("a control character in a string must be escaped")
		case c == '\\':
			s.escape()
		default:
			s.at++
		}
	}
	return ""
}

func (s *scanner) escape() {
	s.at++
	switch c := s.peek(); c {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		s.at++
	case 'u':
		s.at++
		for range 4 {
			if !isHex(s.peek()) {
				s.want("a hexadecimal digit")
				return
			}
			s.at++
		}
	default:
		s.want(`one of "\/bfnrtu`)
	}
}

func (s *scanner) number() {
	s.take('-')
	if !s.take('0') {
		s.digits()
	}
	if s.take('.') {
		s.digits()
	}
	if s.take('e') || s.take('E') {
		if !s.take('+') {
			s.take('-')
		}
		s.digits()
	}
}

func (s *scanner) digits() {
	if !isDigit(s.peek()) {
		s.want("a digit")
	}
	for isDigit(s.peek()) {
		s.at++
	}
}

func (s *scanner) word(word string) {
	for i := range len(word) {
		if !s.take(word[i]) {
			s.want(word)
			return
		}
	}
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isHex(c byte) bool {
	return isDigit(c) || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}
