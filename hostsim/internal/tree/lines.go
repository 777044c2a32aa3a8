package tree

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Lines finds the lines of all fields of a text of JSON.
type Lines struct {
	text []byte
	dec  *json.Decoder
	done int64          // bytes whose lines are counted
	line int            // there
	of   map[string]int // by path, such as endpoints[1].address; of a field given twice, the second
}

// LinesOf walks through valid JSON. A text of one line has no lines to tell.
func LinesOf(text []byte) *Lines {
	w := &Lines{text: text, dec: json.NewDecoder(bytes.NewReader(text)), line: 1, of: map[string]int{}}
	if bytes.Contains(bytes.TrimSpace(text), []byte("\n")) {
		w.value("")
	}
	return w
}

// Field is the line of a field; of one that is missing, that of what it is missing in. 0: it is not known, as that of a name
// that is no word, or of nil.
func (w *Lines) Field(path string) int {
	if w == nil || strings.ContainsRune(path, '"') {
		return 0
	}
	for path != "" && w.of[path] == 0 {
		path = path[:max(strings.LastIndexAny(path, ".["), 0)]
	}
	return w.of[path]
}

func (w *Lines) see(path string) {
	at := w.dec.InputOffset()
	w.line += bytes.Count(w.text[w.done:at], []byte("\n"))
	w.done, w.of[path] = at, w.line
}

func (w *Lines) value(path string) {
	token, err := w.dec.Token()
	if err != nil {
		return
	}
	if strings.HasSuffix(path, "]") {
		w.see(path)
	}
	switch token {
	case json.Delim('{'):
		for w.dec.More() {
			name, err := w.dec.Token()
			if err != nil {
				return
			}
			inner := strings.TrimPrefix(fmt.Sprintf("%s.%s", path, name), ".")
			w.see(inner)
			w.value(inner)
		}
	case json.Delim('['):
		for i := 0; w.dec.More(); i++ {
			w.value(fmt.Sprintf("%s[%d]", path, i))
		}
	default:
		return
	}
	_, _ = w.dec.Token() // the bracket that closes it
}
