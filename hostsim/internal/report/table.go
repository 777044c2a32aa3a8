// Package report shows results: as a table on the terminal, and as one self-contained HTML page with plots that needs no
// network.
package report

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// Table is a heading, a sentence or two, and rows of cells. The first column names the row.
type Table struct {
	Title   string
	Note    string
	Columns []string
	Rows    [][]string
}

// WriteText prints the table with aligned columns, numbers to the right.
func (t *Table) WriteText(w io.Writer) error {
	if _, err := fmt.Fprintf(w, "%s\n", t.Title); err != nil {
		return err
	}
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, cells := range append([][]string{t.Columns}, t.Rows...) {
		// tabwriter aligns all columns alike: the names are padded here so that they stand at the left.
		fmt.Fprintf(tw, "%-*s\t%s\t\n", t.nameWidth(), cells[0], strings.Join(cells[1:], "\t"))
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w)
	return err
}

func (t *Table) nameWidth() int {
	width := len(t.Columns[0])
	for _, row := range t.Rows {
		width = max(width, len(row[0]))
	}
	return width
}
