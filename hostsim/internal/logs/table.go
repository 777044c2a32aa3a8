package logs

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"warmroute/hostsim/internal/layout"
	"warmroute/hostsim/internal/loose"
)

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
	c.garbled = false
	for i, name := range names {
		c.spelled(utf8.ValidString(fields[i]))
		field := loose.Read([]byte(fields[i]))
		holds := field.Begins('{') || field.Begins('[')
		if holds && !field.Valid() {
			field = loose.Read([]byte(layout.Batch(fields[i])))
		}
		if !holds || !field.Valid() {
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
