package worker

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/exposition"
	"warmroute/plugin/health"
	"warmroute/plugin/inspect"
	"warmroute/plugin/share/memstore"
)

const ranked = `{"data_parallel_ranks":4,"endpoints":["10.0.0.1:80","10.0.0.2:80","10.0.0.3:80"],"steer":{"candidates":3},"seed":5,"scrape":{"path":""}}`

// Whatever the policy, a request goes to servers, each once, and names one rank, at which it counts.
func TestRanksAreSteeredTo(t *testing.T) {
	for p := config.Policy(0); p < config.Policies; p++ {
		w := workerOf(t, strings.Replace(ranked, "{", fmt.Sprintf(`{"policy":%q,`, p), 1), memstore.New())
		known := w.pools[0].known
		seen := map[string]bool{}
		for i := range 40 {
			x := ask(t, w, fmt.Sprint(i, strings.Repeat(" some text", 200)), int64(i+1)*second)
			servers := strings.Split(string(x.Steering()), ",")
			distinct := map[string]bool{}
			for k, at := range x.Decision().Order {
				distinct[servers[k]] = true
				if want := config.RankAddress(servers[k], x.Rank()); known.Endpoints[at].Address != want {
					t.Fatalf("%v: endpoint %d of the order is %s, want %s", p, k, known.Endpoints[at].Address, want)
				}
			}
			if len(servers) != 3 || len(distinct) != 3 || x.Server() != servers[0] || x.Address() != config.RankAddress(servers[0], x.Rank()) {
				t.Fatalf("%v: goes to %v, rank %q, counted at %s of %s", p, servers, x.Rank(), x.Address(), x.Server())
			}
			seen[x.Address()] = true
			x.Headers(Server{Address: servers[0]}, 200, "application/json", int64(i+1)*second)
			if strings.Contains(string(x.Describe()), "served=") {
				t.Fatalf("%v: its own server counts as another: %s", p, x.Describe())
			}
			x.Chunk(int64(i+1) * second)
			x.Complete()
			x.End(int64(i+1)*second, false)
		}
		if len(seen) < 8 {
			t.Errorf("%v: of 12 ranks %d had a request", p, len(seen))
		}
	}
}

// The next turn goes to the rank that holds the conversation.
func TestRanksAreRemembered(t *testing.T) {
	w := workerOf(t, ranked, memstore.New())
	text, at := strings.Repeat("Some text. ", 400), ""
	for turn := range int64(6) {
		x := ask(t, w, text, (turn+1)*second)
		if turn > 0 && x.Address() != at {
			t.Errorf("turn %d goes to %s, want %s", turn, x.Address(), at)
		}
		at = x.Address()
		x.Headers(Server{Address: x.Server()}, 200, "application/json", (turn+1)*second)
		x.Chunk((turn + 1) * second)
		x.Complete()
		x.End((turn+1)*second, false)
		text += strings.Repeat("More text. ", 50)
	}
}

// A retry names the same rank to another server, and counts there.
func TestRanksOfARetry(t *testing.T) {
	w := workerOf(t, ranked, memstore.New())
	known := w.pools[0].known
	x := ask(t, w, "Hello", second)
	servers, rank := strings.Split(string(x.Steering()), ","), x.Rank()
	x.Headers(Server{Address: servers[1], Attempts: 2, Replied: true}, 200, "application/json", second)
	if want := config.RankAddress(servers[1], rank); x.Address() != want || known.Endpoints[x.decision.Endpoint()].Address != want {
		t.Errorf("served by %s, it counts at %s (%s), want %s", servers[1], x.Address(), known.Endpoints[x.decision.Endpoint()].Address, want)
	}
	if !strings.Contains(string(x.Describe()), ";served="+servers[1]) {
		t.Errorf("described as %s", x.Describe())
	}
	x.End(second, false)
}

// A server that refuses does so for all of its ranks.
func TestRanksGoDownTogether(t *testing.T) {
	w := workerOf(t, ranked, memstore.New())
	known := w.pools[0].known
	for i := range int64(40) {
		x := ask(t, w, fmt.Sprint("Hello ", i), (i+1)*second/10)
		if x.Server() == "10.0.0.2:80" {
			x.Headers(Server{Address: x.Server()}, 503, "text/plain", (i+1)*second/10)
		} else {
			x.Headers(Server{Address: x.Server()}, 200, "application/json", (i+1)*second/10)
			x.Chunk((i + 1) * second / 10)
			x.Complete()
		}
		x.End((i+1)*second/10, false)
	}
	for e := range known.Endpoints {
		if at := known.Endpoints[e].Server(); known.Health.Down(e) != (at == "10.0.0.2:80") {
			t.Errorf("%s is down: %v", known.Endpoints[e].Address, known.Health.Down(e))
		}
	}
}

