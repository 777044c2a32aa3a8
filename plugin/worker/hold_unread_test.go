package worker

import (
	"strings"
	"testing"

	"warmroute/plugin/inspect"
	"warmroute/plugin/share/memstore"
	"warmroute/plugin/why"
)

// Where prompts wait, those wait as well that are not read here, for servers may read them: Python's take NaN, and heed no encoding. Of what
// is too long to be held, and where nothing waits, none is held to its end.
func TestUnreadPromptsWait(t *testing.T) {
	long := `"prompt":"` + strings.Repeat("and so on ", 10_000) + `"}`
	for _, c := range []struct {
		name, path, encoding, body string
		code                       why.Code
		waits                      bool
	}{
		{"NaN", "/v1/completions", "", `{"x":NaN,"model":"m",` + long, why.BrokenJSON, true},
		{"nested too deep", "/v1/completions", "", `{"x":` + strings.Repeat("[", 99) + strings.Repeat("]", 99) + "," + long, why.TooDeep, true},
		{"an odd shape", "/v1/completions", "", `{"prompt":{},` + long, why.UnknownShape, true},
		{"cut short", "/v1/completions", "", `{"model":"m","prompt":"a`, why.BrokenJSON, true},
		{"a false encoding", "/v1/completions", "gzip", `{"model":"m",` + long, why.Encoded, true},
		{"too long", "/v1/completions", "", `{"x":NaN,"model":"m","prompt":"` + strings.Repeat("and so on ", 300_000) + `"}`, why.BrokenJSON, false},
		{"prompts that are not read by their path", "/v1/chat/completions/batch", "", `{"model":"m",` + long, why.NoPrompt, true},
		{"such, with a false encoding", "/cohere/v2/chat", "gzip", `{"model":"m",` + long, why.NoPrompt, true},
		{"no prompt by its path", "/v1/embeddings", "gzip", `{"model":"m",` + long, why.NoPrompt, false},
	} {
		for _, crowded := range []bool{true, false} {
			w := workerOf(t, `{"endpoints":["10.0.0.1:80","10.0.0.2:80","10.0.0.3:80"],"seed":5,"scrape":{"path":""}}`, memstore.New())
			if crowded {
				w = crowdedWorker(t, "")
			}
			x := new(Exchange)
			verdict, code := x.Begin(w, &inspect.Head{Method: "POST", Path: c.path, ContentType: "application/json", ContentEncoding: c.encoding, Length: len(c.body)})
			early := verdict == inspect.ByLoad || feed(x, []byte(c.body), 1000) > 0
			want := crowded && c.waits
			if early == want && c.name != "cut short" {
				t.Errorf("%s, prompts wait %v: decided before its end: %v", c.name, crowded, early)
			}
			if got := !early && x.Hold(1, 10*second); got != want {
				t.Errorf("%s, prompts wait %v: it waits: %v", c.name, crowded, got)
			} else if got {
				x.LeaveHold(12 * second)
			}
			if passed := x.Decide(true, 12*second); passed != "" || x.Decision().Why != c.code && code != c.code {
				t.Errorf("%s: passed because of %q, by load because of %q; want %q", c.name, passed, x.Decision().Why, c.code)
			}
			x.End(13*second, false)
			if !w.inspector.Idle() {
				t.Errorf("%s: its body is read for ever", c.name)
			}
		}
	}
}

// So do those of a pool by model, which are read as far as their model.
func TestUnreadPromptsOfAPoolWait(t *testing.T) {
	for _, c := range []struct{ path, encoding string }{{"/v1/chat/completions/batch", ""}, {"/cohere/v2/chat", ""}, {"/v1/chat/completions/batch", "gzip"}, {"/v1/embeddings", ""}} {
		w := workerOf(t, `{"seed":5,"scrape":{"path":""},"hold_limit":"10s","steer":{"via":"property"},"pools":[{"name":"m","match":{"models":["m"]},"endpoints":["10.0.0.1:80","10.0.0.2:80","10.0.0.3:80"]}]}`, memstore.New())
		crowd(t, w)
		x := new(Exchange)
		body := []byte(`{"model":"m","x":"` + strings.Repeat("and so on ", 1000) + `"}`)
		verdict, _ := x.Begin(w, &inspect.Head{Method: "POST", Path: c.path, ContentType: "application/json", ContentEncoding: c.encoding, Length: len(body)})
		early := verdict == inspect.ByLoad || feed(x, body, 1000) > 0
		want := c.path != "/v1/embeddings" && c.encoding == ""
		if got := !early && x.Hold(1, 10*second); got != want {
			t.Errorf("%s %s: it waits: %v, want %v", c.path, c.encoding, got, want)
		} else if got {
			x.LeaveHold(12 * second)
		}
		x.Decide(true, 12*second)
		x.End(13*second, false)
	}
}

// A request that is not read has its turn by the length of its body.
func TestUnreadPromptsHaveTheirTurn(t *testing.T) {
	w := crowdedWorker(t, "")
	x := new(Exchange)
	x.Begin(w, &inspect.Head{Method: "POST", Path: "/v1/completions", ContentType: "application/json"})
	feed(x, []byte(`{"x":NaN,"model":"m","prompt":"`+strings.Repeat("and so on ", 500)+`"}`), 1000)
	if !x.Hold(1, 10*second) {
		t.Fatal("it does not wait")
	}
	if _, waits := tryHold(w, 2, 100, 10*second+1); !waits {
		t.Fatal("a shorter one does not wait")
	}
	fill(w.pools[0], 12*second, .05, 1, 1)
	if id, _ := w.Due(12 * second); id != 2 {
		t.Errorf("request %d goes first, want the shorter one", id)
	}
}
