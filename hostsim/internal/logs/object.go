package logs

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// object is a JSON object whose members are not read yet.
type object map[string]json.RawMessage

// asObject reads an object, or a string with the text of one; nil: it is neither.
func asObject(raw json.RawMessage) object {
	raw = unquote(raw)
	if len(raw) == 0 || raw[0] != '{' {
		return nil
	}
	var o object
	if json.Unmarshal(raw, &o) != nil {
		return nil
	}
	return o
}

// unquote returns the JSON that a string holds, up to twice quoted, in base64 or as Python writes it, and anything else as it is.
func unquote(raw json.RawMessage) json.RawMessage {
	raw = bytes.TrimSpace(raw)
	for range 2 {
		var text string
		if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &text) != nil {
			break
		}
		inner := strings.TrimSpace(text)
		if strings.HasPrefix(inner, "eyJ") || strings.HasPrefix(inner, "eyA") || strings.HasPrefix(inner, "ewo") { // {" and {, blank or broken, as gateways encode bodies
			if plain, err := base64.StdEncoding.DecodeString(inner); err == nil && json.Valid(plain) {
				return bytes.TrimSpace(plain)
			}
		}
		if !strings.HasPrefix(inner, "{") && !strings.HasPrefix(inner, "[") && !strings.HasPrefix(inner, `"`) {
			break
		}
		if raw = json.RawMessage(inner); strings.HasPrefix(inner, "{'") || strings.HasPrefix(inner, "[{'") {
			if value := pythonJSON(inner); value != nil {
				return value
			}
		}
	}
	return raw
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

// text returns a member that is a string or a number, as text.
func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var n json.Number
	if json.Unmarshal(raw, &n) == nil {
		return n.String()
	}
	return ""
}

// whole returns a member that is a whole number of at least 0, as number or text; 120.0, as tables of floats have it, is one.
func whole(raw json.RawMessage) (int, bool) {
	n, err := strconv.ParseFloat(text(raw), 64)
	if err != nil || !(n >= 0 && n <= maxWhole) || hasFraction(n) {
		return 0, false
	}
	return int(n), true
}

// maxWhole is up to where a float64 has all whole numbers.
const maxWhole = 1 << 53

// plain is a member's name without case and punctuation: requestBody, request_body and Request-Body are one name.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r == '_' || r == '-' || r == '.' || r == ' ' || r == '@' || r == ':' || r == '$':
			return -1
		}
		return r
	}, name)
}

// names are those of an object's members that stand in a list, in the list's order; all others after them by alphabet,
// if rest is set.
func (o object) names(list []string, rest bool) []string {
	var listed, others []string
	ranks := map[string]int{}
	for name := range o {
		if rank := slices.Index(list, plain(name)); rank >= 0 {
			ranks[name] = rank
			listed = append(listed, name)
		} else if rest {
			others = append(others, name)
		}
	}
	slices.SortFunc(listed, func(a, b string) int { return cmp.Or(ranks[a]-ranks[b], strings.Compare(a, b)) })
	slices.Sort(others)
	return append(listed, others...)
}

// get returns the first member of one of the names whose value is neither null nor "" nor "-".
func (o object) get(list []string) json.RawMessage {
	for _, name := range o.names(list, false) {
		if v := o[name]; filled(v) {
			return v
		}
	}
	return nil
}

func filled(raw json.RawMessage) bool {
	switch string(bytes.TrimSpace(raw)) {
	case "", "null", `""`, `"-"`:
		return false
	}
	return true
}
