package report

import (
	"os"
	"path/filepath"
	"testing"
)

func TestInsert(t *testing.T) {
	page := Page{Lead: "It helps.", Findings: []string{"By half."}, Foot: "a test", Sections: []Section{
		{Table: Table{Title: "Speed", Note: "In ms.", Columns: []string{"mode", "mean"}, Rows: [][]string{{"hash", "1"}}}}, {}}}
	file := filepath.Join(t.TempDir(), "doc.md")
	if err := os.WriteFile(file, []byte("before\n<!-- a -->\nold\n<!-- /a -->\nafter\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	want := "before\n<!-- a -->\n\nIt helps.\n\nBy half.\n\n**Speed.** In ms.\n\n| mode | mean |\n|---|---|\n| hash | 1 |\n\n(a test)\n\n<!-- /a -->\nafter\n"
	for range 2 { // a second time changes nothing
		if err := Insert(file, "a", page.Markdown()); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(file)
		if err != nil || string(got) != want {
			t.Errorf("got\n%s(%v), want\n%s", got, err, want)
		}
	}
	if err := Insert(file, "b", nil); err == nil {
		t.Error("no marks: no error")
	}
}
