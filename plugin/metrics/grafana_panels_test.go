package metrics

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// Every panel of the dashboard has a title in words, says what it shows, and has a unit.
func TestGrafanaPanelsExplainThemselves(t *testing.T) {
	text, err := os.ReadFile(dashboardFile)
	if err != nil {
		t.Fatal(err)
	}
	var board struct {
		Panels []struct {
			Type, Title, Description string
			FieldConfig              struct{ Defaults struct{ Unit string } }
		}
	}
	if err := json.Unmarshal(text, &board); err != nil {
		t.Fatal(err)
	}
	titles := map[string]bool{}
	for _, p := range board.Panels {
		if p.Title == "" || strings.Contains(p.Title, "_") && !strings.Contains(p.Title, "(hold_limit)") || strings.ToLower(p.Title[:1]) == p.Title[:1] {
			t.Errorf("the title %q is not in words", p.Title)
		}
		if titles[p.Title] {
			t.Errorf("two panels have the title %q", p.Title)
		}
		titles[p.Title] = true
		if p.Type != "row" && (p.Description == "" || p.FieldConfig.Defaults.Unit == "") {
			t.Errorf("the panel %q needs a description and a unit", p.Title)
		}
	}
	if len(titles) < 40 {
		t.Errorf("%d panels are found", len(titles))
	}
}
