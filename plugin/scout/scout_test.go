package scout

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"warmroute/plugin/clusters"
	"warmroute/plugin/config"
	"warmroute/plugin/decision"
	"warmroute/plugin/exposition"
	"warmroute/plugin/health"
	"warmroute/plugin/pool"
	"warmroute/plugin/prefix"
	"warmroute/plugin/prompt"
	"warmroute/plugin/route"
	"warmroute/plugin/share"
	"warmroute/plugin/share/memstore"
)

const second = int64(1e9)

// world is a proxy with workers, an admin interface and replicas.
type world struct {
	t       *testing.T
	store   *memstore.Store
	now     int64
	workers []*worker
	hosts   string              // host_statuses of the cluster
	cluster string              // its name; "": vllm
	metrics map[string]string   // pages by address
	models  map[string]string   // lists, likewise
	down    map[string]Response // instead of a page that is empty
	status  int                 // of the admin's answers
	asked   map[string]int      // calls by authority
	named   map[string]string   // the host that the last of them named, likewise
}

type worker struct {
	*Scout
	pool   *pool.Pool
	router *route.Router
	world  *world
	calls  []Call
	dead   bool
}

func (w *worker) Get(c Call) bool {
	w.calls = append(w.calls, c)
	w.world.asked[c.Authority]++
	w.world.named[c.Authority] = c.Endpoint
	return true
}

func newWorld(t *testing.T, configuration string, n int) *world {
	w := &world{t: t, store: memstore.New(), now: 1000 * second, metrics: map[string]string{}, status: 200, asked: map[string]int{}, named: map[string]string{}}
	for range n {
		w.add(configuration)
	}
	return w
}

func (w *world) add(configuration string) *worker {
	w.t.Helper()
	cfg, err := config.Parse([]byte(configuration))
	if err != nil {
		w.t.Fatal(err)
	}
	p := pool.New(&cfg, cfg.IndexBytes)
	added := &worker{pool: p, router: route.New(&cfg, p, 1), world: w}
	added.Scout = New(&cfg, p, share.New(w.store, p), w.store, added, w.now)
	w.workers = append(w.workers, added)
	return added
}

// step lets time go by in ticks, and answers what was asked.
func (w *world) step(seconds float64) {
	for end := w.now + int64(seconds*1e9); w.now < end; {
		w.now += 2e8
		for _, worker := range w.workers {
			if worker.dead {
				continue
			}
			worker.Tick(w.now)
			calls := worker.calls
			worker.calls = nil
			for _, c := range calls {
				w.answer(worker, c)
			}
		}
	}
}

func (w *world) answer(worker *worker, c Call) {
	status, page := w.status, `{"cluster_statuses":[{"name":"`+cmp.Or(w.cluster, "vllm")+`","host_statuses":[`+w.hosts+`]}]}`
	if c.Token.Endpoint >= 0 {
		page, status = w.metrics[c.Authority], 200
		if c.Token.models {
			page = w.models[c.Authority]
		}
		if down, is := w.down[c.Authority]; is && page == "" {
			worker.HandleResponse(c.Token, down, w.now)
			return
		}
		if page == "" {
			status = 503
		}
	}
	worker.HandleResponse(c.Token, response(status, page), w.now)
}

// response is one of that status and body.
func response(status int, body string) Response {
	return Response{status, len(body), func(from, size int) []byte { return []byte(body[from : from+size]) }}
}

// members is what a worker may choose from.
func (w *worker) members() string {
	var list []string
	for i, e := range w.pool.Endpoints {
		if !w.pool.Present(i) {
			continue
		}
		text := fmt.Sprintf("%d=%s*%d", i, strings.TrimSuffix(e.Address, ":80"), e.Weight)
		if w.pool.Health.Down(i) {
			text += " out"
		}
		if w.pool.Health.Draining(i) {
			text += " draining"
		}
		list = append(list, text)
	}
	return strings.Join(list, ", ")
}

