package worker

import (
	"fmt"
	"strings"
	"testing"

	"warmroute/plugin/bytestr"
	"warmroute/plugin/inspect"
	"warmroute/plugin/share/memstore"
	"warmroute/plugin/why"
)

const poolsConfiguration = `{"policy": "prefix_hash", "scrape": {"path": ""}, "pools": [
	{"name": "llama", "match": {"models": ["llama-8b", "llama-8b-*"]}, "endpoints": ["10.0.1.1:80", "10.0.1.2:80"], "steer": {"cluster": "llama"}},
	{"name": "long", "match": {"models": ["llama-8b-sql-*"]}, "endpoints": ["10.0.2.1:80", "10.0.2.2:80"], "steer": {"cluster": "long"}},
	{"name": "qwen", "match": {"cluster": "qwen"}, "endpoints": ["10.0.3.1:80", "10.0.3.2:80"], "policy": "cache_aware"},
	{"name": "plain", "match": {"cluster": "plain"}, "off": true},
	{"name": "elsewhere", "match": {"models": ["gpt"]}, "off": true, "steer": {"cluster": "elsewhere"}},
	{"name": "svc-*", "match": {"cluster": "out||*.models", "max_clusters": 2}}%s]}`

// send takes a request as far as its decision.
func send(w *Worker, path, cluster, body string, now int64) (x *Exchange, code why.Code) {
	x = new(Exchange)
	verdict, code := x.Begin(w, &inspect.Head{Method: "POST", Path: path, ContentType: "application/json", Cluster: cluster})
	switch verdict {
	case inspect.Pass:
		return x, code
	case inspect.Read:
		x.Write([]byte(body))
	}
	return x, x.Decide(true, now)
}

func TestPoolOfARequest(t *testing.T) {
	const chat, embed = "/v1/chat/completions", "/v1/embeddings"
	const rest = `,{"name": "rest", "endpoints": ["10.0.9.1:80"]}`
	for _, c := range []struct {
		name, more, path, cluster, model string
		pool                             string
		to                               string // what its addresses begin with
		sent                             string // in the cluster header
		code                             why.Code
	}{
		{"a model", "", chat, "default", "llama-8b", "llama", "10.0.1.", "llama", ""},
		{"an adapter, by its beginning", "", chat, "", "llama-8b-poet", "llama", "10.0.1.", "llama", ""},
		{"the longest beginning", "", chat, "", "llama-8b-sql-2", "long", "10.0.2.", "long", ""},
		{"embeddings, by their model", "", embed, "", "llama-8b", "llama", "10.0.1.", "llama", ""},
		{"the route's cluster", "", chat, "qwen", "anything", "qwen", "10.0.3.", "", ""},
		{"the cluster goes before the model", "", chat, "qwen", "llama-8b", "qwen", "10.0.3.", "", ""},
		{"embeddings, by the cluster", "", embed, "qwen", "llama-8b", "qwen", "10.0.3.", "", ""},
		{"not steered, by cluster", "", chat, "plain", "llama-8b", "plain", "", "", why.Off},
		{"not steered, by model", "", chat, "", "gpt", "elsewhere", "", "elsewhere", why.Off},
		{"no pool", "", chat, "default", "gpt-2", "", "", "", why.NoPool},
		{"no pool, embeddings", "", embed, "default", "gpt-2", "", "", "", why.NoPool},
		{"all others", rest, chat, "default", "gpt-2", "rest", "10.0.9.", "", ""},
		{"a model still counts", rest, chat, "default", "llama-8b", "llama", "10.0.1.", "llama", ""},
		{"a new cluster", "", chat, "out||deep.models", "m", "svc-deep", "", "", why.NoEndpoints},
		{"a cluster that does not fit", "", chat, "out||.models", "m", "", "", "", why.NoPool},
	} {
		w := workerOf(t, fmt.Sprintf(poolsConfiguration, c.more), memstore.New())
		x, code := send(w, c.path, c.cluster, `{"input":"x","model":"`+c.model+`","messages":[{"role":"user","content":"hi"}]}`, second)
		pool := ""
		if x.Pool() != nil {
			pool = x.Pool().Name()
		}
		if pool != c.pool || code != c.code || !strings.HasPrefix(x.Address(), c.to) || x.Address() == "" && c.to != "" || x.Cluster() != c.sent {
			t.Errorf("%s: pool %q, code %q, endpoint %q, cluster %q; want %q, %q, %q, %q", c.name, pool, code, x.Address(), x.Cluster(), c.pool, c.code, c.to, c.sent)
		}
		if code == "" && !strings.HasPrefix(string(x.Describe()), "pool="+c.pool+";policy=") {
			t.Errorf("%s: described as %s", c.name, x.Describe())
		}
	}
}

