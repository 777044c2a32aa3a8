package route

import (
	"container/heap"
	"container/list"
	"encoding/binary"
	"fmt"

	"warmroute/plugin/config"
	"warmroute/plugin/decision"
	"warmroute/plugin/health"
	"warmroute/plugin/pool"
	"warmroute/plugin/prompt"
)

// A trace replayed natively: 8 replicas, each one server with a constant prefill rate and a prefix cache of exact LRU.
// One block of the trace, 512 tokens, is 64 bytes of prompt here, and 32 of its tokens are one: what decides is the same.

const (
	traceBlock = 512 // tokens
	textBlock  = 64  // bytes that stand for it
	scale      = traceBlock / (textBlock / 4)
)

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
	router  rig
	d       *decision.Decision
	first   bool
	replica *replica
	blocks  []int
	outcome pool.Outcome
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
	draw     int     // 0 to 255: other addresses, and so other places on the ring
	change   func(*config.Config)
}

func (s setup) config() *config.Config {
	doc := `{"endpoints": [`
	for i := range s.replicas {
		if i > 0 {
			doc += ","
		}
		doc += fmt.Sprintf(`"10.%d.%d.%d:8000"`, (i+1)>>8, s.draw, (i+1)&255)
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

// mean is of so many draws; its reasons are the last one's.
func mean(draws int, s setup, trace []traced) result {
	var out result
	for s.draw = range draws {
		got, n := replay(s, trace), float64(draws)
		got.hit, got.imbalance, got.ttft = out.hit+got.hit/n, out.imbalance+got.imbalance/n, out.ttft+got.ttft/n
		out = got
	}
	return out
}

func replay(s setup, trace []traced) result {
	all := make([]*replica, s.replicas)
	routers := make([]rig, max(s.gateways, 1))
	for g := range routers {
		routers[g] = newRig(s.config(), uint64(g))
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
				e.router.firstToken(e.d, e.at)
			} else {
				e.replica.serve(e.blocks) // vLLM lets go of blocks, and so orders them, as the request ends
				e.router.end(e.d, e.at, e.outcome)
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
		p := prompt.Prompt{Format: prompt.Completions, Model: []byte("m"), Text: text, BlockBytes: textBlock, BodyBytes: len(text), Stream: true, IncludeUsage: true}
		d, router := new(decision.Decision), routers[random.below(len(routers))]
		router.Pick(&decision.Request{Prompt: &p, Now: now}, d)
		router.begin(d, now)
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
		heap.Push(&queue, event{at: first + int64(r.Output)*20e6, n: 2*n + 1, router: router, d: d, replica: to, blocks: whole, outcome: pool.Outcome{
			Ending: health.Answered, Usage: true, PromptTokens: max(r.Input/scale, 1), CachedTokens: hit / scale,
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
