package worker

import (
	"fmt"
	"strings"
	"testing"

	"warmroute/plugin/bytestr"
	"warmroute/plugin/config"
	"warmroute/plugin/inspect"
	"warmroute/plugin/share/memstore"
	"warmroute/plugin/why"
)

// respond is a turn of the Responses API that is answered with a response of that name and usage.
func respond(t *testing.T, w *Worker, cluster, body, name string, tokens, cached int, now int64) *Exchange {
	t.Helper()
	x, code := send(w, "/v1/responses", cluster, body, now)
	if code != "" {
		t.Fatalf("code %q", code)
	}
	x.Headers(Server{Address: x.Server()}, 200, "application/json", now)
	x.Chunk(now)
	x.Read(fmt.Appendf(nil, `{"id":"%s","object":"response","usage":{"input_tokens":%d,"input_tokens_details":{"cached_tokens":%d}}}`, name, tokens, cached))
	x.Complete()
	x.End(now, false)
	return x
}

// A request that continues a response shows its last turn alone, and its usage tells of all of them.
func TestContinuedPromptsTeachNothing(t *testing.T) {
	w := workerOf(t, `{"endpoints":["10.0.0.1:80","10.0.0.2:80"],"scrape":{"path":""}}`, memstore.New())
	text := strings.Repeat("Some text. ", 100)
	for i := range 20 {
		respond(t, w, "", `{"model":"m","input":"`+text+`","previous_response_id":"resp_0"}`, fmt.Sprint("resp_", i+1), 20_000, 19_700, int64(i+1)*second)
	}
	send(w, "/v1/responses", "", `{"model":"m","input":"`+text+`"}`, 100*second)
	x, _ := send(w, "/v1/responses", "", `{"model":"m","input":"`+text+`"}`, 100*second)
	if got := x.Decision().Flight.Tokens; got > 400 {
		t.Errorf("a prompt of 1,100 bytes is taken for %.0f tokens", got)
	}
}

// A shadow's policy would send it to the same endpoint as any other.
func TestStoredInTheShadow(t *testing.T) {
	w := workerOf(t, `{"endpoints":["10.0.0.1:80","10.0.0.2:80","10.0.0.3:80","10.0.0.4:80"],"policy":"round_robin","shadow":"prefix_hash","scrape":{"path":""}}`, memstore.New())
	for i := range 8 {
		name, input := fmt.Sprint("resp_", i), strings.Repeat(fmt.Sprint(i, " "), 200)
		respond(t, w, "", `{"model":"m","input":"`+input+`"}`, name, 9, 0, second)
		x := respond(t, w, "", `{"model":"m","input":"`+input+`","previous_response_id":"`+name+`"}`, name+"b", 9, 0, second)
		if c, ok := x.Comparison(); !ok || !c.Agrees {
			t.Errorf("%s: %s", name, x.Describe())
		}
	}
}

// A request for a response by its name stays in the pool of its route.
func TestStoredInAnotherPool(t *testing.T) {
	const configuration = `{"scrape": {"path": ""}, "pools": [
		{"name": "a", "match": {"cluster": "a"}, "endpoints": ["10.0.0.1:80", "10.0.0.2:80"]},
		{"name": "b", "match": {"models": ["m"]}, "steer": {"cluster": "b"}, "endpoints": ["10.0.1.1:80", "10.0.1.2:80"]}]}`
	w := workerOf(t, configuration, memstore.New())
	respond(t, w, "a", `{"model":"x","input":"Hi"}`, "resp_a", 9, 0, second)
	respond(t, w, "", `{"model":"m","input":"Hi"}`, "resp_b", 9, 0, second)
	for _, c := range []struct {
		cluster, name string
		pool          string
	}{{"a", "resp_a", "a"}, {"a", "resp_b", ""}, {"", "resp_b", "b"}, {"elsewhere", "resp_a", ""}, {"", "resp_a", ""}} {
		var x Exchange
		verdict, _ := x.Begin(w, &inspect.Head{Method: "GET", Path: "/v1/responses/" + c.name, Cluster: c.cluster, NoBody: true})
		pool := ""
		if verdict == inspect.ByLoad && x.Decide(true, 2*second) == "" {
			pool = x.Pool().Name()
		}
		if pool != c.pool {
			t.Errorf("%s by cluster %q: pool %q, want %q", c.name, c.cluster, pool, c.pool)
		}
		x.End(2*second, false)
	}
}