// A body that is read for its model alone is read no further, and one whose prompt cannot be used still has a model.
func TestModelOfABodyWithoutPrompt(t *testing.T) {
	w := workerOf(t, fmt.Sprintf(poolsConfiguration, ""), memstore.New())
	var x Exchange
	if verdict, _ := x.Begin(w, &inspect.Head{Method: "POST", Path: "/v1/embeddings", ContentType: "application/json"}); verdict != inspect.Read {
		t.Fatalf("verdict %d: the model is in the body", verdict)
	}
	if x.Write([]byte(`{"input":["a`)) || !x.Write([]byte(`b"],"model":"llama-8b","more":"`)) {
		t.Error("it is not read up to the model, or beyond it")
	}
	if code := x.Decide(false, second); code != "" || x.Pool().Name() != "llama" || x.Reading() {
		t.Errorf("code %q, pool %v, reading %v", code, x.Pool(), x.Reading())
	}
	broken, code := send(w, "/v1/chat/completions", "", `{"model":"llama-8b","messages":5}`, second)
	if code != "" || broken.Pool().Name() != "llama" || broken.Decision().Why == "" {
		t.Errorf("a body without messages: code %q, pool %v, why %q", code, broken.Pool(), broken.Decision().Why)
	}
}

// Pools have caches and load apart, also if their endpoints are the same.
func TestPoolsAreApart(t *testing.T) {
	const configuration = `{"scrape": {"path": ""}, "pools": [
		{"name": "a", "match": {"cluster": "a"}, "endpoints": ["10.0.0.1:80", "10.0.0.2:80"]},
		{"name": "b", "match": {"cluster": "b"}, "endpoints": ["10.0.0.1:80", "10.0.0.2:80"]}]}`
	shared := memstore.New()
	w, peer := workerOf(t, configuration, shared), workerOf(t, configuration, shared)
	body := `{"prompt":"` + strings.Repeat("Some text. ", 100) + `"}`
	send(peer, "/v1/completions", "b", `{"prompt":"Hi"}`, 1e9) // less than a block
	for i, to := range []*Worker{w, peer, w} {
		send(to, "/v1/completions", "a", body, int64(i+1)*1e9)
	}
	for i, p := range peer.Pools() {
		p.board.Sync(4e9)
		n := p.Known().InFlight(0) + p.Known().InFlight(1)
		if want := []int{3, 1}[i]; n != want {
			t.Errorf("pool %s: %d requests in flight, want %d", p.Name(), n, want)
		}
		if held := p.Known().Index.Held(0) + p.Known().Index.Held(1); held > 0 != (i == 0) {
			t.Errorf("pool %s: %d bytes are believed to be held", p.Name(), held)
		}
	}
}

// A pattern makes as many pools as it may; one that is unused for long makes room, and its name and calls are no more.
func TestPatternHasABound(t *testing.T) {
	w := workerOf(t, fmt.Sprintf(poolsConfiguration, ""), memstore.New())
	const body = `{"prompt":"x"}`
	at := int64(second)
	ask := func(name string) *Exchange {
		x, _ := send(w, "/v1/completions", "out||"+name+".models", body, at)
		return x
	}
	static := len(w.Pools())
	one, two := ask("one"), ask("two")
	if one.Pool() == two.Pool() || len(w.Pools()) != static+2 || one.Pool().Known() == nil {
		t.Fatalf("%d pools beside the %d of the configuration", len(w.Pools())-static, static)
	}
	if got := one.Pool().Config().Discovery.Cluster; got != "out||one.models" {
		t.Errorf("its endpoints are those of %q", got)
	}
	if x := ask("three"); x.Pool() != nil {
		t.Errorf("a third pool: %s", x.Pool().Name())
	}
	two.End(at, false)
	at += unused
	w.now = at            // as its tick would set it
	three := ask("three") // one is still under way
	if three.Pool() == nil || three.Pool().Name() != "svc-three" || len(w.Pools()) != static+2 {
		t.Fatalf("there is no room: %v", three.Pool())
	}
	if got := ask("one").Pool(); got != one.Pool() {
		t.Error("a pool with a request under way was dropped")
	}
	if two.Forget(); two.Pool() != nil {
		t.Error("an ended request keeps the pool that was dropped")
	}
	two.End(at, false) // a second call does nothing
	if ask("two").Pool() != nil {
		t.Error("the pool that was dropped is still there")
	}
}

