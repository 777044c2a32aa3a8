package share

import (
	"fmt"
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/health"
	"warmroute/plugin/pool"
	"warmroute/plugin/prefix"
	"warmroute/plugin/prompt"
	"warmroute/plugin/share/memstore"
)

// worker is a pool with its board, as one VM has them.
type worker struct {
	*Board
	pool *pool.Pool
}

func newWorker(t *testing.T, m *memstore.Store, endpoints string, now int64) worker {
	t.Helper()
	cfg, err := config.Parse([]byte(`{"endpoints":[` + endpoints + `],"policy":"cache_aware","seed":1}`))
	if err != nil {
		t.Fatal(err)
	}
	r := pool.New(&cfg, cfg.IndexBytes)
	b := New(m, r)
	b.Sync(now)
	return worker{b, r}
}

const two = `"10.0.0.1:80","10.0.0.2:80"`

// sent, ended and lost are steps of a request with a chain; the latter two have used its first blocks since from.
func sent(chain *prefix.Chain, now int64) pool.Visit { return pool.Visit{Chain: chain, At: now} }

func longer(chain *prefix.Chain, first int, from, now int64) pool.Visit {
	return pool.Visit{Chain: chain, First: first, Sent: from, At: now}
}

func ended(chain *prefix.Chain, first int, from, now int64) pool.Visit {
	return pool.Visit{Step: prefix.Ended, Chain: chain, First: first, Sent: from, At: now}
}

func lost(chain *prefix.Chain, held int, from int64) pool.Visit {
	return pool.Visit{Step: prefix.Lost, Chain: chain, First: held, At: from}
}

// begin counts a request with tokens to compute at the endpoint.
func (w worker) begin(endpoint, tokens int) *pool.Flight {
	f := new(pool.Flight)
	w.pool.Prepare(f, &prompt.Prompt{Text: make([]byte, 4*tokens), Stream: true}, nil, 0)
	w.pool.Begin(f, endpoint, 1e9)
	return f
}

// matched is how many of the chain's blocks the worker believes to be at the endpoint.
func (w worker) matched(endpoint int, chain *prefix.Chain) int {
	depth := make([]int32, w.pool.Index.Endpoints())
	w.pool.Index.Match(chain.Hash, depth)
	return int(depth[endpoint])
}

// chainOf is three blocks of 256 bytes, 256 and 16 KB.
func chainOf(n int) *prefix.Chain {
	at := uint64(n) * 1000
	return &prefix.Chain{Hash: []uint64{at + 1, at + 2, at + 3}, End: []uint32{256, 512, 512 + 16<<10}}
}

// A worker without peers that ends before its next tick leaves what it knows.
func TestFlush(t *testing.T) {
	m := memstore.New()
	a := newWorker(t, m, two, 0)
	a.RecordRouted(1, sent(chainOf(1), 1e8), 1e8)
	a.Publish(1e8)
	a.Flush(1e8)
	if b := newWorker(t, m, two, 2e8); b.matched(1, chainOf(1)) != 3 {
		t.Error("the next worker does not know what the last one routed")
	}
}

// A worker that joins knows what one that serves alone has just routed: a client's second request may be its first.
func TestSecondRequestIsAnotherWorkers(t *testing.T) {
	m := memstore.New()
	a := newWorker(t, m, two, 0)
	for n := range 5 {
		now := int64(n)*1e9 + 1e8
		a.Sync(now)
		a.RecordDecided(1, sent(chainOf(n), now), now)
		if b := newWorker(t, m, two, now+1e6); b.matched(1, chainOf(n)) != 3 {
			t.Errorf("request %d: the other worker does not know it", n)
		}
	}
}

// What one worker routed, another one knows and counts.
func TestPeersLearn(t *testing.T) {
	m := memstore.New()
	a, b := newWorker(t, m, two, 0), newWorker(t, m, two, 0)
	a.Tick(1e9) // sees b, which came later; b has seen a at its start
	f := a.begin(1, 0)
	a.RecordRouted(1, sent(chainOf(1), 1e9), 1e9)
	b.Sync(1e9)
	if got := b.matched(1, chainOf(1)); got != 3 {
		t.Errorf("b believes in %d blocks, want 3", got)
	}
	if got := b.pool.InFlight(1); got != 1 {
		t.Errorf("b counts %d in flight, want a's 1", got)
	}
	a.pool.End(f, 1e9, pool.Outcome{Ending: health.Cancelled})
	a.Publish(1e9)
	b.Sync(1e9)
	if got := b.pool.InFlight(1); got != 0 {
		t.Errorf("after the end b counts %d in flight, want 0", got)
	}
	b.RecordRouted(0, sent(chainOf(2), 1e9), 1e9)
	a.Sync(1e9)
	if got := a.matched(0, chainOf(2)); got != 3 {
		t.Errorf("a believes in %d blocks of b's, want 3", got)
	}
}

