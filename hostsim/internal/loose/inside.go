package loose

import (
	"bytes"
	"encoding/base64"
	"strings"
	"unicode/utf8"

	"warmroute/hostsim/internal/pyrepr"
	"warmroute/hostsim/internal/rawjson"
)

// Unquote returns the JSON that a string holds, up to twice quoted, in base64 or as Python writes it, and anything else as it is.
func (v *Value) Unquote() *Value { return v.held().held() }

// held returns the JSON that a string holds, and anything else as it is.
func (v *Value) held() *Value {
	if !v.Begins('"') {
		return v
	}
	if v.inside == nil {
		if v.inside = v; v.mayHold() && v.Valid() {
			if held := holds(bytes.TrimSpace(rawjson.Text(v.raw))); held != nil {
				v.inside = held
			}
		}
	}
	return v.inside
}

// mayHold says whether a string may hold JSON, by how it begins.
func (v *Value) mayHold() bool {
	return len(v.raw) > 1 && (v.raw[1] <= ' ' || v.raw[1] >= utf8.RuneSelf || strings.IndexByte(`{[\e`, v.raw[1]) >= 0)
}

// holds is the JSON that a text is, or that it encodes; nil: it is none.
func holds(text []byte) *Value {
	has := func(prefix string) bool { return bytes.HasPrefix(text, []byte(prefix)) }
	switch {
	case has("eyJ") || has("eyA") || has("ewo"): // {" and {, blank or broken, as gateways encode bodies
		plain := make([]byte, base64.StdEncoding.DecodedLen(len(text)))
		n, err := base64.StdEncoding.Decode(plain, text)
		if v := Read(plain[:n]); err == nil && v.Valid() {
			return v
		}
	case has("{'") || has("[{'"):
		if json := pyrepr.JSON(string(text)); json != nil {
			return &Value{raw: json, known: checked}
		}
		return Read(text)
	case has("{") || has("[") || has(`"`):
		return Read(text)
	}
	return nil
}
