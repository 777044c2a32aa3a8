package prompt

import (
	"slices"
	"strings"
	"testing"

	"warmroute/plugin/prefix"
)

// TestOrderOfTheTemplate: prompts share what the chat templates of their models put first. Most put the system prompt before the tools
// (of 57 of llama.cpp's collection 42), so that prompts of the same tools, as a coding agent has them in every project, share nothing
// behind the place where their system prompts begin to differ; in the others they share all of the tools.
func TestOrderOfTheTemplate(t *testing.T) {
	tools := `"tools":[{"name":"look","input_schema":{"description":"` + evergreen[:6000] + `"}}]`
	system := func(project string) string { return evergreen[:1000] + project + evergreen[:3000] }
	bodies := map[string]func(project string) (Format, string){
		"messages": func(p string) (Format, string) {
			return Messages, `{"system":"` + system(p) + `",` + tools + `,"messages":[` + turnOf("user", "Hi") + `]}`
		},
		"messages, tools first": func(p string) (Format, string) {
			return Messages, `{` + tools + `,"system":"` + system(p) + `","messages":[` + turnOf("user", "Hi") + `]}`
		},
		"chat": func(p string) (Format, string) {
			return Chat, `{` + tools + `,"messages":[` + turnOf("system", system(p)) + `,` + turnOf("user", "Hi") + `]}`
		},
		"chat, tools last": func(p string) (Format, string) {
			return Chat, `{"messages":[` + turnOf("developer", system(p)) + `,` + turnOf("user", "Hi") + `],` + tools + `}`
		},
		"responses": func(p string) (Format, string) {
			return Responses, `{"input":"Hi","instructions":"` + system(p) + `",` + tools + `}`
		},
		"responses, as an item": func(p string) (Format, string) {
			return Responses, `{"input":[` + turnOf("developer", system(p)) + `,` + turnOf("user", "Hi") + `],` + tools + `}`
		},
		"responses, role behind": func(p string) (Format, string) {
			return Responses, `{"input":[{"content":"` + system(p) + `","role":"system"},` + turnOf("user", "Hi") + `],` + tools + `}`
		},
	}
	for name, body := range bodies {
		for first, want := range map[bool][2]int{false: {768, 1100}, true: {6900, 7200}} {
			var chains [3]prefix.Chain
			for i, project := range []string{"A", "B", "A"} {
				format, text := body(project)
				p := mustScan(t, format, text)
				p.ToolsFirst = first
				p.Chain(&chains[i], 1)
				if last := chains[i].Len() - 1; p.Hash(1, last) != chains[i].Hash[last] {
					t.Errorf("%s: Hash is not the chain's", name)
				}
			}
			n := 0
			for n < chains[0].Len() && chains[0].Hash[n] == chains[1].Hash[n] {
				n++
			}
			if shared := chains[0].Covered(n); shared < want[0] || shared > want[1] || chains[0].Len() != chains[2].Len() {
				t.Errorf("%s, tools first %v: two projects share %d bytes, want %v", name, first, shared, want)
			}
		}
	}
}

// TestOpeningIsNoTurn: a system prompt that is a turn is one part, whether it is told as a turn or apart.
func TestOpeningIsNoTurn(t *testing.T) {
	turns := `"messages":[` + turnOf("system", evergreen[:700]) + `,` + turnOf("user", "Hi") + `,` + turnOf("system", "More.") + `]`
	one := mustScan(t, Chat, `{`+turns+`}`)
	if twice := mustScan(t, Chat, `{`+strings.Replace(turns, "Hi", "Ho", 1)+`,`+turns+`}`); string(twice.Text) != string(one.Text) || one.SystemLen != twice.SystemLen {
		t.Errorf("of members that come twice the last counts: %q", twice.Text)
	}
	if only := mustScan(t, Chat, `{"messages":[`+turnOf("system", evergreen[:700])+`]}`); only.SystemLen != one.SystemLen || only.Size() != one.SystemLen {
		t.Errorf("a system prompt alone: %d of %d bytes", only.SystemLen, only.Size())
	}
}

// TestChainsOfAllAPIs: a system prompt and a question are the same blocks in each of them.
func TestChainsOfAllAPIs(t *testing.T) {
	system, question := evergreen[:1500], evergreen[:700]
	chat := mustScan(t, Chat, `{"messages":[`+turnOf("system", system)+`,`+turnOf("user", question)+`]}`)
	for _, other := range []*Prompt{
		mustScan(t, Messages, `{"system":"`+system+`","messages":[`+turnOf("user", question)+`]}`),
		mustScan(t, Responses, `{"instructions":"`+system+`","input":"`+question+`"}`),
	} {
		if !slices.Equal(chainOf(other), chainOf(chat)) {
			t.Errorf("%v has other blocks than chat completions", other.Format)
		}
	}
}