// What finding a pool takes does not grow with the number of pools.
func BenchmarkPools(b *testing.B) {
	for _, n := range []int{1, 10, 100} {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprintf(`{"name": "p%d", "match": {"models": ["model-%d", "model-%d-*"]}, "endpoints": ["10.0.%d.1:80", "10.0.%d.2:80"], "steer": {"cluster": "c%d"}}`, i, i, i, i, i, i))
			list = append(list, fmt.Sprintf(`{"name": "q%d", "match": {"cluster": "q%d"}, "endpoints": ["10.1.%d.1:80", "10.1.%d.2:80"]}`, i, i, i, i))
		}
		w := workerOf(b, `{"scrape": {"path": ""}, "pools": [`+strings.Join(list, ",")+`]}`, memstore.New())
		body := []byte(fmt.Sprintf(`{"model":"model-%d-adapter","prompt":"%s"}`, n-1, strings.Repeat("Some text. ", 400)))
		for _, by := range []string{"model", "cluster"} {
			b.Run(fmt.Sprintf("%d/%s", 2*n, by), func(b *testing.B) {
				head := inspect.Head{Method: "POST", Path: "/v1/completions", ContentType: "application/json"}
				if by == "cluster" {
					head.Cluster = fmt.Sprintf("q%d", n-1)
				}
				var x Exchange
				b.ReportAllocs()
				for now := int64(second); b.Loop(); now += 1e6 {
					h := head
					x.Begin(w, &h)
					x.Write(body)
					x.Decide(true, now)
					x.End(now, false)
				}
			})
		}
	}
}

// Two workers whose first requests make the same pool at once are two: no worker has the other's number, nor its slot.
func TestPatternMadeAtOnce(t *testing.T) {
	m := memstore.New()
	const configuration = `{"shadow": "round_robin", "scrape": {"path": ""}, "pools": [{"name": "svc-*", "match": {"cluster": "out||*.models"}}]}`
	workerOf(t, configuration, m) // the main thread's
	a, b := workerOf(t, configuration, m), workerOf(t, configuration, m)
	var x, y *Exchange
	m.AfterGet = func(key string) {
		if strings.HasSuffix(key, "workers") {
			m.AfterGet = nil
			x, _ = send(b, "/v1/completions", "out||one.models", `{"prompt":"x"}`, second)
		}
	}
	y, _ = send(a, "/v1/completions", "out||one.models", `{"prompt":"x"}`, second)
	if x == nil || x.Pool().Name() != y.Pool().Name() {
		t.Fatal("they did not meet")
	}
	if one, two := x.Pool().board.ID(), y.Pool().board.ID(); one == two {
		t.Errorf("both have the number %d", one)
	}
	if one, two := x.Pool().shadow.board.ID(), y.Pool().shadow.board.ID(); one == two {
		t.Errorf("both have the number %d in the shadow", one)
	}
}

// The first request of a cluster keeps its path, its tenant and its session while its pool is made.
func TestHeadersWhileAPoolIsMade(t *testing.T) {
	lent := []byte("/v1/completions application/json acme s1")
	text, m := bytestr.View(lent), memstore.New()
	m.AfterGet = func(string) { clear(lent) } // the module lends the same memory again where it reads much
	w := workerOf(t, `{"scrape": {"path": ""}, "tenant_header": "x-tenant", "pools": [{"name": "svc-*", "match": {"cluster": "out||*.models"}}]}`, m)
	var x Exchange
	verdict, code := x.Begin(w, &inspect.Head{Method: "POST", Path: text[:15], ContentType: text[16:32], Tenant: text[33:37], Session: text[38:], Cluster: "out||one.models"})
	if verdict != inspect.Read {
		t.Fatalf("verdict %d, code %q", verdict, code)
	}
	x.Write([]byte(`{"prompt":"x"}`))
	if req := x.reading.Request(); string(req.Tenant) != "acme" || string(req.Session) != "s1" {
		t.Errorf("tenant %q, session %q; want acme, s1", req.Tenant, req.Session)
	}
}
