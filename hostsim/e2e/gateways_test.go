//go:build e2e

package e2e

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"warmroute/hostsim/internal/bench"
	"warmroute/hostsim/internal/fleet"
	"warmroute/hostsim/internal/gateway"
	"warmroute/hostsim/internal/workload"
)

const peersSecret = "WARMROUTE_PEERS_SECRET=a secret of many characters"

// mesh is gateways that share news, in front of the same replicas.
type mesh struct {
	t        testing.TB
	workers  int
	peers    map[string]any       // their settings; nil: the example's
	change   func(i int, doc any) // further changes of gateway i's configuration; nil: none
	wasm     string               // module; "": the options'
	secret   string               // of those that start next; "": that of peersSecret
	fleet    *fleet.Fleet
	sinks    []string // in place of a fleet
	stacks   []*stack
	news     []int // ports of their listeners for news
	seen     []int // ports at which the others see them
	relays   []*relay
	balancer *httptest.Server
	next     atomic.Uint64
	mu       sync.RWMutex // of stacks and away
	away     int          // from 1: the gateway that gets no requests; 0: none
}

// launchMesh starts n Envoys of examples/envoy/gateways.yaml, and a balancer that spreads requests over them by chance.
func launchMesh(t testing.TB, n, workers int, f *fleet.Fleet, sinks ...string) *mesh {
	t.Helper()
	return launchMeshWith(t, n, workers, nil, f, sinks...)
}

// launchMeshWith is launchMesh with other settings of peers.
func launchMeshWith(t testing.TB, n, workers int, peers map[string]any, f *fleet.Fleet, sinks ...string) *mesh {
	t.Helper()
	m := &mesh{t: t, workers: workers, peers: peers, fleet: f, sinks: sinks}
	m.launch(n)
	return m
}

// launch starts n gateways and the balancer.
func (m *mesh) launch(n int) {
	t := m.t
	t.Helper()
	m.stacks = make([]*stack, n)
	for range n {
		port := freePort(t)
		r := startRelay(t, port)
		m.news, m.seen, m.relays = append(m.news, port), append(m.seen, r.port), append(m.relays, r)
	}
	for i := range n {
		m.start(i)
	}
	m.balancer = httptest.NewServer(http.HandlerFunc(m.balance))
	t.Cleanup(m.balancer.Close)
	if n > 1 {
		eventually(t, "the gateways know each other", func() bool {
			for i := range n {
				if m.stacks[i].stat(t, "warmroute_peers{")+m.stacks[i].stat(t, "warmroute_peers ") < float64(n-1) {
					return false
				}
			}
			return true
		})
	}
}

// start starts gateway i.
func (m *mesh) start(i int) {
	m.t.Helper()
	settings := map[string]any{"policy": "cache_aware"}
	if m.peers != nil {
		settings["peers"] = m.peers
	}
	opt := options("gateways", m.fleet, settings)
	opt.Replicas = append(opt.Replicas, m.sinks...)
	opt.Wasm = cmp.Or(m.wasm, opt.Wasm)
	opt.Concurrency, opt.Env = m.workers, []string{peersSecret}
	if m.secret != "" {
		opt.Env = []string{"WARMROUTE_PEERS_SECRET=" + m.secret}
	}
	opt.Edit = func(doc any) {
		if m.edit(i, doc); m.change != nil {
			m.change(i, doc)
		}
	}
	g, err := gateway.Start(m.t.Context(), opt)
	if err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(g.Close)
	m.mu.Lock()
	m.stacks[i] = &stack{Gateway: g, fleet: m.fleet}
	m.mu.Unlock()
}

// edit puts the ports of the news in place of the example's: a gateway sees itself directly, the others through their relays.
func (m *mesh) edit(i int, doc any) {
	for _, socket := range gateway.Find(doc, "port_value") {
		if socket["port_value"] == 9902.0 {
			socket["port_value"] = m.news[i]
		}
	}
	for _, c := range gateway.Find(doc, "cluster_name") {
		if c["cluster_name"] != "gateways" {
			continue
		}
		var hosts []any
		for k, port := range m.seen {
			if k == i {
				port = m.news[i]
			}
			hosts = append(hosts, map[string]any{"endpoint": map[string]any{"address": map[string]any{
				"socket_address": map[string]any{"address": "127.0.0.1", "port_value": port}}}})
		}
		c["endpoints"] = []any{map[string]any{"lb_endpoints": hosts}}
	}
}