func (w *world) want(pool string) {
	w.t.Helper()
	for i, worker := range w.workers {
		if got := worker.members(); !worker.dead && got != pool {
			w.t.Errorf("worker %d: got %s, want %s", i, got, pool)
		}
	}
}

func host(ip, more string) string {
	return `{"address":{"socket_address":{"address":"` + ip + `","port_value":80}}` + more + `}`
}

const discovered = `{"discovery": {"cluster": "vllm", "admin_cluster": "admin"}, "scrape": {"path": ""}}`

func TestEndpointsComeAndGo(t *testing.T) {
	w := newWorld(t, discovered, 3)
	var d decision.Decision
	if w.workers[0].router.Pick(&decision.Request{Now: w.now}, &d) {
		t.Error("a choice from an empty pool")
	}
	w.hosts = host("10.0.0.1", "") + "," + host("10.0.0.2", `,"weight":2`)
	w.step(1.5)
	w.want("0=10.0.0.1*1, 1=10.0.0.2*2")
	if got := w.asked["admin"]; got != 2 {
		t.Errorf("the admin interface was asked %d times in 1.5 s, want 2: one worker asks", got)
	}
	w.hosts = host("10.0.0.2", `,"health_status":{"eds_health_status":"DRAINING"}`) + "," + host("10.0.0.3", `,"health_status":{"failed_outlier_check":true}`) +
		"," + host("10.0.0.4", `,"priority":1`)
	w.step(1.5)
	w.want("1=10.0.0.2*1 draining, 2=10.0.0.3*1 out, 3=10.0.0.4*1") // the second priority is in force: the first has no healthy endpoint
	w.hosts = ""
	w.step(1.5)
	w.want("1=10.0.0.2*1 out draining, 2=10.0.0.3*1 out, 3=10.0.0.4*1 out")
	w.step(61)
	w.want("")
	w.hosts = host("10.0.0.4", "") + "," + host("10.0.0.1", "")
	w.step(1.5)
	w.want("0=10.0.0.1*1, 3=10.0.0.4*1")
}

// A list that is empty for less than a minute takes no knowledge of caches, also if the clock is set meanwhile; one that lacks some does.
func TestAnEmptyListKeepsCaches(t *testing.T) {
	for _, c := range []struct {
		name    string
		hosts   string
		seconds float64
		clock   int64 // by which it is set, in seconds
		kept    bool
	}{
		{"two seconds", "", 2, 0, true},
		{"50 seconds", "", 50, 0, true},
		{"set back by an hour", "", 20, -3600, true},
		{"a minute and more", "", 63, 0, false},
		{"another one is there", host("10.0.0.2", ""), 2, 0, false},
	} {
		w := newWorld(t, discovered, 2)
		w.now += 1e5 * second
		w.hosts = host("10.0.0.1", "") + "," + host("10.0.0.2", "")
		w.step(1.5)
		chain := prefix.Chain{Hash: []uint64{1, 2, 3}, End: []uint32{256, 512, 768}}
		for _, worker := range w.workers {
			worker.pool.Index.Insert(0, &chain, uint32(w.now/1e6))
		}
		w.hosts = c.hosts
		w.step(1.5)
		w.now += c.clock * second
		w.step(c.seconds - 1.5)
		if c.hosts == "" {
			w.hosts = host("10.0.0.2", "") // which is ready first
			w.step(1.5)
		}
		w.hosts = host("10.0.0.1", "") + "," + host("10.0.0.2", "")
		w.step(1.5)
		w.want("0=10.0.0.1*1, 1=10.0.0.2*1")
		for i, worker := range w.workers {
			if held := worker.pool.Index.Held(0); held > 0 != c.kept {
				t.Errorf("%s, worker %d: %d bytes are known of its cache, want some: %v", c.name, i, held, c.kept)
			}
		}
	}
}

