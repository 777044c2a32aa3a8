package worker

import (
	"fmt"
	"strings"
	"testing"

	"warmroute/plugin/inspect"
	"warmroute/plugin/share/memstore"
)

// long begins a completion of so many KB at w.
func long(w *Worker, head inspect.Head, kb int) (x *Exchange, body []byte) {
	body = fmt.Appendf(nil, `{"model":"m","prompt":%q}`, strings.Repeat("and so on ", kb*100))
	head.Method, head.Path, head.ContentType, head.Length = "POST", "/v1/completions", "application/json", len(body)
	x = new(Exchange)
	x.Begin(w, &head)
	return x, body
}

// feed gives x its body in pieces, and returns how much of it decided; 0: its end has.
func feed(x *Exchange, body []byte, piece int) (decided int) {
	for n := 0; n < len(body); {
		part := body[n:min(n+piece, len(body))]
		if n += len(part); x.Write(part) && n < len(body) {
			return n
		}
	}
	return 0
}

// Where prompts wait, long ones wait as short ones do, however their bodies are cut into parts: none is decided on before its end.
func TestLongPromptsWait(t *testing.T) {
	for _, piece := range []int{1 << 20, 50 << 10, 16 << 10} {
		for _, kb := range []int{40, 100, 300} {
			w := crowdedWorker(t, "")
			x, body := long(w, inspect.Head{}, kb)
			if n := feed(x, body, piece); n > 0 {
				t.Errorf("%d KB in pieces of %d KB: it goes after %d KB", kb, piece>>10, n>>10)
			}
			if !x.Hold(1, 10*second) {
				t.Errorf("%d KB in pieces of %d KB: it does not wait", kb, piece>>10)
			}
		}
	}
}

// Those that do not wait in any case are decided on as soon as what follows changes nothing.
func TestLongPromptsThatDoNotWait(t *testing.T) {
	const pool = `"endpoints":["10.0.0.1:80","10.0.0.2:80","10.0.0.3:80"]`
	for _, c := range []struct {
		name, more string
		head       inspect.Head
		kb         int
		waits      bool
	}{
		{"a long one", pool, inspect.Head{}, 300, true},
		{"longer than is read before a decision", pool, inspect.Head{}, 3000, false},
		{"not to be steered", `"policy_header":"x-policy","policy_header_from":"any","pools":[{"name":"a","match":{"models":["m"]},"steer":{"cluster":"a"},` + pool + `}]`, inspect.Head{Policy: "off", Internal: true}, 300, false},
		{"the experiment's policy holds", `"policy":"expected_ttft","experiment":{"share":1,"policy":"cache_aware","window":"10m"},` + pool, inspect.Head{}, 300, true},
		{"only the other policy holds", `"policy":"cache_aware","experiment":{"share":1,"policy":"expected_ttft","window":"10m"},` + pool, inspect.Head{}, 300, false},
	} {
		w := workerOf(t, `{"seed":5,"scrape":{"path":""},"hold_limit":"10s",`+c.more+`}`, memstore.New())
		crowd(t, w)
		x, body := long(w, c.head, c.kb)
		if n := feed(x, body, 16<<10); n > 0 == c.waits {
			t.Errorf("%s: it is decided on after %d KB, want its end: %v", c.name, n>>10, c.waits)
		}
	}
}

// One whose body takes too long to come is decided on by what has come, and read on.
func TestLongPromptsThatAreLate(t *testing.T) {
	w := crowdedWorker(t, "")
	x, body := long(w, inspect.Head{}, 600)
	if n := feed(x, body[:400<<10], 16<<10); n > 0 {
		t.Fatalf("it is decided on after %d KB", n>>10)
	}
	if !x.Hasten() || x.Hasten() {
		t.Fatal("400 KB are not enough, or are so twice")
	}
	if code := x.Decide(false, 12*second); code != "" || !x.Reading() || x.decision.Tokens < 100_000 {
		t.Errorf("it is decided on for %q, by %.0f tokens, and is read on: %v", code, x.decision.Tokens, x.Reading())
	}
}

// A worker that has had no tick since knows what the others have routed before it takes the beginning of a long prompt for all that
// matters. (By what it knew then nobody held more than the beginning, so it decided by that, and the prompt was computed anew
// elsewhere. Of 64 workers that share some coding sessions hardly one knew.)
func TestLongPromptsThatAnotherWorkerRouted(t *testing.T) {
	const configuration = `{"seed":5,"scrape":{"path":""},"endpoints":["10.0.0.1:80","10.0.0.2:80","10.0.0.3:80"]}`
	shared := memstore.New()
	one, other := workerOf(t, configuration, shared), workerOf(t, configuration, shared)
	ask(t, one, "Why?", 2*second)
	ask(t, other, "Why?", 2*second)
	first, body := long(one, inspect.Head{}, 300)
	n := feed(first, body, 16<<10)
	first.Decide(false, 3*second)
	first.Write(body[n:])
	first.EndBody(3 * second)
	next, body := long(other, inspect.Head{}, 320)
	if n := feed(next, body, 16<<10); n > 0 && n < 290<<10 {
		t.Errorf("its next turn, at the other worker, is decided on after %d KB, of 300 that are held", n>>10)
	}
	next.Decide(true, 10*second)
	if got, want := next.Address(), first.Address(); got != want {
		t.Errorf("it goes to %s, its conversation is at %s", got, want)
	}
}
