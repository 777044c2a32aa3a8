package doctor

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"warmroute/hostsim/internal/finding"
)

// Replicas are asked what their chat template puts first.
func TestOrderOfReplicas(t *testing.T) {
	const preamble = "a preamble that some templates have "
	for _, c := range []struct {
		name   string
		render func(system, tool string) string // "": it has no /tokenize
		set    bool
		want   string
		cure   string
	}{
		{"system first", func(system, tool string) string { return preamble + system + tool }, false, "", ""},
		{"tools first", func(system, tool string) string { return preamble + tool + system }, false, "has the tools before the system prompt, and tools_first is false", "tools_first: true"},
		{"tools first, set", func(system, tool string) string { return tool + system }, true, "", ""},
		{"system first, set", func(system, tool string) string { return system + tool }, true, "has the system prompt before the tools, and tools_first is true", "tools_first: false"},
		{"no tools", func(system, _ string) string { return preamble + system }, true, "", ""},
		{"no system prompt", func(_, tool string) string { return preamble + tool }, false, "", ""},
		{"no /tokenize", func(string, string) string { return "" }, true, "", ""},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/metrics":
				fmt.Fprint(w, "up 1\n")
			case "/v1/models":
				fmt.Fprint(w, `{"data":[{"id":"m"}]}`)
			case "/tokenize":
				var body struct {
					Model    string
					Messages []struct{ Content string }
					Tools    []struct{ Function struct{ Description string } }
				}
				if err := json.NewDecoder(r.Body).Decode(&body); err != nil || body.Model != "m" || len(body.Messages) != 2 || len(body.Tools) != 1 {
					t.Errorf("%s: %+v, %v", c.name, body, err)
					return
				}
				if text := c.render(body.Messages[0].Content, body.Tools[0].Function.Description); text != "" {
					tokens, err := json.Marshal([]rune(text + "Hi"))
					fmt.Fprintf(w, `{"count":1,"tokens":%s}`, tokens)
					if err != nil {
						t.Error(err)
					}
					return
				}
				http.NotFound(w, r)
			default:
				http.NotFound(w, r)
			}
		}))
		host := strings.TrimPrefix(server.URL, "http://")
		found := examineReplicas(t.Context(), Options{Admin: server.URL, Timeout: 5 * time.Second}, []fleet{{hosts: []string{host}, tools: c.set}})
		server.Close()
		text := fmt.Sprintf("%+v", found)
		if worst := finding.Worst(found); (worst == finding.Weak) != (c.want != "") || !strings.Contains(text, c.want) || !strings.Contains(text, c.cure) || worst == finding.Broken {
			t.Errorf("%s: %s", c.name, text)
		}
	}
}