// balance sends a request to any gateway, and to another one if that has ended.
func (m *mesh) balance(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	m.mu.RLock()
	stacks := append([]*stack(nil), m.stacks...)
	if m.away > 0 {
		stacks = append(stacks[:m.away-1], stacks[m.away:]...)
	}
	at := int(rand.New(rand.NewPCG(m.next.Add(1), 1)).Uint64() % uint64(len(stacks)))
	first := stacks[at]
	first.balanced.Add(1)
	defer first.balanced.Add(-1)
	m.mu.RUnlock()
	for k := range stacks {
		out, err := http.NewRequestWithContext(r.Context(), r.Method, stacks[(at+k)%len(stacks)].URL+r.URL.Path, bytes.NewReader(body))
		if err != nil {
			return
		}
		out.Header = r.Header.Clone()
		response, err := client.Do(out)
		if err != nil {
			continue
		}
		defer response.Body.Close()
		for name, values := range response.Header {
			w.Header()[name] = values
		}
		w.WriteHeader(response.StatusCode)
		part := make([]byte, 32<<10)
		for {
			n, err := response.Body.Read(part)
			w.Write(part[:n])
			w.(http.Flusher).Flush()
			if err != nil {
				return
			}
		}
	}
	w.WriteHeader(http.StatusBadGateway)
}

// out takes gateway i out of the balancer, or puts it back.
func (m *mesh) out(i int, away bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.away = 0; away {
		m.away = i + 1
	}
}

// load runs conversations through the balancer.
func (m *mesh) load(seed uint64, requests int) *bench.Result {
	return m.loadOf(seed, requests, 600, 12)
}

// loadOf does so with system prompts and answers of other lengths, in tokens.
func (m *mesh) loadOf(seed uint64, requests, prompt, output int) *bench.Result {
	m.t.Helper()
	w, err := workload.New("conversations", workload.Options{
		Seed: seed, Requests: requests, Model: fleet.DefaultModel, PromptTokens: prompt, SystemPrompts: 6, OutputTokens: output, Live: 16})
	if err != nil {
		m.t.Fatal(err)
	}
	r, err := bench.Run(m.t.Context(), bench.Options{URL: m.balancer.URL, Concurrency: 8}, w)
	if err != nil {
		m.t.Fatal(err)
	}
	return r
}

// relay carries connections to a gateway's listener for news, until it is cut.
type relay struct {
	port int
	cut  atomic.Bool
}

func startRelay(t testing.TB, to int) *relay {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	r := &relay{port: l.Addr().(*net.TCPAddr).Port}
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", "127.0.0.1:"+strconv.Itoa(to))
			if err != nil {
				in.Close()
				continue
			}
			go r.pipe(in, out)
			go r.pipe(out, in)
		}
	}()
	return r
}

// pipe carries bytes one way; while it is cut, they are lost, and the peer waits.
func (r *relay) pipe(to, from net.Conn) {
	defer to.Close()
	defer from.Close()
	part := make([]byte, 64<<10)
	for {
		n, err := from.Read(part)
		if err != nil {
			return
		}
		if !r.cut.Load() {
			to.Write(part[:n])
		}
	}
}

// Two and four gateways hit as one does. With WARMROUTE_LONG replicas take their true time, and what it says of TTFT means something
// on a quiet machine.
func TestGatewaysHitAsOne(t *testing.T) {
	seeds, speed, requests, prompt, output := []uint64{5, 6, 7}, 4.0, 300, 600, 12
	if os.Getenv("WARMROUTE_LONG") != "" {
		seeds, speed, requests, prompt, output = []uint64{5, 6, 7, 8, 9, 10}, 1, 400, 3000, 30
	}
	type mean struct{ hit, ttft float64 }
	of := map[int]mean{}
	for _, seed := range seeds {
		for _, n := range []int{1, 2, 4} {
			m := launchMesh(t, n, 2, poolOf(t, speed))
			r := m.loadOf(seed, requests, prompt, output)
			if r.Errors > 0 {
				t.Errorf("%d gateways: %d errors: %v", n, r.Errors, r.ErrorsByStatus)
			}
			t.Logf("%d gateways, seed %d: token hit ratio %.4f, TTFT mean %.1f ms", n, seed, r.TokenHitRatio, r.TTFT.Mean)
			o := of[n]
			of[n] = mean{o.hit + r.TokenHitRatio/float64(len(seeds)), o.ttft + r.TTFT.Mean/float64(len(seeds))}
			for i := range m.stacks {
				m.stacks[i].Close()
			}
		}
	}
	for _, n := range []int{2, 4} {
		t.Logf("%d gateways ÷ one: hits %.3f, TTFT %.3f", n, of[n].hit/of[1].hit, of[n].ttft/of[1].ttft)
		if of[n].hit < 0.97*of[1].hit {
			t.Errorf("%d gateways: token hit ratio %.4f, one %.4f: more than 3 %% lost", n, of[n].hit, of[1].hit)
		}
	}
}

