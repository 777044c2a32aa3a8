package metrics

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
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

// What is chosen above the dashboard holds for all of its panels.
func TestGrafanaFollowsItsVariables(t *testing.T) {
	for _, q := range dashboardQueries(t) {
		for _, found := range metricName.FindAllStringIndex(q.expr, -1) {
			name, behind := q.expr[found[0]:found[1]], q.expr[found[1]:]
			if d := definitionOf(name); d != nil && strings.HasPrefix(q.where, "panel ") && slices.Contains(strings.Fields(d.labels), "pool") && !strings.HasPrefix(behind, `{pool=~"$pool"`) {
				t.Errorf("%s: %s is of all pools, whichever is chosen: %s", q.where, name, q.expr)
			}
		}
	}
}

// What each gateway counts of its own requests is added up.
func TestGrafanaAddsUpGateways(t *testing.T) {
	own := regexp.MustCompile(`(\w+)(?: by \([a-z, ]*\) )?\((warmroute_(?:held|in_flight|waiting_prefill_tokens))\b`)
	found := map[string]bool{}
	for _, q := range dashboardQueries(t) {
		for _, m := range own.FindAllStringSubmatch(q.expr, -1) {
			if found[m[2]] = true; m[1] != "sum" && m[1] != "label_values" {
				t.Errorf("%s: %s of the gateways' %s, want the sum: %s", q.where, m[1], m[2], q.expr)
			}
		}
	}
	if len(found) != 3 {
		t.Errorf("found %v", found)
	}
}
