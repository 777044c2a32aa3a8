package logs

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"warmroute/hostsim/internal/rawjson"
)

// made is the value of v, as marshal writes it.
func made(v any) *value {
	text := marshal(v)
	if text == nil {
		return nil
	}
	return &value{raw: text, known: written}
}

// marshal is json.Marshal, nil where that fails: of values that were read before, which need no second check.
func marshal(v any) json.RawMessage {
	text, ok := appendJSON(nil, v)
	if !ok {
		return nil
	}
	return text
}

func appendJSON(dst []byte, v any) (out []byte, ok bool) {
	switch v := v.(type) {
	case *value:
		return appendValue(dst, v)
	case object:
		return appendObject(dst, v)
	case []object:
		return appendList(dst, v, appendObject)
	case []*value:
		return appendList(dst, v, appendValue)
	case int:
		return strconv.AppendInt(dst, int64(v), 10), true
	}
	text, err := json.Marshal(v)
	return append(dst, text...), err == nil
}

func appendList[T any](dst []byte, list []T, each func([]byte, T) ([]byte, bool)) (out []byte, ok bool) {
	if list == nil {
		return append(dst, "null"...), true
	}
	dst, ok = append(dst, '['), true
	for i := 0; ok && i < len(list); i++ {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst, ok = each(dst, list[i])
	}
	return append(dst, ']'), ok
}

func appendObject(dst []byte, o object) (out []byte, ok bool) {
	if o == nil {
		return append(dst, "null"...), true
	}
	dst, ok = append(dst, '{'), true
	for i, name := range slices.Sorted(maps.Keys(o)) {
		if i > 0 {
			dst = append(dst, ',')
		}
		quoted, _ := json.Marshal(name) // a string cannot fail
		dst = append(append(dst, quoted...), ':')
		if dst, ok = appendValue(dst, o[name]); !ok {
			break
		}
	}
	return append(dst, '}'), ok
}

func appendValue(dst []byte, v *value) (out []byte, ok bool) {
	switch {
	case v == nil:
		return append(dst, "null"...), true
	case v.known == written:
		return append(dst, v.raw...), true
	case !v.valid():
		return dst, false
	}
	return rawjson.Compact(dst, v.raw, true), true
}

// kept is the text without space between its parts, in memory of its own.
func (v *value) kept() []byte {
	if v == nil || v.known == written {
		return v.bytes()
	}
	return rawjson.Compact(make([]byte, 0, len(v.raw)), v.raw, false)
}

// Compact is the text as json.Compact writes it; one that is not JSON stays. It may be the value's own memory.
func (v *value) Compact() []byte {
	if v == nil || v.known >= tight || !v.valid() {
		return v.bytes()
	}
	return rawjson.Compact(make([]byte, 0, len(v.raw)), v.raw, false)
}