// An index is given to another endpoint only when the one before has been gone for a minute, and nothing is in flight.
func TestIndicesAreQuarantined(t *testing.T) {
	w := newWorld(t, discovered, 2)
	w.hosts = host("10.0.0.1", "") + "," + host("10.0.0.2", "")
	w.step(1.5)
	f := new(pool.Flight)
	w.workers[1].pool.Begin(f, 0, w.now)
	w.workers[1].board.Sync(w.now)
	w.hosts = host("10.0.0.2", "")
	w.step(30)
	w.hosts += "," + host("10.0.0.3", "")
	w.step(1.5)
	w.want("1=10.0.0.2*1, 2=10.0.0.3*1")
	w.step(60)
	w.hosts += "," + host("10.0.0.4", "")
	w.step(1.5)
	w.want("1=10.0.0.2*1, 2=10.0.0.3*1, 3=10.0.0.4*1") // at 0 a request of the second worker is in flight
	w.workers[1].pool.End(f, w.now, pool.Outcome{Ending: health.Cancelled})
	w.workers[1].board.Publish(w.now)
	w.step(1.5)
	w.hosts += "," + host("10.0.0.5", "")
	w.step(1.5)
	w.want("0=10.0.0.5*1, 1=10.0.0.2*1, 2=10.0.0.3*1, 3=10.0.0.4*1")
}

// What is known of an endpoint that stays is kept when others come and go, and when an index is reused.
func TestKnowledgeStays(t *testing.T) {
	w := newWorld(t, discovered, 1)
	r := w.workers[0].pool
	chain := &prefix.Chain{Hash: []uint64{1, 2, 3}}
	w.hosts = host("10.0.0.1", "") + "," + host("10.0.0.2", "")
	w.step(1.5)
	r.RecordVisit(0, &pool.Visit{Chain: chain, At: w.now}, w.now)
	r.RecordVisit(1, &pool.Visit{Chain: chain, At: w.now}, w.now)
	for i := range 100 { // the index has to grow twice
		w.hosts += "," + host(fmt.Sprintf("10.0.1.%d", i), "")
	}
	w.step(1.5)
	w.hosts = host("10.0.0.2", "")
	w.step(70)
	w.hosts += "," + host("10.0.0.9", "")
	w.step(1.5)
	w.want("0=10.0.0.9*1, 1=10.0.0.2*1")
	depth := make([]int32, r.Index.Endpoints())
	r.Index.Match(chain.Hash, depth)
	if depth[0] != 0 || depth[1] != 3 {
		t.Errorf("matched %v: the new endpoint has 0 blocks and the old one 3", depth[:2])
	}
}

func TestFaultsKeepThePool(t *testing.T) {
	w := newWorld(t, discovered, 1)
	w.hosts = host("10.0.0.1", "")
	w.step(1.5)
	only := w.workers[0]
	for _, c := range []struct {
		status int
		page   string
		want   Fault
	}{
		{0, "", adminNoAnswer}, {503, "no healthy upstream", adminNoAnswer}, {504, "", adminNoAnswer}, {404, "", adminError},
		{200, "{", Fault(clusters.ErrTruncated.Error())}, {200, "stats", Fault(clusters.ErrSyntax.Error())},
		{200, `{"cluster_statuses":[]}`, Fault(clusters.ErrNoCluster.Error())},
	} {
		response := response(c.status, c.page)
		if got := only.HandleResponse(Token{Endpoint: -1}, response, w.now); got != c.want {
			t.Errorf("%d %q: got %q, want %q", c.status, c.page, got, c.want)
		}
	}
	w.want("0=10.0.0.1*1")
}

