package loose

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"warmroute/hostsim/internal/rawjson"
)

// Made is the value of v, as Marshal writes it.
func Made(v any) *Value {
	text := Marshal(v)
	if text == nil {
		return nil
	}
	return &Value{raw: text, known: written}
}

// Marshal is json.Marshal, but that values which were read before need no second check; nil: v has a text that is no JSON.
func Marshal(v any) json.RawMessage {
	text, ok := appendJSON(nil, v)
	if !ok {
		return nil
	}
	return text
}

func appendJSON(dst []byte, v any) (out []byte, ok bool) {
	switch v := v.(type) {
	case *Value:
		return appendValue(dst, v)
	case Object:
		return appendObject(dst, v)
	case []Object:
		return appendList(dst, v, appendObject)
	case []*Value:
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

func appendObject(dst []byte, o Object) (out []byte, ok bool) {
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

func appendValue(dst []byte, v *Value) (out []byte, ok bool) {
	switch {
	case v == nil:
		return append(dst, "null"...), true
	case v.known == written:
		return append(dst, v.raw...), true
	case !v.Valid():
		return dst, false
	}
	return rawjson.Compact(dst, v.raw, true), true
}

// Kept is the text without space between its parts, in memory of its own.
func (v *Value) Kept() []byte {
	if v == nil || v.known == written {
		return v.Bytes()
	}
	return rawjson.Compact(make([]byte, 0, len(v.raw)), v.raw, false)
}

// Compact is the text as json.Compact writes it; one that is not JSON stays. It may be the
// value's own memory, which an append leaves as it is.
func (v *Value) Compact() []byte {
	if v == nil || v.known >= tight || !v.Valid() {
		return slices.Clip(v.Bytes())
	}
	return rawjson.Compact(make([]byte, 0, len(v.raw)), v.raw, false)
}
