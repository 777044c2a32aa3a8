package layout

import (
	"bytes"

	"warmroute/hostsim/internal/rawjson"
)

// Values reads the JSON values of a text: one behind another, in lists, or both, with space, commas or nothing between them. Behind one that
// is broken it goes on where a record begins as the one before did: at a brace in the same column of a line, or before the same first
// member. Whatever the text is, no more than its length is read again.
type Values struct {
	text   []byte
	at     int    // all before it has been read
	line   int    // of the last value
	lines  int    // up to where the newlines are in line
	listed bool   // the last value is in a list
	begins []byte // how the record before begins, up to the end of its first member's name; nil: there was none
	column int    // of its brace; -1: something else is before it in its line
	again  int    // bytes that were read again
}

// NewValues reads a text.
func NewValues(text []byte) *Values {
	return &Values{text: bytes.TrimPrefix(text, []byte("\ufeff")), line: 1, column: -1}
}

// Next is the next value; whole is false for what is none, up to where the next record begins. nil: the text has ended.
func (v *Values) Next() (value []byte, whole bool) {
	v.between()
	begin := v.at
	if begin == len(v.text) {
		return nil, false
	}
	v.line += bytes.Count(v.text[v.lines:begin], []byte("\n"))
	v.lines = begin
	end, whole := rawjson.End(v.text, begin)
	if whole || v.begins == nil {
		v.remember(begin)
	}
	if v.at = end; !whole {
		v.at = v.resume(begin, end)
	}
	return bytes.TrimSpace(v.text[begin:v.at]), whole
}

// Rest are the values behind the last one, up to the end of its list; whole is false where one of them or the list is broken.
func (v *Values) Rest() (rest [][]byte, whole bool) {
	for whole = true; v.listed; {
		v.at += len(v.text[v.at:]) - len(bytes.TrimLeft(v.text[v.at:], " \t\r\n,"))
		if v.at == len(v.text) {
			return rest, false
		}
		if v.text[v.at] == ']' {
			return rest, whole
		}
		value, ok := v.Next()
		if ok {
			rest = append(rest, value)
		}
		whole = whole && ok
	}
	return rest, false
}

// Line is where the last value begins, from 1.
func (v *Values) Line() int { return v.line }

// Listed says whether the last value is in a list.
func (v *Values) Listed() bool { return v.listed }

// Ended says whether nothing is left behind the last value.
func (v *Values) Ended() bool { return v.at == len(v.text) }

// between passes over what may stand between values, also the ends of what is around a record that was broken.
func (v *Values) between() {
	for ; v.at < len(v.text); v.at++ {
		switch v.text[v.at] {
		case ' ', '\t', '\r', '\n', ',', '}':
		case ']':
			v.listed = false
		case '[':
			if v.listed {
				return
			}
			v.listed = true
		default:
			return
		}
	}
}

// longestName bounds the name of a first member that tells records, in bytes.
const longestName = 64

// remember keeps how a record begins.
func (v *Values) remember(begin int) {
	name := rawjson.Gap(v.text, begin+1)
	if v.text[begin] != '{' || name == len(v.text) || v.text[name] != '"' {
		return
	}
	if long := bytes.IndexByte(v.text[name+1:min(name+longestName, len(v.text))], '"'); long >= 0 {
		v.begins, v.column = v.text[begin:name+long+2], v.columnOf(begin)
	}
}

// columnOf is how much space alone is before a place in its line; -1: there is more.
func (v *Values) columnOf(at int) int {
	line := at
	for line > 0 && (v.text[line-1] == ' ' || v.text[line-1] == '\t') {
		line--
	}
	if line > 0 && v.text[line-1] != '\n' {
		return -1
	}
	return at - line
}

// resume is where to go on behind a value that begins at a place and is broken at another: it may have taken the next record for a part of
// itself. What ends with the text is cut there, and what begins alike in it is a part.
func (v *Values) resume(begin, broken int) int {
	next := v.record(begin+1, broken < len(v.text))
	if again := broken - next; again > 0 && v.again+again > len(v.text) {
		next = v.record(broken, true)
	} else if again > 0 {
		v.again += again
	}
	if next < len(v.text) && v.text[next] == '[' {
		v.listed = false
	}
	return next
}

// record is where a record or a list begins, from a place on; the end of the text if none does. alike says whether the first member tells
// it, where the column does not.
func (v *Values) record(from int, alike bool) int {
	for at := from; at < len(v.text); at++ {
		next := bytes.IndexAny(v.text[at:], "{[")
		if next < 0 {
			break
		}
		at += next
		switch column := v.columnOf(at); {
		case v.text[at] == '[':
			if column == 0 {
				return at
			}
		case column >= 0 && column == v.column, alike && bytes.HasPrefix(v.text[at:], v.begins):
			return at
		}
	}
	return len(v.text)
}