// A gateway that ends under load and starts again costs no request, and knows within two seconds what the other knew.
func TestGatewayRestarts(t *testing.T) {
	m := launchMesh(t, 2, 2, pool(t))
	const known = 30
	homes := map[int]string{}
	for n := range known {
		answer := m.stacks[0].post(t, "/v1/chat/completions", chat(story(n), "go on", nil))
		homes[n] = answer.replica
	}
	m.stacks[1].Close()
	done := make(chan *bench.Result)
	go func() { done <- m.load(3, 200) }()
	time.Sleep(500 * time.Millisecond)
	m.start(1)
	began, right := time.Now(), 0
	for right < known {
		right = 0
		for n := range known {
			d := m.stacks[1].post(t, "/v1/chat/completions", chat(story(n), "and then?", nil))
			if d.status == 200 && d.decision["matched"] != "" && d.decision["matched"] != "0" && d.replica == homes[n] {
				right++
			}
		}
		if passed := time.Since(began); right < known && passed > 2*time.Second {
			break
		}
	}
	t.Logf("%d of %d prompts went to where they are cached, %d ms after the start", right, known, time.Since(began).Milliseconds())
	if right < known*8/10 { // some move because of load
		t.Errorf("only %d of %d", right, known)
	}
	if r := <-done; r.Errors > 0 {
		t.Errorf("%d errors: %v", r.Errors, r.ErrorsByStatus)
	}
}

// A partition costs hits only, and is over when it is over. With WARMROUTE_LONG it takes a minute, under load before and after, too.
func TestGatewaysApart(t *testing.T) {
	t.Parallel()
	m := launchMesh(t, 2, 2, pool(t))
	seed := uint64(3)
	load := func(when string, least time.Duration) {
		requests, hit, runs := 0, 0.0, 0.0
		for began := time.Now(); runs == 0 || time.Since(began) < least; runs++ {
			seed++
			r := m.load(seed, 200)
			if r.Errors > 0 {
				t.Errorf("%s the partition: %d errors: %v", when, r.Errors, r.ErrorsByStatus)
			}
			requests, hit = requests+r.Requests, hit+r.TokenHitRatio
		}
		t.Logf("%s the partition: %d requests, token hit ratio %.3f", when, requests, hit/runs)
	}
	long, least := os.Getenv("WARMROUTE_LONG") != "", time.Duration(0)
	if long {
		least = time.Minute
		load("before", least)
	}
	for _, r := range m.relays {
		r.cut.Store(true)
	}
	load("during", least)
	eventually(t, "the gateways have noticed", func() bool {
		return m.stacks[0].stat(t, "warmroute_peers") == 0 && m.stacks[0].stat(t, "warmroute_peer_faults_total") > 0
	})
	seen := m.stacks[0].asPromised(t)
	for name := range promises(t) {
		if strings.HasPrefix(name, "warmroute_peer") && !seen[name] {
			t.Errorf("%s is promised, and not there", name)
		}
	}
	m.stacks[0].post(t, "/v1/chat/completions", chat(story(77), "go on", nil))
	for _, r := range m.relays {
		r.cut.Store(false)
	}
	over := time.Now()
	eventually(t, "the other gateway knows what was routed in the meantime", func() bool {
		d := m.stacks[1].post(t, "/v1/chat/completions", chat(story(77), fmt.Sprint("then ", time.Now().UnixNano()), nil))
		return d.decision["matched"] != "" && d.decision["matched"] != "0"
	})
	t.Logf("it knew %.1f s after the partition", time.Since(over).Seconds())
	if long {
		load("after", least)
	}
}

// The listener for news answers nobody without the secret, and nothing else.
func TestNewsAreForGateways(t *testing.T) {
	t.Parallel()
	m := launchMesh(t, 2, 1, pool(t))
	url := "http://127.0.0.1:" + strconv.Itoa(m.news[0])
	for _, c := range []struct {
		method, path, ask string
		want              int
	}{
		{"GET", "/warmroute/news", "", 403},
		{"GET", "/warmroute/news", "4104" + strings.Repeat("00", 40), 403},
		{"GET", "/warmroute/news?x=1", strings.Repeat("zz", 4000), 403},
		{"POST", "/warmroute/news", "", 404},
		{"GET", "/v1/models", "", 404},
		{"GET", "/", "", 404},
	} {
		req, err := http.NewRequest(c.method, url+c.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("x-warmroute-news", c.ask)
		response, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(response.Body)
		response.Body.Close()
		if response.StatusCode != c.want || len(body) > 0 {
			t.Errorf("%s %s with an ask of %d bytes: %d, %d bytes of body; want %d and none", c.method, c.path, len(c.ask), response.StatusCode, len(body), c.want)
		}
	}
	dump, err := m.stacks[0].Get("/config_dump")
	if err != nil || strings.Contains(dump, "a secret of many characters") || !strings.Contains(dump, "WARMROUTE_PEERS_SECRET") {
		t.Errorf("the configuration that Envoy shows has the secret, or not its name (%v)", err)
	}
}

// Without the secret Envoy refuses the configuration: nothing is served.
func TestNoSecretNoNews(t *testing.T) {
	opt := options("gateways", pool(t), nil)
	opt.Env = []string{"WARMROUTE_PEERS_SECRET="}
	g, err := gateway.Start(t.Context(), opt)
	if err == nil {
		g.Close()
		t.Fatal("Envoy starts without the secret")
	}
	if !strings.Contains(err.Error(), "peers.secret_env") {
		t.Errorf("the error does not name the field: %v", err)
	}
}
