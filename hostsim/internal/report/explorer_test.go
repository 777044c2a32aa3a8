package report

import (
	"encoding/json"
	"testing"
)

// A reason that means something else beside a why is explained by both.
func TestExplorerExplainsReasonsByTheirWhy(t *testing.T) {
	choices := [][]Choice{{{PromptTokens: 1, Decision: "reason=by_load;waiting=0"}, {PromptTokens: 1, Decision: "reason=by_load;why=slow"}, {PromptTokens: 1, Decision: "reason=match"}}}
	x, err := NewExplorer([]string{"a"}, choices, func(name, value, why string) string { return name + " " + value + " " + why })
	if err != nil {
		t.Fatal(err)
	}
	var data explorerData
	if err := json.Unmarshal(x.Data, &data); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{
		"reason=by_load": "reason by_load ", "reason=by_load;why": "reason by_load slow", "reason=match": "reason match ", "why=slow": "why slow slow", "waiting": "waiting 0 ",
	} {
		if got := data.Meanings[key]; got != want {
			t.Errorf("%s: %q, want %q", key, got, want)
		}
	}
}