// A leader that stops is followed by another within its lease, which goes on from what was published.
func TestLeadersAreFollowed(t *testing.T) {
	w := newWorld(t, discovered, 3)
	w.hosts = host("10.0.0.1", "") + "," + host("10.0.0.2", "")
	w.step(3)
	leads := func() (list []int) {
		for i, worker := range w.workers {
			if worker.Leads() && !worker.dead {
				list = append(list, i)
			}
		}
		return list
	}
	first := leads()
	if len(first) != 1 {
		t.Fatalf("leaders %v, want one", first)
	}
	w.workers[first[0]].dead = true
	w.hosts = host("10.0.0.2", "")
	w.step(8)
	if second := leads(); len(second) != 1 || second[0] == first[0] {
		t.Fatalf("leaders %v after %v, want another one", second, first)
	}
	w.want("1=10.0.0.2*1")
	w.add(discovered) // a new worker knows the pool before it asks
	w.step(0.4)
	w.want("1=10.0.0.2*1")
}

const page = `vllm:num_requests_running{engine="0"} 3
vllm:num_requests_waiting{engine="0"} 4
vllm:kv_cache_usage_perc{engine="0"} 0.5
vllm:prefix_cache_queries_total{engine="0"} %d
vllm:prefix_cache_hits_total{engine="0"} 10
vllm:cache_config_info{block_size="16",num_gpu_blocks="1000"} 1
`

func TestMetricsReachAllWorkers(t *testing.T) {
	w := newWorld(t, `{"endpoints": ["10.0.0.1:80", "10.0.0.2:80"], "scrape": {"cluster": "vllm"}}`, 3)
	w.metrics["10.0.0.1:80"] = fmt.Sprintf(page, 1000)
	w.step(2)
	leader := slices.IndexFunc(w.workers, func(w *worker) bool { return w.Leads() })
	for i, worker := range w.workers {
		if got := worker.pool.Requests(0, w.now); got != 7 {
			t.Errorf("worker %d: %v busy, want the page's 7", i, got)
		}
		if got := worker.pool.Waiting(0, w.now); got != 4 {
			t.Errorf("worker %d: %v waiting, want the page's 4", i, got)
		}
		if age := w.now - worker.metrics.at(0); age < 0 || age > second+4e8 {
			t.Errorf("worker %d: a page of %d ns ago", i, age)
		}
		if worker.metrics.at(1) != 0 {
			t.Errorf("worker %d has a page of an endpoint that gave none", i)
		}
		if got, known := worker.pool.Index.Capacity(0); !known {
			t.Errorf("worker %d: %d bytes fit, want what the page says", i, got)
		}
		worker.pool.RecordVisit(0, &pool.Visit{Chain: &prefix.Chain{Hash: []uint64{1, 2}}, At: w.now}, w.now)
	}
	if n := w.asked["10.0.0.1:80"]; n != 2 {
		t.Errorf("asked %d times in 2 s, want 2", n)
	}
	w.metrics["10.0.0.1:80"] = fmt.Sprintf(page, 5) // it has restarted
	w.step(1.4)
	for i, worker := range w.workers {
		if held := worker.pool.Index.Held(0); held != 0 {
			t.Errorf("worker %d (the leader is %d) believes in %d blocks of a replica that restarted", i, leader, held)
		}
	}
}

// The metrics count the peers' requests already: a worker that starts while they are in flight must not count them twice.
func TestNewWorkerCountsNothingTwice(t *testing.T) {
	const configuration = `{"endpoints": ["10.0.0.1:80"], "scrape": {"cluster": "vllm"}}`
	w := newWorld(t, configuration, 1)
	w.metrics["10.0.0.1:80"] = fmt.Sprintf(page, 1000)
	old := w.workers[0]
	old.board.Sync(w.now)
	for range 7 {
		old.pool.Begin(new(pool.Flight), 0, w.now)
	}
	old.board.Publish(w.now)
	w.step(2)
	added := w.add(configuration)
	added.ReadPublished(w.now)
	for range 3 {
		added.board.Sync(w.now) // with its first request
		if got := added.pool.Requests(0, w.now); got != 7 {
			t.Errorf("%v busy, want the page's 7", got)
		}
		w.step(0.6)
	}
}