// An endpoint that has left while it answered keeps nothing for the one in its place.
func TestStoredByAnEndpointThatLeft(t *testing.T) {
	w := workerOf(t, `{"endpoints":["10.0.0.1:80","10.0.0.2:80"],"scrape":{"path":""}}`, memstore.New())
	x, _ := send(w, "/v1/responses", "", `{"model":"m","input":"Hi"}`, second)
	p := w.pools[0].known
	at := x.Decision().Endpoint()
	old := x.Server()
	p.Place(at, config.Endpoint{Address: "10.0.0.9:80", Weight: 1}, 2*second)
	x.Headers(Server{Address: old}, 200, "application/json", 3*second)
	x.Chunk(3 * second)
	x.Read([]byte(`{"id":"resp_1"}`))
	if got := p.Keeper(0, []byte("resp_1")); got != -1 {
		t.Errorf("%s keeps what %s has answered", p.Endpoints[got].Address, old)
	}
}

// What a request's headers have is not read after shared data was, of which the module lends the memory again.
func TestHeadersWhileAKeeperIsLookedFor(t *testing.T) {
	lent := []byte("POST /v1/responses/resp_1 application/json acme")
	text, m := bytestr.View(lent), memstore.New()
	w := workerOf(t, `{"endpoints":["10.0.0.1:80","10.0.0.2:80"],"scrape":{"path":""},"paths":[{"path":"/v1/responses/{id}","format":"responses"}],"tenant_header":"x-tenant"}`, m)
	m.AfterGet = func(string) { clear(lent) }
	var x Exchange
	verdict, code := x.Begin(w, &inspect.Head{Method: text[:4], Path: text[5:25], ContentType: text[26:42], Tenant: text[43:]})
	if verdict != inspect.Read {
		t.Fatalf("verdict %d, code %q", verdict, code)
	}
}

// A body whose prompt cannot be used still names the response that it continues, and its answer has a name.
func TestStoredWithoutAPrompt(t *testing.T) {
	w := workerOf(t, `{"endpoints":["10.0.0.1:80","10.0.0.2:80","10.0.0.3:80","10.0.0.4:80"],"policy":"round_robin","scrape":{"path":""}}`, memstore.New())
	home := respond(t, w, "", `{"model":"m","input":"Hi"}`, "resp_1", 9, 0, second).Address()
	for i, input := range []string{`[]`, `"Hi"`, `[]`, `[]`} {
		name := fmt.Sprint("resp_", i+2)
		x := respond(t, w, "", `{"model":"m","input":`+input+`,"previous_response_id":"resp_1"}`, name, 9, 0, second)
		if x.Address() != home {
			t.Errorf("input %s: at %s (%s), want %s", input, x.Address(), x.Describe(), home)
		}
		if w.pools[0].known.Keeper(0, []byte(name)) < 0 {
			t.Errorf("input %s: nobody keeps the answer", input)
		}
	}
	var x Exchange // its body comes too slowly
	x.Begin(w, &inspect.Head{Method: "POST", Path: "/v1/responses", ContentType: "application/json"})
	x.Write([]byte(`{"previous_response_id":"resp_1","model":"m","input":"Hi`))
	if x.ByLoad(why.Slow); x.Decide(true, second) != "" || x.Address() != home {
		t.Errorf("a slow body: at %s (%s), want %s", x.Address(), x.Describe(), home)
	}
}