// Without ranks nothing names one.
func TestNoRanks(t *testing.T) {
	w := workerOf(t, `{"endpoints":["10.0.0.1:80"],"scrape":{"path":""}}`, memstore.New())
	x := ask(t, w, "Hello", second)
	if x.Rank() != "" || x.Server() != x.Address() || string(x.Steering()) != "10.0.0.1:80" {
		t.Errorf("rank %q, server %q of %q, steered to %s", x.Rank(), x.Server(), x.Address(), x.Steering())
	}
	if x.Ending() != health.Cancelled {
		t.Error("it has ended")
	}
}

// Servers choose the rank of a request of the Responses API, unless all pages are of vLLM 0.33 and later: it goes by load, and nothing is believed
// of the rank that it names.
func TestResponsesTakeNoRank(t *testing.T) {
	for _, c := range []struct {
		path, body, why string
		obey            int // endpoints whose pages say so, the first ones
	}{
		{"/v1/responses", `{"model":"m","input":%q}`, "why=no_rank", 0},
		{"/v1/responses", `{"model":"m","input":%q}`, "why=no_rank", 11},
		{"/v1/responses", `{"model":"m","input":%q}`, "", 12},
		{"/v1/chat/completions", `{"model":"m","messages":[{"role":"user","content":%q}]}`, "", 0},
	} {
		w := workerOf(t, ranked, memstore.New())
		known := w.pools[0].known
		for e := range c.obey {
			known.ApplyMetrics(e, second, &exposition.Load{Has: exposition.HasKVTokens | exposition.RanksInResponses, KVTokens: 1e6})
		}
		x := new(Exchange)
		x.Begin(w, &inspect.Head{Method: "POST", Path: c.path, ContentType: "application/json"})
		x.Write(fmt.Appendf(nil, c.body, strings.Repeat("Some text. ", 400)))
		if code := x.Decide(true, second); code != "" {
			t.Fatal(code)
		}
		x.Headers(Server{Address: x.Server()}, 200, "application/json", second)
		x.Chunk(second)
		x.Read([]byte(`{"usage":{"prompt_tokens":900,"prompt_tokens_details":{"cached_tokens":800},"input_tokens":900,"input_tokens_details":{"cached_tokens":800}}}`))
		x.Complete()
		x.End(second, false)
		held := int64(0)
		for e := range known.Endpoints {
			held += known.Index.Held(e)
		}
		if text := string(x.Describe()); strings.Contains(text, "why=no_rank") != (c.why != "") || (held > 0) != (c.why == "") {
			t.Errorf("%s: %d bytes are believed to be held; described as %s", c.path, held, text)
		}
	}
}

// Where servers have different numbers of ranks each comes once in the order, and a retry counts at its server: at the rank that the request
// names, else at any.
func TestRetriesBetweenServersWithAndWithoutRanks(t *testing.T) {
	for _, c := range []struct{ first, other string }{{"10.0.0.1:80", "10.0.0.2:80"}, {"10.0.0.2:80", "10.0.0.1:80"}} {
		retried := 0
		for seed := range 8 {
			w := workerOf(t, fmt.Sprintf(`{"endpoints":["10.0.0.1:80"],"steer":{"candidates":3},"seed":%d,"scrape":{"path":""}}`, seed+1), memstore.New())
			known := w.pools[0].known
			for rank := range 4 {
				known.Place(1+rank, config.Endpoint{Address: fmt.Sprint("10.0.0.2:80#", rank), Weight: 1}, 0)
			}
			x := ask(t, w, strings.Repeat(fmt.Sprint("Some text ", seed), 400), second)
			servers := strings.Split(string(x.Steering()), ",")
			if slices.Sort(servers); len(slices.Compact(servers)) != len(servers) {
				t.Errorf("steered to %s", x.Steering())
			}
			if x.Server() != c.first {
				continue
			}
			retried++
			left := x.Decision().Endpoint()
			x.Headers(Server{Address: c.other, Attempts: 2, Replied: true}, 200, "application/json", second)
			at := x.decision.Endpoint()
			if server, _ := config.SplitRank(x.Address()); server != c.other || known.Endpoints[at].Address != x.Address() || known.InFlight(left) != 0 {
				t.Errorf("served by %s, it counts at %s (%s), %d at the first", c.other, x.Address(), known.Endpoints[at].Address, known.InFlight(left))
			}
			if x.End(second, false); known.Index.Held(left) > 0 {
				t.Errorf("%s is believed to hold a prompt that another server has answered", known.Endpoints[left].Address)
			}
		}
		if retried == 0 {
			t.Errorf("no request went to %s first", c.first)
		}
	}
}
