package report

import (
	_ "embed"
	"html/template"
	"io"
	"os"
	"regexp"
)

// Page is a report: a headline, a summary in a sentence or two, and sections.
type Page struct {
	Title    string
	Lead     string   // the verdict
	Findings []string // paragraphs below it
	Sections []Section
	Explorer *Explorer // or nil
	Foot     string    // how the page was made
}

// Section is a heading followed by any of: a table, plots, bars, a grid, texts to copy. A section without columns has no table.
type Section struct {
	Table
	Plot  *Plot // or nil
	Plots []*Plot
	Bars  []Bars
	Grids []Grid
	Texts []Text
}

// Text is something to copy, shown as it is.
type Text struct{ Title, Text string }

//go:embed page.html
var pageText string

//go:embed page.css
var pageStyle string

//go:embed plots.js
var plotsScript string

//go:embed explorer.js
var explorerScript string

// unit is a number with its unit, which no line may part.
var unit = regexp.MustCompile(`(\d) (%|(?:ms|s|KB|MB)\b)`)

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"style":  func() template.CSS { return template.CSS(pageStyle) },
	"script": func() template.JS { return template.JS(explorerScript) },
	"plots":  func() template.JS { return template.JS(plotsScript) },
	"kept":   func(text string) string { return unit.ReplaceAllString(text, "$1\u00a0$2") },
}).Parse(pageText))

// WriteHTML writes the page as one file that needs no network.
func (p *Page) WriteHTML(w io.Writer) error { return pageTemplate.Execute(w, p) }

// WriteFile writes the page to a file, replacing it.
func (p *Page) WriteFile(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := p.WriteHTML(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
