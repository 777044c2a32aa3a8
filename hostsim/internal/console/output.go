package console

import (
	"errors"
	"fmt"
	"strings"

	"warmroute/hostsim/internal/report"
)

// Output is where a study writes.
type Output struct {
	JSON string `help:"Write the results to this file; - is standard output." placeholder:"FILE"`
	HTML string `help:"Write a page with plots to this file." placeholder:"FILE"`
	Doc  string `help:"Write the findings and tables into this Markdown file, between its lines <!-- NAME --> and <!-- /NAME -->." placeholder:"FILE:NAME"`
}

// Write prints a page's findings and tables, and writes page and data where asked for.
func (o *Output) Write(s *Streams, page *report.Page, data any) error {
	files := o.Files(s, page, data) // before anything is printed: whoever reads that may end the program by closing the pipe
	out := s.Tables(o.JSON)
	for _, text := range append([]string{page.Lead}, page.Findings...) {
		if text != "" {
			fmt.Fprintf(out, "%s\n\n", text)
		}
	}
	for i := range page.Sections {
		if len(page.Sections[i].Columns) > 0 {
			if err := page.Sections[i].WriteText(out); err != nil {
				return errors.Join(files, err)
			}
		}
	}
	return errors.Join(files, s.ErrStopped())
}

// Files writes what a study is asked to write. A document keeps its tables where the study was stopped: those of what was done would
// stand there as if they were all.
func (o *Output) Files(s *Streams, page *report.Page, data any) error {
	if o.JSON != "" {
		if err := s.WriteJSON(o.JSON, data); err != nil {
			return err
		}
	}
	if o.Doc != "" && s.ErrStopped() == nil {
		file, name, _ := strings.Cut(o.Doc, ":")
		if err := report.Insert(file, name, page.Markdown()); err != nil {
			return err
		}
	}
	if o.HTML != "" {
		return s.WritePage(page, o.HTML)
	}
	return nil
}

// Try finds out whether the outputs can be written.
func (o *Output) Try() error {
	if err := Writable(o.JSON, o.HTML); err != nil || o.Doc == "" {
		return err
	}
	file, name, _ := strings.Cut(o.Doc, ":")
	return report.Find(file, name)
}
