package layout

import (
	"bytes"
	"encoding/json"
	"errors"

	"warmroute/hostsim/internal/rawjson"
)

// Spread says whether the text is JSON values that are not one a line: a list, objects that were indented, or objects one behind another in
// a line that is longer than head, or all there is. A first line that was cut, or has more behind its record, is a line.
func Spread(head []byte) bool {
	head = bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\ufeff")))
	line, next, more := bytes.Cut(head, []byte("\n"))
	line, next = bytes.TrimSpace(line), bytes.TrimSpace(next)
	opens := more && len(bytes.Trim(line, "[{ ")) == 0 // a record's first member comes in another line
	switch {
	case len(line) == 0:
		return false
	case line[0] == '[':
		return opens || bytes.HasPrefix(line, []byte(`[{"`)) || (len(line) == 1 || line[1] == '{' || line[1] == ' ') && !broken(head)
	case line[0] != '{':
		return false
	}
	if first := rawjson.First(line); first != nil {
		return !more && bytes.HasPrefix(bytes.TrimLeft(line[len(first):], ", "), []byte(`{"`))
	}
	return opens || more && (bytes.HasPrefix(next, []byte(`"`)) || line[len(line)-1] != '}' && !broken(head))
}

// broken says whether a text begins with what is no JSON value, nor the beginning of one.
func broken(text []byte) bool {
	var first json.RawMessage
	var fault *json.SyntaxError
	return errors.As(json.NewDecoder(bytes.NewReader(text)).Decode(&first), &fault)
}