// When a crowd leaves a worker at once, the others know the end of it by the next tick.
func TestCrowdLeaves(t *testing.T) {
	w := newWorld(t, `{"endpoints": ["10.0.0.1:80"]}`, 2)
	for i := range w.workers {
		w.workers[i].board.Sync(w.now)
	}
	w.step(1.2)
	busy, other := w.workers[0], w.workers[1]
	crowd := make([]decision.Decision, 1000)
	for i := range crowd {
		busy.pool.Begin(&crowd[i].Flight, 0, w.now)
		busy.board.Publish(w.now)
	}
	for i := range crowd {
		busy.pool.End(&crowd[i].Flight, w.now, pool.Outcome{Ending: health.Cancelled})
		busy.board.PublishKnown(w.now)
	}
	other.board.Sync(w.now)
	if got := other.pool.InFlight(0); got == 0 {
		t.Fatal("all was told at once: the test tests nothing")
	}
	w.step(0.2)
	other.board.Sync(w.now)
	if got := other.pool.InFlight(0); got != 0 {
		t.Errorf("the other worker counts %d in flight, want 0", got)
	}
}

// The filters of one virtual machine share its data: those of other pools must not mix.
func TestPoolsDoNotMix(t *testing.T) {
	w := newWorld(t, discovered, 1)
	other := w.add(strings.Replace(discovered, `"vllm"`, `"other"`, 1))
	w.hosts = host("10.0.0.1", "")
	w.step(2)
	if got := other.members(); got != "" || !other.Leads() || !w.workers[0].Leads() {
		t.Errorf("another pool's worker has %q", got)
	}
}

// Filters of one pool may steer in different ways: the one that steers by cluster needs clusters in the roster.
func TestTargetsDoNotMix(t *testing.T) {
	const scraped = `{"discovery": {"cluster": "vllm", "admin_cluster": "admin"}, "scrape": {"cluster": "vllm"}}`
	w := newWorld(t, scraped, 1)
	named := w.add(strings.Replace(scraped, `{"discovery"`, `{"steer": {"target": "cluster"}, "discovery"`, 1))
	w.hosts = host("10.0.0.1", "")
	w.step(2)
	if e := named.pool.Endpoints; len(e) != 1 || e[0].Cluster != "vllm" {
		t.Errorf("%v: the endpoint's cluster is not known", e)
	}
}

// However weights change, all endpoints find room on the ring, which is full with 1,024 units of weight here.
func TestEndpointsStayOnTheRing(t *testing.T) {
	configuration := strings.Replace(discovered, `{"discovery"`, `{"policy": "session_affinity", "ring": {"vnodes": 1024}, "discovery"`, 1)
	w := newWorld(t, configuration, 2)
	for _, c := range []struct{ heavy, light string }{
		{"10.0.0.2", "10.0.0.1"}, {"10.0.0.1", "10.0.0.2"}, {"10.0.0.2", "10.0.0.1"}, {"10.0.0.1", "10.0.0.9"},
	} {
		w.hosts = host(c.heavy, `,"weight":999`) + "," + host(c.light, `,"weight":1`)
		w.step(1.5)
		r, count := w.workers[1], 0
		for session := range 1000 {
			var d decision.Decision
			p := prompt.Prompt{Text: []byte("hello"), Session: []byte(fmt.Sprint(session))}
			if r.router.Pick(&decision.Request{Prompt: &p, Now: w.now}, &d); r.pool.Endpoints[d.Order[0]].Address == c.heavy+":80" {
				count++
			}
		}
		if count < 980 {
			t.Errorf("%d of 1000 sessions are at %s, whose weight is 999 against 1", count, c.heavy)
		}
	}
}

