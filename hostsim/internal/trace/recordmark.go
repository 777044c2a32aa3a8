package trace

import (
	"bytes"
	"encoding/base64"
)

// recordMark begins a record of the module (setting `record`), wherever it stands in a line of an access log; packedMark the same in
// base64, as JSON has the bytes of Envoy's access log service (filter_state_objects_to_log) and of %FILTER_STATE(…:TYPED)%.
var recordMark, packedMark = []byte("wr1;t="), []byte("d3IxO3Q9")

// HasRecord says whether a text has the beginning of a record.
func HasRecord(text []byte) bool {
	return bytes.Contains(text, recordMark) || bytes.Contains(text, packedMark)
}

// recordIn is the first record of a line; nil: it has none.
func recordIn(line []byte) []byte {
	if at := bytes.Index(line, recordMark); at >= 0 {
		text := line[at:]
		if end := bytes.IndexAny(text, " \t\"'\\,}"); end >= 0 {
			text = text[:end]
		}
		return text
	}
	at := bytes.Index(line, packedMark)
	if at < 0 {
		return nil
	}
	text := line[at:]
	if end := bytes.IndexFunc(text, notBase64); end >= 0 {
		text = text[:end]
	}
	out := make([]byte, base64.RawStdEncoding.DecodedLen(len(text)))
	n, _ := base64.RawStdEncoding.Decode(out, text) // of one that is cut short, what there is
	return out[:n]
}

func notBase64(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '+' && r != '/'
}
