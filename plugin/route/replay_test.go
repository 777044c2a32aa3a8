package route

import (
	"bufio"
	"compress/gzip"
	"container/heap"
	"container/list"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/load"
	"warmroute/plugin/prompt"
)

// A trace replayed natively: 8 replicas, each one server with a constant prefill rate and a prefix cache of exact LRU.
// One block of the trace, 512 tokens, is 64 bytes of prompt here, and 32 of its tokens are one: what decides is the same.

const (
	traceBlock = 512 // tokens
	textBlock  = 64  // bytes that stand for it
	scale      = traceBlock / (textBlock / 4)
)

type traced struct {
	Timestamp float64 // ms
	Input     int     `json:"input_length"`
	Output    int     `json:"output_length"`
	Blocks    []int   `json:"hash_ids"`
}

// readTrace reads a trace of the folder that WARMROUTE_TRACES names.
func readTrace(t testing.TB, folder, name string) (all []traced) {
	t.Helper()
	file, err := os.Open(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(unzipped)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var r traced
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	if err := lines.Err(); err != nil || len(all) == 0 {
		t.Fatalf("%s: %d requests, %v", name, len(all), err)
	}
	return all
}

// replica is the truth: what a cache of that many blocks holds, and until when its server is busy.
type replica struct {
	capacity int
	order    *list.List
	at       map[int]*list.Element
	free     int64 // ns
	computed float64
}

func newReplica(capacity int) *replica {
	return &replica{capacity: capacity, order: list.New(), at: map[int]*list.Element{}}
}

// serve computes the whole blocks and returns how many leading ones were held.
func (r *replica) serve(blocks []int) (held int) {
	for held < len(blocks) && r.at[blocks[held]] != nil {
		held++
	}
	for i := len(blocks) - 1; i >= 0; i-- {
		if e := r.at[blocks[i]]; e != nil {
			r.order.MoveToFront(e)
			continue
		}
		if r.order.Len() == r.capacity {
			delete(r.at, r.order.Remove(r.order.Back()).(int))
		}
		r.at[blocks[i]] = r.order.PushFront(blocks[i])
	}
	return held
}

// event is a moment of a request's life that the router is told.
type event struct {
	at      int64
	n       int
	router  *Router
	d       *Decision
	first   bool
	replica *replica
	blocks  []int
	outcome Outcome
}

type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	return e[i].at < e[j].at || e[i].at == e[j].at && e[i].n < e[j].n
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

// result is what a replay comes to.
type result struct {
	hit, imbalance, ttft float64 // token hit ratio; max ÷ mean of tokens computed; mean seconds
	reasons              map[string]int
}

func (r result) String() string {
	return fmt.Sprintf("hit %.3f ÷ %.3f, mean TTFT %.3f s, %v", r.hit, r.imbalance, r.ttft, r.reasons)
}

// setup is one replay.
type setup struct {
	policy   config.Policy
	replicas int
	capacity int     // blocks of each replica
	rate     float64 // tokens of the trace a second
	gateways int     // that share nothing; 0: one
	change   func(*config.Config)
}

func (s setup) config() *config.Config {
	doc := `{"endpoints": [`
	for i := range s.replicas {
		if i > 0 {
			doc += ","
		}
		doc += fmt.Sprintf(`"10.0.0.%d:8000"`, i+1)
	}
	c, err := config.Parse([]byte(doc + fmt.Sprintf(`], "policy": %q, "block_bytes": %d}`, s.policy.String(), textBlock)))
	if err != nil {
		panic(err)
	}
	if s.change != nil {
		s.change(&c)
	}
	return &c
}

func replay(s setup, trace []traced) result {
	all := make([]*replica, s.replicas)
	routers := make([]*Router, max(s.gateways, 1))
	for g := range routers {
		routers[g] = New(s.config(), uint64(g))
		for i := range all {
			all[i] = newReplica(s.capacity)
			routers[g].SetCache(i, float64(s.capacity*textBlock/4))
		}
	}
	random := source(1)
	out := result{reasons: map[string]int{}}
	var queue events
	var input, held, ttft float64
	tell := func(until int64) {
		for len(queue) > 0 && queue[0].at <= until {
			e := heap.Pop(&queue).(event)
			if e.first {
				e.router.FirstToken(e.d, e.at)
			} else {
				e.replica.serve(e.blocks) // vLLM lets go of blocks, and so orders them, as the request ends
				e.router.Answered(e.d, e.at, e.outcome)
			}
		}
	}
	var text []byte
	for n, r := range trace {
		now := int64(1e9) + int64(r.Timestamp*1e6)
		tell(now)
		text = text[:0]
		for _, b := range r.Blocks {
			for i := range textBlock / 8 {
				text = binary.LittleEndian.AppendUint64(text, uint64(b)<<8|uint64(i))
			}
		}
		text = text[:min(len(text), r.Input*textBlock/traceBlock)]
		p := prompt.Prompt{Format: prompt.Completions, Model: []byte("m"), Text: text, BodyBytes: len(text), Stream: true, IncludeUsage: true}
		d, router := new(Decision), routers[random.below(len(routers))]
		router.Pick(&Request{Prompt: &p, Now: now}, d)
		router.Begin(d, now)
		out.reasons[d.Reason.String()]++

		to := all[d.Order[0]]
		whole := r.Blocks[:min(len(r.Blocks), r.Input/traceBlock)]
		hit := min(to.serve(whole)*traceBlock, r.Input-1)
		computed := float64(r.Input - hit)
		to.computed += computed
		input, held = input+float64(r.Input), held+float64(hit)
		to.free = max(to.free, now) + int64(computed/s.rate*1e9)
		first := to.free + 20e6
		ttft += float64(first-now) / 1e9
		heap.Push(&queue, event{at: first, n: 2 * n, router: router, d: d, first: true})
		heap.Push(&queue, event{at: first + int64(r.Output)*20e6, n: 2*n + 1, router: router, d: d, replica: to, blocks: whole, outcome: Outcome{
			Ending: load.Answered, Usage: true, PromptTokens: max(r.Input/scale, 1), CachedTokens: hit / scale,
			OutputTokens: r.Output,
		}})
	}
	out.hit, out.ttft = held/input, ttft/float64(len(trace))
	most, sum := 0.0, 0.0
	for _, r := range all {
		most, sum = max(most, r.computed), sum+r.computed
	}
	out.imbalance = most / sum * float64(s.replicas)
	return out
}

// spread sets apart the requests that a trace gives one timestamp, evenly up to the next.
func spread(trace []traced) {
	for i := 0; i < len(trace); {
		j := i
		for j < len(trace) && trace[j].Timestamp == trace[i].Timestamp {
			j++
		}
		next := trace[i].Timestamp + 3000
		if j < len(trace) {
			next = trace[j].Timestamp
		}
		step := (next - trace[i].Timestamp) / float64(j-i)
		for k := i; k < j; k++ {
			trace[k].Timestamp += step * float64(k-i)
		}
		i = j
	}
}

// traces are those of WARMROUTE_TRACES, or without it one made up here: chats of several turns below two system prompts.
func traces(t testing.TB) map[string][]traced {
	folder := os.Getenv("WARMROUTE_TRACES")
	if folder == "" {
		return map[string][]traced{"chats": chats(3000)}
	}
	all := map[string][]traced{}
	for _, name := range []string{"conversation", "synthetic"} {
		all[name] = readTrace(t, folder, "mooncake_"+name+".jsonl.gz")
		spread(all[name])
	}
	return all
}

func chats(n int) (all []traced) {
	random := source(7)
	type chat struct{ blocks []int }
	var live []*chat
	next := 10
	grow := func(c *chat, by int) {
		for range by {
			c.blocks = append(c.blocks, next)
			next++
		}
	}
	for i := range n {
		if len(live) < 60 || random.below(5) == 0 {
			c := &chat{blocks: []int{0, 1, 2 + random.below(2)}}
			live = append(live, c)
		}
		at := random.below(len(live))
		c := live[at]
		grow(c, 2+random.below(12))
		all = append(all, traced{
			Timestamp: float64(i) * 300, Input: len(c.blocks)*traceBlock - random.below(traceBlock), Output: 100 + random.below(300),
			Blocks: append([]int(nil), c.blocks...),
		})
		if random.below(6) == 0 {
			live = append(live[:at], live[at+1:]...)
		}
	}
	return all
}

// The placement that users are promised: the hit ratio of a session hash at the balance of least load, first with
// hardly any queueing, then with replicas that are busy most of the time.
func TestReplay(t *testing.T) {
	both := []config.Policy{config.PolicyCacheAware, config.PolicyExpectedTTFT}
	for _, c := range []struct {
		trace          string
		capacity       int
		rate           float64
		policies       []config.Policy
		hit, imbalance float64
	}{
		{"conversation", 3000, 1e6, both, .305, 1.03},
		{"conversation", 800, 1e6, both, .146, 1.03},
		{"synthetic", 3000, 1e6, both, .613, 1.03},
		{"synthetic", 800, 1e6, both, .330, 1.03},
		{"conversation", 3000, 10000, both, .285, 1.03},
		{"conversation", 800, 10000, both, .138, 1.03},
		{"chats", 3000, 1e6, both, .78, 1.08},
		{"chats", 300, 1e6, both, .48, 1.05},
	} {
		trace := traces(t)[c.trace]
		if trace == nil {
			continue
		}
		for _, p := range c.policies {
			got := replay(setup{policy: p, replicas: 8, capacity: c.capacity, rate: c.rate}, trace)
			t.Logf("%s, %d blocks, %.0f tokens/s, %v: %v", c.trace, c.capacity, c.rate, p, got)
			if got.hit < c.hit || got.imbalance > c.imbalance {
				t.Errorf("%s, %d blocks, %.0f tokens/s, %v: %v; want at least %v ÷ at most %v",
					c.trace, c.capacity, c.rate, p, got, c.hit, c.imbalance)
			}
		}
	}
}

// Where replicas are busy, expecting the wait beats not looking at it.
func TestExpectedTTFTWaitsLeast(t *testing.T) {
	for name, trace := range traces(t) {
		rate := 10000.0
		if name == "chats" {
			rate = 3000
		}
		best := replay(setup{policy: config.PolicyExpectedTTFT, replicas: 8, capacity: 3000, rate: rate}, trace)
		t.Logf("%s: expected_ttft: %v", name, best)
		for p := config.PolicyRandom; p < config.PolicyExpectedTTFT; p++ {
			got := replay(setup{policy: p, replicas: 8, capacity: 3000, rate: rate}, trace)
			t.Logf("%s: %v: %v", name, p, got)
			if got.ttft < best.ttft {
				t.Errorf("%s: %v waits %.3f s, expected_ttft %.3f s", name, p, got.ttft, best.ttft)
			}
		}
	}
}

// Gateways that share nothing agree by the ring: two and four of them find most of what one would,
// the time included in which they find out that they are not alone.
func TestGateways(t *testing.T) {
	for name, trace := range traces(t) {
		for _, capacity := range []int{3000, 800} {
			var one result
			for _, gateways := range []int{1, 2, 4} {
				got := replay(setup{policy: config.PolicyExpectedTTFT, replicas: 8, capacity: capacity, rate: 1e6, gateways: gateways}, trace)
				t.Logf("%s, %d blocks, %d gateways: %v", name, capacity, gateways, got)
				if gateways == 1 {
					one = got
				} else if got.hit < one.hit*.85 {
					t.Errorf("%s, %d blocks: %d gateways hit %.3f, one %.3f", name, capacity, gateways, got.hit, one.hit)
				}
			}
		}
	}
}
