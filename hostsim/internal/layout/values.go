package layout

import (
	"bytes"
	"encoding/json"
	"errors"
)

// Spread says whether the text is JSON values over several lines: an array, or objects that were indented. One whose first value is
// no JSON is not: its first line may have been cut.
func Spread(head []byte) bool {
	head = bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\ufeff")))
	if len(head) == 0 {
		return false
	}
	line, _, more := bytes.Cut(head, []byte("\n"))
	line = bytes.TrimSpace(line)
	var may bool
	switch head[0] {
	case '[':
		may = len(line) == 1 || line[1] == '{' || line[1] == ' '
	case '{':
		may = more && (len(line) == 1 || !json.Valid(line) && line[len(line)-1] != '}')
	}
	if !may {
		return false
	}
	var first json.RawMessage
	var fault *json.SyntaxError
	err := json.NewDecoder(bytes.NewReader(head)).Decode(&first)
	return !errors.As(err, &fault)
}