// A worker that begins late is counted from its first request on, without a tick of the others.
func TestNewcomerIsKnownAtOnce(t *testing.T) {
	m := memstore.New()
	a := newWorker(t, m, two, 0)
	for i := range 5 {
		b := newWorker(t, m, two, 1)
		b.begin(0, 0)
		b.RecordRouted(0, sent(chainOf(i), 1), 1)
		a.Sync(2)
		if got := a.matched(0, chainOf(i)); got != 3 {
			t.Errorf("of newcomer %d's request a believes in %d blocks, want 3", i, got)
		}
		if got := a.pool.InFlight(0); got != i+1 {
			t.Errorf("with newcomer %d a counts %d in flight, want %d", i, got, i+1)
		}
	}
}

// Two that begin at the same moment have two slots, and know each other.
func TestBeginAtOnce(t *testing.T) {
	for _, at := range []string{"slot.0", "slot.1"} {
		m := memstore.New()
		cfg, err := config.Parse([]byte(`{"endpoints":[` + two + `],"policy":"cache_aware","seed":1}`))
		if err != nil {
			t.Fatal(err)
		}
		newBoard := func() worker {
			r := pool.New(&cfg, cfg.IndexBytes)
			return worker{New(m, r), r}
		}
		newBoard() // the main thread's
		if at == "slot.1" {
			newWorker(t, m, two, 0)
		}
		a, b := newBoard(), newBoard()
		reads := 0
		m.AfterGet = func(key string) {
			if key != KeyPrefix+at {
				return
			}
			if reads++; reads == 2 { // the first is for the past, the second to take it
				m.AfterGet = nil
				b.Sync(0)
				b.RecordRouted(1, sent(chainOf(1), 0), 0)
			}
		}
		a.Sync(0)
		if m.AfterGet != nil || a.slot < 0 || b.slot < 0 || a.slot == b.slot {
			t.Fatalf("%s: slots %d and %d", at, a.slot, b.slot)
		}
		a.Sync(1)
		a.RecordRouted(0, sent(chainOf(2), 1), 1)
		b.Sync(1)
		a.Sync(1) // b was alone, and publishes once it knows of a
		if a.matched(1, chainOf(1)) != 3 || b.matched(0, chainOf(2)) != 3 {
			t.Errorf("%s: they do not know of each other", at)
		}
	}
}

// A new worker replays what all workers before it have published, dead ones too, in the order of use.
func TestReplay(t *testing.T) {
	m := memstore.New()
	a, b := newWorker(t, m, two, 0), newWorker(t, m, two, 0)
	const n = 100
	for i := range n {
		w := a
		if i/10%2 == 1 {
			w = b
		}
		w.RecordRouted(0, sent(chainOf(i), int64(i)*1e6), int64(i)*1e6)
	}
	c := newWorker(t, m, two, maxAge*3) // both are dead
	for i := range n {
		if got := c.matched(0, chainOf(i)); got != 3 {
			t.Fatalf("of request %d the new worker believes in %d blocks, want 3", i, got)
		}
	}
	c.pool.Index.SetCapacity(0, n/2*(512+16<<10))
	for i := range n {
		want := 3
		if i < n/2 {
			want = 0
		}
		if got := c.matched(0, chainOf(i)); got != want {
			t.Errorf("with room for half, of request %d: %d blocks, want %d", i, got, want)
		}
	}
	reads := m.Reads
	c.Sync(maxAge * 3)
	if got := m.Reads - reads; got > 2 {
		t.Errorf("the next decision reads %d values, want nothing of the past", got)
	}
}