// As many endpoints as there may be, of any weights, are on the ring: one without room on it would be in the pool, and
// never be chosen.
func TestManyEndpointsStayOnTheRing(t *testing.T) {
	for _, c := range []struct{ hosts, vnodes int }{{clusters.MaxHosts, config.MaxDiscoveredVnodes}, {10, 256}} {
		w := newWorld(t, strings.Replace(discovered, `{"discovery"`, fmt.Sprintf(`{"policy": "session_affinity", "ring": {"vnodes": %d}, "discovery"`, c.vnodes), 1), 1)
		var hosts []string
		for i := range c.hosts {
			hosts = append(hosts, host(fmt.Sprintf("10.0.%d.%d", i>>8, i&255), fmt.Sprintf(`,"weight":%d`, 1<<30-i)))
		}
		w.hosts = strings.Join(hosts, ",")
		w.step(1.5)
		w.hosts = strings.Join(hosts[c.hosts-3:], ",") // those that came last
		w.step(1.5)
		r := w.workers[0].router
		var d decision.Decision
		if !r.Pick(&decision.Request{Prompt: &prompt.Prompt{Session: []byte("s")}, Now: w.now}, &d) || len(d.Order) != 3 {
			t.Errorf("%d hosts with %d vnodes: the order among the last three is %v", c.hosts, c.vnodes, d.Order)
		}
	}
}

func TestWeightsFitTheRing(t *testing.T) {
	for _, c := range []struct {
		weights []int
		want    int
	}{
		{[]int{128, 128, 128}, 128}, {[]int{2, 4, 6}, 2}, {[]int{3, 5}, 1}, {nil, 1}, {[]int{1 << 30, 1}, 262273},
	} {
		var hosts []clusters.Host
		for _, weight := range c.weights {
			hosts = append(hosts, clusters.Host{Weight: weight})
		}
		if got := weightDivisor(hosts, 256); got != c.want {
			t.Errorf("%v: divided by %d, want %d", c.weights, got, c.want)
		}
	}
}

func TestFilter(t *testing.T) {
	for cluster, want := range map[string]string{
		"vllm":               "%5Evllm%24",
		"a.b-c":              "%5Ea%5C%2Eb%5C%2Dc%24",
		"outbound|80||a.svc": "%5Eoutbound%5C%7C80%5C%7C%5B%5E%7C%5D%2A%5C%7Ca%5C%2Esvc%24",
		"outbound|80|v1|a":   "%5Eoutbound%5C%7C80%5C%7Cv1%5C%7Ca%24",
	} {
		if got := Filter(cluster); got != want {
			t.Errorf("%s: got %s, want %s", cluster, got, want)
		}
	}
}

// Adapters are published beside the other metrics, if there are any.
func TestAdaptersArePublished(t *testing.T) {
	var m metrics
	m.set(0, 7, &exposition.Load{Has: exposition.HasRunning, Running: 2})
	plain := len(m.append(nil, 3))
	m.set(1, 8, &exposition.Load{Has: exposition.HasAdapters, AdapterSlots: 2, Adapters: [exposition.MaxAdapters]uint32{5, 7}})
	value := m.append(nil, 3)
	if len(value) <= plain {
		t.Fatalf("%d bytes with adapters, %d without", len(value), plain)
	}
	var other metrics
	seen := 0
	other.read(value, 3, 2, func(i int, _ int64, l *exposition.Load) {
		seen++
		if want := []int{0, 2}[i]; l.AdapterSlots != want || i == 1 && (l.Adapters[0] != 5 || l.Adapters[1] != 7 || l.Adapters[2] != 0) {
			t.Errorf("endpoint %d: %d slots, %v", i, l.AdapterSlots, l.Adapters)
		}
	})
	if seen != 2 || string(other.append(nil, 3)) != string(value) {
		t.Errorf("%d pages; it does not survive its own writing", seen)
	}
	m.clear()
	if got := len(m.append(nil, 3)); got > metricsHead {
		t.Errorf("%d bytes after clear", got)
	}
}

