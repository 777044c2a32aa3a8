package find

import (
	"bytes"
	"encoding/csv"
	"regexp"
	"slices"
	"strings"

	"warmroute/hostsim/internal/chats"
	"warmroute/hostsim/internal/loose"
)

// columnUnit is what Azure's exports have behind the names of times.
var columnUnit = regexp.MustCompile(` \[[A-Za-z ]+\]`)

// Header reads the first line of a table, as databases and spreadsheets export logs: names, one of which is that of a
// body, or a row with a body in it. 0: the text is no such table; else its separator.
func Header(head []byte) (names []string, comma rune) {
	line, _, _ := bytes.Cut(bytes.TrimPrefix(head, []byte("\ufeff")), []byte("\n"))
	if line = columnUnit.ReplaceAll(line, nil); bytes.ContainsAny(line, "{}[]") {
		return nil, 0
	}
	for _, comma = range ",;\t" {
		r := csv.NewReader(bytes.NewReader(line))
		r.Comma = comma
		names, err := r.Read()
		if err == nil && len(names) == 1 && loose.IsOne(strings.TrimSpace(names[0]), []string{"prompt", "messages"}) {
			return names, comma
		}
		if err != nil || len(names) < 2 {
			continue
		}
		if second, err := secondRow(head, comma); err == nil && len(second) == len(names) && slices.ContainsFunc(second, fieldHasBody) {
			return names, comma
		}
		has := func(of ...string) bool {
			return slices.ContainsFunc(names, func(name string) bool { return loose.IsOne(strings.TrimSpace(name), of) })
		}
		if has("messages", "prompt", "spanattributes", "requestmessages") || has(bodyNames...) || has(wrapNames...) || has("role") && has("content") {
			return names, comma
		}
	}
	return nil, 0
}

// secondRow is the second row of a table.
func secondRow(head []byte, comma rune) ([]string, error) {
	r := csv.NewReader(bytes.NewReader(head))
	r.Comma, r.FieldsPerRecord = comma, -1
	_, _ = r.Read()
	return r.Read()
}

func fieldHasBody(field string) bool {
	o := loose.Read([]byte(field)).Object()
	return o != nil && HasBody(o) || chats.IsTurns(loose.Made(field).Unquote())
}
