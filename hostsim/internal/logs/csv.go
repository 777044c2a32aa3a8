package logs

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"warmroute/hostsim/internal/chats"
	"warmroute/hostsim/internal/loose"
)

// columnUnit is what Azure's exports have behind the names of times.
var columnUnit = regexp.MustCompile(` \[[A-Za-z ]+\]`)

// header reads the first line of a table, as databases and spreadsheets export logs: names, one of which is that of a
// body, or a row with a body in it. 0: the text is no such table; else its separator.
func header(head []byte) (names []string, comma rune) {
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
		if has("messages", "prompt", "spanattributes") || has(bodyNames...) || has(wrapNames...) || has("role") && has("content") {
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
	return chats.IsBody(loose.Read([]byte(field)).Object()) || chats.IsTurns(loose.Made(field).Unquote())
}

// table reads the rows of a table as records; names has been read.
func (c *collector) table(in io.Reader, names []string, comma rune) error {
	for i, name := range names {
		names[i] = strings.TrimSpace(name)
	}
	r := csv.NewReader(in)
	r.Comma, r.FieldsPerRecord, r.ReuseRecord = comma, -1, true
	r.LazyQuotes = comma == '\t' || len(names) == 1 // which databases write without quotes, and people by hand
	for row := 0; !c.full(); row++ {
		fields, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		var fault *csv.ParseError
		if errors.As(err, &fault) {
			c.report.Lines++
			c.line = fault.StartLine
			c.leave("a row that is broken: " + fault.Err.Error())
			continue
		} else if err != nil {
			return c.ends(err, row > 1)
		}
		if row == 0 {
			continue
		}
		c.line, _ = r.FieldPos(0)
		if c.skips() {
			continue
		}
		if len(names) == 1 {
			fields = []string{strings.Join(fields, string(comma))}
		}
		if len(fields) != len(names) {
			c.report.Lines++
			c.leave(fmt.Sprintf("not as many fields as the table's header has, %d", len(names)))
			continue
		}
		c.row(names, fields)
	}
	return nil
}

// row takes one row: an object whose members are texts, but for those that hold JSON.
func (c *collector) row(names, fields []string) {
	o := loose.Object{}
	for i, name := range names {
		field := loose.Read([]byte(fields[i]))
		if !field.Begins('{') && !field.Begins('[') || !field.Valid() {
			field = loose.Made(fields[i])
		}
		o[name] = field
	}
	if c.first == nil {
		c.first = loose.Marshal(o)
	}
	c.report.Lines++
	c.object(o, nil)
}