// What continues a response has no choice of endpoints: room at another one is none for it.
func TestWhoContinuesAResponseDoesNotWait(t *testing.T) {
	w := crowdedWorker(t, "")
	now := 10 * second
	w.pools[0].known.NoteResponse(1, 0, []byte("resp_1"), now)
	w.pools[0].known.NoteResponse(1, w.ownerOf("acme"), []byte("resp_2"), now)
	for previous, want := range map[string]bool{"resp_1": false, "resp_2": false, "resp_of_long_ago": true} {
		x, tenant := new(Exchange), ""
		if previous == "resp_2" {
			tenant = "acme"
		}
		x.Begin(w, &inspect.Head{Method: "POST", Path: "/v1/responses", ContentType: "application/json", Tenant: tenant})
		x.Write(fmt.Appendf(nil, `{"model":"m","input":"%s","previous_response_id":"%s"}`, strings.Repeat("and so on ", 900), previous))
		if waits := x.Hold(7, now); waits != want {
			t.Errorf("after %s: waits %v, want %v", previous, waits, want)
		}
		x.End(now, true)
	}
}

// A client that has its response named like another's, or like another tenant's, changes nothing of where that is continued, through any worker.
func TestStoredUnderOneName(t *testing.T) {
	m := memstore.New()
	const configuration = `{"endpoints":["10.0.0.1:80","10.0.0.2:80","10.0.0.3:80","10.0.0.4:80"],"policy":"round_robin","shadow":"prefix_hash","tenant_header":"x-tenant","scrape":{"path":""}}`
	workers := []*Worker{workerOf(t, configuration, m), workerOf(t, configuration, m)}
	now := second
	ask := func(w *Worker, tenant, previous string) *Exchange {
		t.Helper()
		now += second / 100
		x := new(Exchange)
		x.Begin(w, &inspect.Head{Method: "POST", Path: "/v1/responses", ContentType: "application/json", Tenant: tenant})
		x.Write(fmt.Appendf(nil, `{"model":"m","input":"Hi","previous_response_id":"%s"}`, previous))
		if code := x.Decide(true, now); code != "" {
			t.Fatalf("code %q", code)
		}
		return x
	}
	answer := func(x *Exchange, name string) (server string) {
		x.Headers(Server{Address: x.Server()}, 200, "application/json", now)
		x.Chunk(now)
		x.Read(fmt.Appendf(nil, `{"id":"%s"}`, name))
		x.Complete()
		x.End(now, false)
		return x.Server()
	}
	for i, w := range workers { // each learns that there is another one
		answer(ask(w, "", ""), fmt.Sprint("resp_", i))
	}
	for _, tenants := range [][2]string{{"a", "b"}, {"a", ""}, {"", "b"}, {"c", "c"}, {"", ""}} {
		name := "resp_" + strings.Join(tenants[:], "_")
		homes := map[string]string{}
		for n := range 6 { // each endpoint's turn
			tenant := tenants[min(n, 1)]
			if at := answer(ask(workers[min(n, 1)], tenant, ""), name); homes[tenant] == "" {
				homes[tenant] = at
			}
			for tenant, home := range homes {
				for i, w := range workers {
					x := ask(w, tenant, name)
					if c, ok := x.Comparison(); x.Server() != home || ok && !c.Agrees {
						t.Errorf("tenants %q, worker %d: %q is continued at %s (%s), want %s", tenants, i, tenant, x.Server(), x.Describe(), home)
					}
					x.End(now, false)
					verdict, _ := x.Begin(w, &inspect.Head{Method: "GET", Path: "/v1/responses/" + name, NoBody: true, Tenant: tenant})
					if verdict != inspect.ByLoad || x.Decide(true, now) != "" || x.Server() != home {
						t.Errorf("tenants %q, worker %d: %q gets it from %s, want %s", tenants, i, tenant, x.Server(), home)
					}
					x.End(now, false)
					x.Begin(w, &inspect.Head{Method: "POST", Path: "/v1/responses", ContentType: "application/json", Tenant: tenant})
					x.Write([]byte(`{"previous_response_id":"` + name + `","model":"m","input":"Hi`))
					if x.ByLoad(why.Slow); x.Decide(true, now) != "" || x.Server() != home {
						t.Errorf("tenants %q, worker %d: a slow body of %q is continued at %s, want %s", tenants, i, tenant, x.Server(), home)
					}
					x.End(now, false)
				}
			}
		}
	}
}