// Whatever another version, or chance, left in the shared data: it is ignored, or reads as what would be written again.
func FuzzPublished(f *testing.F) {
	var r roster
	r.update([]clusters.Host{{Address: "10.0.0.1:80", Weight: 1, Healthy: true}, {Address: "10.0.0.2:80", Cluster: "c", Weight: 2}}, true, 7, func(int) bool { return false })
	var m metrics
	m.set(1, 7, &exposition.Load{Has: exposition.HasRunning, Running: 2})
	f.Add(r.append(nil), m.append(nil, 0))
	m.set(2, 8, &exposition.Load{Has: exposition.HasAdapters, AdapterSlots: 2, Adapters: [exposition.MaxAdapters]uint32{5, 7}})
	f.Add(r.append(nil), m.append(nil, 0))
	m.set(0, 9, &exposition.Load{Has: exposition.HasRunning, Running: math.NaN(), Waiting: -1, KVTokens: math.Inf(1)})
	f.Add(r.append(nil), m.append(nil, 0))
	f.Add([]byte{1}, []byte{1, 0, 0, 0, 0, 1, 0})
	f.Fuzz(func(t *testing.T, first, second []byte) {
		var r roster
		if r.read(first) {
			again := roster{}
			if len(r.rows) > clusters.MaxHosts || !again.read(r.append(nil)) || !slices.Equal(again.rows, r.rows) {
				t.Fatalf("%v does not survive its own writing", r.rows)
			}
		}
		var m metrics
		m.read(second, 0, 3, func(i int, at int64, l *exposition.Load) {
			if i < 0 || i > 2 || at == 0 || !(l.Running >= 0 && l.Waiting >= 0 && l.KVTokens >= 0 && l.KVUsage >= 0 && l.CacheQueries >= 0) {
				t.Fatalf("a page of no endpoint, or that no endpoint has: %+v", l)
			}
		})
	})
}

// Metrics that are no numbers, which another module has written over the published ones, are not taken over: nothing that they are added to
// would be a number again.
func TestMetricsThatAreNoNumbers(t *testing.T) {
	w := newWorld(t, `{"endpoints": ["10.0.0.1:80", "10.0.0.2:80"], "scrape": {"cluster": "vllm"}}`, 2)
	for _, address := range []string{"10.0.0.1:80", "10.0.0.2:80"} {
		w.metrics[address] = fmt.Sprintf(page, 1000)
	}
	w.step(2)
	for _, worker := range w.workers {
		var m metrics
		m.set(1, w.now+1, &exposition.Load{Has: exposition.HasRunning | exposition.HasWaiting, Running: math.NaN(), Waiting: math.Inf(1)})
		w.store.Set(worker.metricsKey, m.append(nil, 0), 0)
		worker.readMetrics()
		worker.pool.Tick(w.now)
		for i := range 2 {
			if got := worker.pool.Requests(i, w.now); got != 7 {
				t.Errorf("%v requests at endpoint %d, want the page's 7", got, i)
			}
		}
	}
}