// A worker that has died is not counted for ever, and its slot is used again.
func TestDeadWorkerExpires(t *testing.T) {
	m := memstore.New()
	a, b := newWorker(t, m, two, 0), newWorker(t, m, two, 0)
	a.begin(0, 0)
	a.RecordRouted(0, sent(chainOf(1), 0), 0)
	b.Tick(1e9)
	b.Sync(1e9)
	if got := b.pool.InFlight(0); got != 1 {
		t.Fatalf("while a lives b counts %d, want 1", got)
	}
	b.Tick(maxAge + 2e9)
	b.Sync(maxAge + 2e9)
	if got := b.pool.InFlight(0); got != 0 {
		t.Errorf("after a's death b counts %d, want 0", got)
	}
	c := newWorker(t, m, two, maxAge+3e9)
	if c.slot != a.slot {
		t.Errorf("the next worker took slot %d, want the dead one's %d", c.slot, a.slot)
	}
	c.RecordRouted(1, sent(chainOf(5), maxAge+3e9), maxAge+3e9)
	b.Tick(maxAge + 4e9)
	b.Sync(maxAge + 4e9)
	if got := b.matched(1, chainOf(5)); got != 3 {
		t.Errorf("b believes in %d blocks of the successor's, want 3", got)
	}
}

// A worker that was stopped for long finds another in its slot, and takes a new one.
func TestLateWorkerMovesOn(t *testing.T) {
	m := memstore.New()
	a := newWorker(t, m, two, 0)
	newWorker(t, m, two, maxAge+1e9) // takes a's slot
	a.Tick(maxAge + 2e9)
	a.Tick(maxAge + 3e9)
	if a.slot != 1 {
		t.Errorf("the late worker has slot %d, want 1", a.slot)
	}
}

// One that has fallen behind by more than the ring reads what is left.
func TestFallenBehind(t *testing.T) {
	m := memstore.New()
	a, b := newWorker(t, m, two, 0), newWorker(t, m, two, 0)
	a.Tick(0)
	for n := range logEntries + 50 {
		a.RecordRouted(0, sent(chainOf(n), 0), 0)
	}
	a.Settle(0)
	b.Sync(0)
	for n, want := range map[int]int{0: 0, 49: 0, 51: 3, logEntries + 49: 3} {
		if got := b.matched(0, chainOf(n)); got != want {
			t.Errorf("request %d: b believes in %d blocks, want %d", n, got, want)
		}
	}
	before := m.Reads
	b.Sync(0)
	if got := m.Reads - before; got != 2 {
		t.Errorf("with nothing new: %d reads, want 2, of the peer's slot and the free one", got)
	}
}

// Workers with another endpoint list are left alone: their indexes mean something else.
func TestOtherListsAreForeign(t *testing.T) {
	m := memstore.New()
	a, b := newWorker(t, m, two, 0), newWorker(t, m, `"10.0.0.2:80","10.0.0.1:80"`, 0)
	a.Tick(0)
	a.begin(1, 0)
	a.RecordRouted(1, sent(chainOf(1), 0), 0)
	b.Sync(0)
	if b.matched(1, chainOf(1)) != 0 || b.pool.InFlight(1) != 0 {
		t.Error("b took over what a worker with another endpoint list published")
	}
}

// With all slots taken a worker routes by what it knows itself.
func TestNoSlotLeft(t *testing.T) {
	m := memstore.New()
	for range maxWorkers {
		newWorker(t, m, two, 0)
	}
	late := newWorker(t, m, two, 0)
	if late.slot != -1 {
		t.Fatalf("worker %d has slot %d, want none", maxWorkers, late.slot)
	}
	late.RecordRouted(0, sent(chainOf(1), 0), 0)
	late.Sync(0)
	if len(late.live) != maxWorkers {
		t.Errorf("it reads %d peers, want %d", len(late.live), maxWorkers)
	}
}

func BenchmarkRead(b *testing.B) {
	m := memstore.New()
	cfg, _ := config.Parse(fmt.Appendf(nil, `{"endpoints":[%s],"seed":1}`, two))
	var boards []*Board
	for range 4 {
		r := pool.New(&cfg, cfg.IndexBytes)
		boards = append(boards, New(m, r))
		boards[len(boards)-1].Sync(0)
	}
	for _, board := range boards {
		board.Tick(0)
	}
	chain := &prefix.Chain{Hash: make([]uint64, 16), End: make([]uint32, 16)}
	for b.Loop() {
		boards[0].RecordRouted(0, sent(chain, 0), 0)
		boards[1].Sync(0)
	}
}
