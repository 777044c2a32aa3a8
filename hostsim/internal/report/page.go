package report

import (
	_ "embed"
	"html/template"
	"io"
)

// Page is a report: a headline, what it says in a sentence or two, and sections.
type Page struct {
	Title    string
	Lead     string
	Sections []Section
	Foot     string // how the page was made
}

// Section is a table with an optional plot below it.
type Section struct {
	Table
	Plot *Plot // or nil
}

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// WriteHTML writes the page as one file that needs no network.
func (p *Page) WriteHTML(w io.Writer) error { return pageTemplate.Execute(w, p) }
