package exposition

import "warmroute/plugin/bytestr"

// labelScanner reads the labels of one line: {name="value",…}.
type labelScanner struct {
	line   []byte
	at     int  // after next has returned false: the first byte after the labels
	opened bool // the opening brace has been read
	broken bool
}

// next returns a label's name and its value, with its escapes; ok is false at the end of the labels, on a line without
// labels, and at a syntax error.
func (l *labelScanner) next() (name, value []byte, ok bool) {
	if !l.opened {
		if l.blank(); l.peek() != '{' {
			return nil, nil, false
		}
		l.opened = true
		l.at++
	}
	for l.blank(); l.peek() == ','; l.blank() {
		l.at++
	}
	if l.peek() == '}' {
		l.at++
		return nil, nil, false
	}
	from := l.at
	for isNameByte(l.peek()) {
		l.at++
	}
	name = l.line[from:l.at]
	if l.blank(); !l.take('=') {
		return nil, nil, l.fail()
	}
	if l.blank(); !l.take('"') {
		return nil, nil, l.fail()
	}
	for from = l.at; ; l.at++ {
		quote := bytestr.IndexByte(l.line[l.at:], '"')
		if quote < 0 {
			return nil, nil, l.fail()
		}
		if l.at += quote; !endsInEscape(l.line[from:l.at]) {
			l.at++
			return name, l.line[from : l.at-1], true
		}
	}
}

// endsInEscape says whether the byte behind b is escaped: an odd number of backslashes precedes it.
func endsInEscape(b []byte) bool {
	n := 0
	for n < len(b) && b[len(b)-1-n] == '\\' {
		n++
	}
	return n&1 != 0
}

func (l *labelScanner) fail() bool {
	l.broken = true
	l.at = len(l.line)
	return false
}

// peek is the current byte, or 0 at the end.
func (l *labelScanner) peek() byte {
	if l.at >= len(l.line) {
		return 0
	}
	return l.line[l.at]
}

func (l *labelScanner) take(c byte) bool {
	if l.peek() != c {
		return false
	}
	l.at++
	return true
}

func (l *labelScanner) blank() {
	for c := l.peek(); c == ' ' || c == '\t'; c = l.peek() {
		l.at++
	}
}

// isNameByte says whether c may be in a metric's name. (Label names have no colon; a reader need not check it.)
func isNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == ':' || bytestr.IsDigit(c)
}

// isBlank says whether c may stand between the parts of a line; a carriage return is tolerated at its end.
func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }

// firstWord is the text up to the first blank, without the blanks before it.
func firstWord(b []byte) []byte {
	from := 0
	for from < len(b) && (b[from] == ' ' || b[from] == '\t') {
		from++
	}
	to := from
	for to < len(b) && b[to] != ' ' && b[to] != '\t' {
		to++
	}
	return b[from:to]
}

// maxValue bounds a value: it is above any count of tokens, and small enough that sums stay finite.
const maxValue = 1e18

// tens are the powers of ten that a float64 holds exactly.
var tens = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
	1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// number reads a value that a load can have: finite, not negative, at most maxValue; ok is false for anything else, such
// as NaN and Inf. Up to 15 digits are exact, more are within 4 units in the last place. strconv.ParseFloat would be
// exact, but its errors allocate, and the pages come from other servers.
func number(b []byte) (v float64, ok bool) {
	if len(b) > 0 && b[0] == '+' {
		b = b[1:]
	}
	digits, kept, scale := 0, uint64(0), 0
	i, point := 0, false
	for ; i < len(b); i++ {
		c := b[i]
		switch {
		case bytestr.IsDigit(c):
			digits++
			if kept < 1e17 {
				kept = kept*10 + uint64(c-'0')
				if point {
					scale--
				}
			} else if !point {
				scale++
			}
			continue
		case c == '.' && !point:
			point = true
			continue
		}
		break
	}
	if digits == 0 {
		return 0, false
	}
	if i < len(b) {
		exponent, ok := exponentOf(b[i:])
		if !ok {
			return 0, false
		}
		scale += exponent
	}
	v = float64(kept)
	const most = len(tens) - 1
	for v > 0 && v <= maxValue && scale != 0 {
		step := min(max(scale, -most), most)
		if scale -= step; step > 0 {
			v *= tens[step]
		} else {
			v /= tens[-step]
		}
	}
	return v, v <= maxValue
}

// exponentOf reads e5, E-05, …; what is beyond any float64 is cut to ±10,000.
func exponentOf(b []byte) (n int, ok bool) {
	if b[0] != 'e' && b[0] != 'E' {
		return 0, false
	}
	b = b[1:]
	negative := len(b) > 0 && b[0] == '-'
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		b = b[1:]
	}
	for _, c := range b {
		if !bytestr.IsDigit(c) {
			return 0, false
		}
		n = min(n*10+int(c-'0'), 10000)
	}
	if negative {
		n = -n
	}
	return n, len(b) > 0
}
