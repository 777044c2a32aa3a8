package logs

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"warmroute/hostsim/internal/pyrepr"
	"warmroute/hostsim/internal/rawjson"
)

// object is a JSON object, whose members may be changed.
type object map[string]*value

// Object reads an object, or a string with the text of one; nil: it is neither.
func (v *value) Object() object {
	if v = v.Unquote(); !v.begins('{') || !v.valid() {
		return nil
	}
	parts := v.inner()
	o := make(object, len(parts))
	for i := range parts {
		o[v.names[i]] = &parts[i]
	}
	return o
}

// Items reads a list; nil: it is none.
func (v *value) Items() []*value {
	if !v.begins('[') || !v.valid() {
		return nil
	}
	parts := v.inner()
	list := make([]*value, len(parts))
	for i := range parts {
		list[i] = &parts[i]
	}
	return list
}

// Unquote returns the JSON that a string holds, up to twice quoted, in base64 or as Python writes it, and anything else as it is.
func (v *value) Unquote() *value { return v.held().held() }

// held returns the JSON that a string holds, and anything else as it is.
func (v *value) held() *value {
	if !v.begins('"') {
		return v
	}
	if v.inside == nil {
		if v.inside = v; v.mayHold() && v.valid() {
			if held := holds(bytes.TrimSpace(rawjson.Text(v.raw))); held != nil {
				v.inside = held
			}
		}
	}
	return v.inside
}

// mayHold says whether a string may hold JSON, by how it begins.
func (v *value) mayHold() bool {
	return len(v.raw) > 1 && (v.raw[1] <= ' ' || v.raw[1] >= utf8.RuneSelf || strings.IndexByte(`{[\e`, v.raw[1]) >= 0)
}

// holds is the JSON that a text is, or that it encodes; nil: it is none.
func holds(text []byte) *value {
	has := func(prefix string) bool { return bytes.HasPrefix(text, []byte(prefix)) }
	switch {
	case has("eyJ") || has("eyA") || has("ewo"): // {" and {, blank or broken, as gateways encode bodies
		plain := make([]byte, base64.StdEncoding.DecodedLen(len(text)))
		n, err := base64.StdEncoding.Decode(plain, text)
		if v := read(plain[:n]); err == nil && v.valid() {
			return v
		}
	case has("{'") || has("[{'"):
		if json := pyrepr.JSON(string(text)); json != nil {
			return &value{raw: json, known: checked}
		}
		return read(text)
	case has("{") || has("[") || has(`"`):
		return read(text)
	}
	return nil
}

// chatNames are the members that are told by their exact names, chatMembers the same as plain gives them.
var (
	chatNames   = []string{"model", "messages", "prompt", "input", "output", "role", "content", "system", "tools", "max_tokens", "instructions"}
	chatMembers = plains(chatNames)
)

func plains(names []string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = plain(name)
	}
	return out
}

// rename gives members such as Prompt, as spreadsheets and some programs write them, the names that bodies have; false: it has none.
func (o object) rename() (any bool) {
	for _, name := range o.names(chatMembers, false) {
		if known := chatNames[slices.Index(chatMembers, plain(name))]; name != known && o[known] == nil {
			o[known], any = o[name], true
			delete(o, name)
		}
	}
	return any
}

// Text returns a string or a number as text; "": v is neither, or null.
func (v *value) Text() string {
	if s, ok := v.Quoted(); ok {
		return s
	}
	if v != nil && len(v.raw) > 0 && (v.raw[0] == '-' || v.raw[0] >= '0' && v.raw[0] <= '9') && v.valid() {
		return string(v.raw)
	}
	return ""
}

// Quoted is the text of a string; false: v is none. null is an empty one.
func (v *value) Quoted() (string, bool) {
	switch {
	case v.begins('"') && v.valid():
		return string(rawjson.Text(v.raw)), true
	case v.begins('n') && v.valid():
		return "", true
	}
	return "", false
}

// Whole returns a whole number of at least 0, from a number or a text; 120.0, as tables of floats have it, is one. false: v is none.
func (v *value) Whole() (int, bool) {
	n, err := strconv.ParseFloat(v.Text(), 64)
	if err != nil || !(n >= 0 && n <= maxWhole) || hasFraction(n) {
		return 0, false
	}
	return int(n), true
}

// maxWhole is up to where a float64 has all whole numbers.
const maxWhole = 1 << 53

// plain is a member's name without case and punctuation: requestBody, request_body and Request-Body are one name.
func plain(name string) string {
	var room [64]byte
	if p := appendPlain(room[:0], name); string(p) != name {
		return string(p)
	}
	return name
}

func appendPlain(dst []byte, name string) []byte {
	for i := range len(name) {
		switch c := name[i]; {
		case c >= 'A' && c <= 'Z':
			dst = append(dst, c+'a'-'A')
		case c == '_' || c == '-' || c == '.' || c == ' ' || c == '@' || c == ':' || c == '$':
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

// rank is where a name stands in a list of plain names; -1: nowhere.
func rank(list []string, name string) int {
	if len(list) == 0 {
		return -1
	}
	var room [64]byte
	p := appendPlain(room[:0], name)
	return slices.IndexFunc(list, func(one string) bool { return one == string(p) })
}

// names are those of an object's members that stand in a list, in the list's order; all others after them by alphabet,
// if rest is set.
func (o object) names(list []string, rest bool) []string {
	type ranked struct {
		rank int
		name string
	}
	found := make([]ranked, 0, 8)
	for name := range o {
		at := len(list)
		if i := rank(list, name); i >= 0 {
			at = i
		} else if !rest {
			continue
		}
		found = append(found, ranked{at, name})
	}
	slices.SortFunc(found, func(a, b ranked) int { return cmp.Or(a.rank-b.rank, strings.Compare(a.name, b.name)) })
	out := make([]string, len(found))
	for i, f := range found {
		out[i] = f.name
	}
	return out
}

// get returns the first member of one of the names whose value is neither null nor "" nor "-".
func (o object) get(list []string) *value {
	for _, name := range o.names(list, false) {
		if v := o[name]; v.Filled() {
			return v
		}
	}
	return nil
}

// Filled says whether there is something: neither null nor "" nor "-", which tables and logs have for nothing.
func (v *value) Filled() bool {
	if v == nil {
		return false
	}
	switch string(v.raw) {
	case "", "null", `""`, `"-"`:
		return false
	}
	return true
}