// A server that died holds nothing when it is back, for no worker, though too few requests have failed to take it for down.
func TestNothingIsBelievedOfWhoDied(t *testing.T) {
	const refused = "upstream connect error or disconnect/reset before headers. reset reason: remote connection failure"
	for _, c := range []struct {
		name   string
		status int
		text   string
		holds  bool
	}{
		{"no connection", 503, refused, false},
		{"too much under way", 503, "upstream connect error or disconnect/reset before headers. reset reason: overflow", true},
		{"ejected", 503, "no healthy upstream", true},
		{"slow", 504, "upstream request timeout", true},
		{"no response", 0, "", true},
	} {
		w := newWorld(t, `{"endpoints": ["10.0.0.1:80", "10.0.0.2:80"], "scrape": {"cluster": "vllm"}}`, 2)
		w.metrics["10.0.0.1:80"], w.metrics["10.0.0.2:80"] = fmt.Sprintf(page, 5000), fmt.Sprintf(page, 5000)
		w.step(3)
		chain := prefix.Chain{Hash: []uint64{1, 2, 3}, End: []uint32{256, 512, 768}}
		for _, worker := range w.workers {
			worker.pool.RecordVisit(0, &pool.Visit{Chain: &chain, At: w.now}, w.now)
		}
		held := func() (n int) {
			for _, worker := range w.workers {
				if worker.pool.Index.Held(0) > 0 {
					n++
				}
			}
			return n
		}
		w.metrics["10.0.0.1:80"] = ""
		w.down = map[string]Response{"10.0.0.1:80": response(c.status, c.text)}
		w.step(8)
		if want := map[bool]int{true: 2}[c.holds]; held() != want {
			t.Errorf("%s: %d of 2 workers believe that it holds something, want %d", c.name, held(), want)
		}
		for _, worker := range w.workers { // what comes before its first page is kept
			worker.pool.RecordVisit(0, &pool.Visit{Chain: &chain, At: w.now}, w.now)
		}
		w.metrics["10.0.0.1:80"] = fmt.Sprintf(page, 6000)
		w.step(8)
		if held() != 2 {
			t.Errorf("%s: once it is back, %d of 2 workers believe what has come since", c.name, held())
		}
	}
}

// Of a page that is far longer than any replica's only what it says first is read: a worker would stand still for it each second.
func TestEndlessPagesAreNotRead(t *testing.T) {
	w := newWorld(t, `{"endpoints": ["10.0.0.1:80"], "scrape": {"cluster": "vllm", "models": "/v1/models"}}`, 1)
	w.step(3)
	for _, token := range []Token{{}, {models: true}} {
		read := 0
		fault := w.workers[0].HandleResponse(token, Response{200, 1 << 30, func(from, size int) []byte {
			read += size
			return make([]byte, size)
		}}, w.now)
		if want := []Fault{metricsUnknown, modelsUnknown}; !slices.Contains(want, fault) || read > exposition.MaxPage {
			t.Errorf("fault %q, %d bytes are read", fault, read)
		}
	}
	page := []byte("vllm:num_requests_running{engine=\"0\"} 7\nvllm:num_requests_waiting{engine=\"0\"} 2\n")
	for len(page) < 2*exposition.MaxPage {
		page = fmt.Appendf(page, "vllm:lora_requests_info{max_lora=\"4\",running_lora_adapters=\"a-%d\",waiting_lora_adapters=\"\"} %d\n", len(page), len(page))
	}
	for range 2 { // requests of others count from the second page on
		w.step(1)
		if fault := w.workers[0].HandleResponse(Token{}, Response{200, len(page), func(from, size int) []byte { return page[from : from+size] }}, w.now); fault != "" {
			t.Errorf("fault %q", fault)
		}
	}
	if got := w.workers[0].pool.Requests(0, w.now); got != 9 {
		t.Errorf("%v requests, want 9", got)
	}
}

// A roster that another module has written over must leave an endpoint on the ring: policies by the ring take the first one there is.
func TestRosterBeyondTheRing(t *testing.T) {
	w := newWorld(t, `{"policy": "prefix_hash", "discovery": {"cluster": "vllm", "admin_cluster": "admin"}, "scrape": {"path": ""}}`, 1)
	worker := w.workers[0]
	r := roster{rows: []row{{endpoint: config.Endpoint{Address: "10.0.0.1:80", Weight: 1<<16 - 1}, present: true, healthy: true}}}
	w.store.Set(worker.rosterKey, r.append(nil), 0)
	worker.ReadPublished(w.now)
	var d decision.Decision
	if !worker.router.Pick(&decision.Request{Prompt: &prompt.Prompt{Text: []byte("a")}, Now: w.now}, &d) || len(d.Order) != 1 {
		t.Errorf("order %v", d.Order)
	}
}
