package report

import (
	"bytes"
	"fmt"
	"os"
	"strings"
)

// Markdown returns the page's sentences and tables as Markdown.
func (p *Page) Markdown() []byte {
	var b bytes.Buffer
	for _, text := range append([]string{p.Lead}, p.Findings...) {
		if text != "" {
			fmt.Fprintf(&b, "%s\n\n", text)
		}
	}
	for _, s := range p.Sections {
		if len(s.Columns) == 0 {
			continue
		}
		fmt.Fprintf(&b, "**%s.** %s\n\n", s.Title, s.Note)
		fmt.Fprintf(&b, "| %s |\n|%s\n", strings.Join(s.Columns, " | "), strings.Repeat("---|", len(s.Columns)))
		for _, row := range s.Rows {
			fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
		}
		b.WriteByte('\n')
	}
	if p.Foot != "" {
		fmt.Fprintf(&b, "(%s)\n", p.Foot)
	}
	return b.Bytes()
}

// Find says whether a file has the lines that Insert needs.
func Find(path, name string) error {
	have, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	_, _, err = parts(path, have, name)
	return err
}

// parts are a file's text before and after the lines of a name.
func parts(path string, have []byte, name string) (before, after []byte, err error) {
	begin, end := "<!-- "+name+" -->\n", "<!-- /"+name+" -->\n"
	before, rest, ok := bytes.Cut(have, []byte(begin))
	_, after, closed := bytes.Cut(rest, []byte(end))
	if !ok || !closed {
		return nil, nil, fmt.Errorf("%s: no lines %q and %q in it", path, strings.TrimSpace(begin), strings.TrimSpace(end))
	}
	return before, after, nil
}

// Insert replaces the text between the lines <!-- NAME --> and <!-- /NAME --> of a file. It is an error if a line is
// missing.
func Insert(path, name string, text []byte) error {
	have, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, after, err := parts(path, have, name)
	if err != nil {
		return err
	}
	begin, end := "<!-- "+name+" -->\n", "<!-- /"+name+" -->\n"
	return os.WriteFile(path, bytes.Join([][]byte{before, []byte(begin), []byte("\n"), text, []byte("\n"), []byte(end), after}, nil), 0o644)
}
