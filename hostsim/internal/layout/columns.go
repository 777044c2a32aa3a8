package layout

import (
	"bytes"
	"encoding/csv"
	"regexp"
	"slices"
	"strings"
)

// column is a name in a table's header.
var column = regexp.MustCompile(`^[\pL_][\pL\pN _.()#-]{0,39}$`)

// Columns are the names of a table that has none of those that are looked for; nil: its first line is no header.
func Columns(line []byte) []string {
	for _, comma := range ",;\t" {
		r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(line, []byte("\ufeff"))))
		r.Comma = comma
		names, err := r.Read()
		if err == nil && len(names) > 1 && !slices.ContainsFunc(names, func(name string) bool { return !column.MatchString(strings.TrimSpace(name)) }) {
			return names
		}
	}
	return nil
}
