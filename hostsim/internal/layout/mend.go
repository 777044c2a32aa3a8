package layout

import (
	"bytes"

	"warmroute/hostsim/internal/rawjson"
)

// Cut says whether a text is an object that is cut, or broken.
func Cut(text []byte) bool { return bytes.HasPrefix(text, []byte("{")) && !rawjson.Valid(text) }

// Mend makes one object again of a text that is one and broken, such as an archive of HTTP that was cut: without what is broken in the longest
// of its lists that are in no other list, and without what is behind that. Where the list has nothing else, what is broken is mended so itself.
// line is where the text begins, and broken the lines of what is left out. nil: nothing is whole, or more than that is broken.
func Mend(text []byte, line int) (mended []byte, broken []int) { return mend(text, line, deepest) }

// deepest is how many lists may be one in another: OTLP's are of resources, scopes and spans.
const deepest = 4

func mend(text []byte, line, deepest int) (mended []byte, broken []int) {
	list, end, depth := longestList(text)
	if list == end {
		return nil, nil
	}
	out := bytes.Clone(text[:list+1])
	v := &Values{text: text[:end], at: list, lines: list, line: line + bytes.Count(text[:list], []byte("\n")), column: -1}
	for {
		value, whole := v.Next()
		if value == nil {
			break
		}
		first := len(out) == list+1
		if !whole {
			lines := []int{v.Line()}
			alone := first && v.Ended() && deepest > 1
			if alone {
				value, lines = mend(value, v.Line(), deepest-1)
			}
			if broken = append(broken, lines...); !alone {
				continue
			}
		}
		if !first {
			out = append(out, ',')
		}
		out = append(out, value...)
	}
	if len(out) == list+1 {
		return nil, nil
	}
	out = append(out, ']')
	for range depth {
		out = append(out, '}')
	}
	if !rawjson.Valid(out) {
		return nil, nil
	}
	return out, broken
}

// longestList is where the longest of those lists begins and ends, and how many objects are around it.
func longestList(text []byte) (from, to, around int) {
	list, lists, objects, depth := -1, 0, 0, 0
	ends := func(at int) {
		if list >= 0 && at-list > to-from {
			from, to, around = list, at, objects
		}
		list = -1
	}
	for at := 0; at < len(text); at++ {
		switch text[at] {
		case '"':
			for at++; at < len(text) && text[at] != '"'; at++ {
				if text[at] == '\\' {
					at++
				}
			}
		case '{':
			depth++
		case '}':
			depth--
		case '[':
			if lists == 0 {
				list, objects = at, max(depth, 0)
			}
			lists++
		case ']':
			if lists--; lists <= 0 {
				lists = 0
				ends(at)
			}
		}
	}
	ends(len(text))
	return from, to, around
}
