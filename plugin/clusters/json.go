package clusters

import (
	"unicode/utf8"

	"warmroute/plugin/bytestr"
)

// jsonReader reads a JSON text (RFC 8259) in pieces and reports to a Reader what has a role. It skips everything else by
// counting the brackets outside of strings.
type jsonReader struct {
	state  jsonState
	role   role // of the value to come
	frames [maxFrames]frame
	depth  int

	text [512]byte // of the current string or literal
	n    int
	over bool  // it is longer
	hex  uint8 // digits of a \u escape to come
	unit rune  // its value so far

	skipped  int // open brackets of the value that is skipped
	inString bool
	escaped  bool // a backslash came before
}

// maxFrames is above the nesting of what has a role: page, clusters, cluster, hosts, host, address, and its kind.
const maxFrames = 8

type frame struct {
	role  role
	array bool
}

type jsonState uint8

const (
	atValue    jsonState = iota
	atFirst              // a value, or the array's end
	atFirstKey           // a key, or the object's end
	atKey
	atColon
	atNext // a comma, or the end of object or array
	inText
	inKey
	inLiteral
	inSkipped
	atEnd
)

func (j *jsonReader) reset() {
	j.state, j.role, j.depth, j.skipped, j.inString = atValue, rolePage, 0, 0, false
}

// done says whether the text is complete.
func (j *jsonReader) done() bool { return j.state == atEnd }

// read reads a piece; false at a syntax error.
func (j *jsonReader) read(piece []byte, r *Reader) bool {
	for i := 0; i < len(piece); {
		switch j.state {
		case inSkipped:
			i += j.skip(piece[i:])
			continue
		case inText, inKey:
			if !j.textByte(piece[i], r) {
				return false
			}
			i++
			continue
		case inLiteral:
			if c := piece[i]; isLiteralByte(c) {
				j.keep(c)
				i++
				continue
			}
			if j.over || !isLiteral(j.text[:j.n]) {
				return false
			}
			r.scalar(j.role, j.text[:j.n])
			j.leave()
		}
		c := piece[i]
		i++
		if c == ' ' || c == '\n' || c == '\t' || c == '\r' {
			continue
		}
		if !j.sign(c, r) {
			return false
		}
	}
	return r.err == nil
}

// sign takes one byte outside of strings and literals.
func (j *jsonReader) sign(c byte, r *Reader) bool {
	switch j.state {
	case atFirst, atValue:
		if c == ']' && j.state == atFirst {
			return j.close(c, r)
		}
		return j.value(c, r)
	case atFirstKey, atKey:
		if c == '}' && j.state == atFirstKey {
			return j.close(c, r)
		}
		j.state = inKey
		j.n, j.over, j.escaped, j.hex = 0, false, false, 0
		return c == '"'
	case atColon:
		j.state = atValue
		return c == ':'
	case atNext:
		if c != ',' {
			return j.close(c, r)
		}
		if top := j.frames[j.depth-1]; top.array {
			j.state, j.role = atValue, top.role.element()
		} else {
			j.state = atKey
		}
		return true
	}
	return false // after the end
}

// value begins a value with its first byte.
func (j *jsonReader) value(c byte, r *Reader) bool {
	j.n, j.over, j.escaped, j.hex = 0, false, false, 0
	switch {
	case c == '{' || c == '[':
		array := c == '['
		if j.role == rolePage && array {
			return false
		}
		if !j.role.isContainer(array) || j.depth == maxFrames {
			j.state, j.skipped, j.inString = inSkipped, 1, false
			return true
		}
		r.begin(j.role)
		j.frames[j.depth] = frame{j.role, array}
		j.depth++
		if j.state = atFirstKey; array {
			j.state, j.role = atFirst, j.role.element()
		}
		return true
	case j.role == rolePage:
		return false
	case c == '"':
		j.state = inText
		return true
	case c == '-' || bytestr.IsDigit(c) || c == 't' || c == 'f' || c == 'n':
		j.state = inLiteral
		j.keep(c)
		return true
	}
	return false
}

// close ends the current object or array.
func (j *jsonReader) close(c byte, r *Reader) bool {
	top := j.frames[j.depth-1]
	if c == ']' != top.array || c != ']' && c != '}' {
		return false
	}
	j.depth--
	r.end(top.role)
	j.leave()
	return true
}

// leave goes on behind a value.
func (j *jsonReader) leave() {
	if j.state = atNext; j.depth == 0 {
		j.state = atEnd
	}
}

// textByte takes one byte of a string.
func (j *jsonReader) textByte(c byte, r *Reader) bool {
	switch {
	case j.hex > 0:
		digit, ok := hexDigit(c)
		j.unit = j.unit<<4 | digit
		if j.hex--; j.hex == 0 {
			var encoded [utf8.UTFMax]byte // half of a surrogate pair becomes U+FFFD, which no key or name has
			for _, b := range encoded[:utf8.EncodeRune(encoded[:], j.unit)] {
				j.keep(b)
			}
		}
		return ok
	case j.escaped:
		j.escaped = false
		return j.escape(c)
	case c == '\\':
		j.escaped = true
	case c == '"':
		text := j.text[:j.n]
		if j.over {
			text = nil // longer than any that is looked for
		}
		if j.state == inKey {
			j.role = r.member(j.frames[j.depth-1].role, text)
			j.state = atColon
			return true
		}
		r.scalar(j.role, text)
		j.leave()
	case c < ' ':
		return false
	default:
		j.keep(c)
	}
	return true
}

func (j *jsonReader) escape(c byte) bool {
	switch c {
	case '"', '\\', '/':
		j.keep(c)
	case 'b', 'f', 'n', 'r', 't':
		j.keep(' ') // no key or name has one
	case 'u':
		j.hex, j.unit = 4, 0
	default:
		return false
	}
	return true
}

func (j *jsonReader) keep(c byte) {
	if j.n == len(j.text) {
		j.over = true
		return
	}
	j.text[j.n] = c
	j.n++
}
