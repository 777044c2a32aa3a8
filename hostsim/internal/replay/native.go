package replay

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"

	"warmroute/hostsim/internal/host"
	"warmroute/plugin/config"
	"warmroute/plugin/inspect"
	"warmroute/plugin/scout"
	"warmroute/plugin/share"
	"warmroute/plugin/share/memstore"
	"warmroute/plugin/worker"
)

// Native runs the module's rooms as Go code: the same decisions without a virtual machine, several times as fast.
type Native struct {
	cfg     config.Config
	workers []*nativeWorker
	now     int64 // ns
	timers  int   // that were set
	pages   Pages // or nil: nobody answers
	send    func(to, ask string, done func(int, []byte))
	store   *memstore.Store
	held    map[uint32]*nativeTicket
	freed   []*nativeTicket
	lastID  uint32
	woken   []uint32 // workers whose queue was woken
}

type nativeWorker struct {
	*worker.Worker
	calls  *calls
	asks   *asks
	period int64 // ns
	due    int64 // ns: its next tick
	order  int   // of its timer among all: of two that are due at once the one that was set first runs first
}

// NewNative makes an engine from a plugin configuration, in as many workers. Errors name the field.
func NewNative(configuration []byte, workers int) (*Native, error) {
	cfg, err := config.Parse(configuration)
	if err != nil {
		return nil, err
	}
	n := &Native{cfg: cfg, held: map[uint32]*nativeTicket{}}
	if cfg.Peers.Cluster != "" {
		n.cfg.Secret = syncSecrets.Hashes.Derive("prompts") // as the module; which conversation leaves an endpoint is drawn from hashes
	}
	store := memstore.New()
	n.store = store
	for i := range workers {
		random := randomOf(configuration, i)
		if cfg.Record {
			n.cfg.RecordSecret = share.RecordSecret(store, random)
		}
		calls := &calls{}
		w, err := worker.New(&n.cfg, store, calls, cfg.Seed, epoch)
		if err != nil {
			return nil, err
		}
		w.Clock = func() int64 { return epoch + n.now }
		w.JoinGateways(syncSecrets, random()|1, func(queue uint32) { n.woken = append(n.woken, queue) })
		n.workers = append(n.workers, &nativeWorker{Worker: w, calls: calls, asks: &asks{open: map[uint32]heldAsk{}}})
		n.setTimer(n.workers[len(n.workers)-1])
	}
	return n, nil
}

// randomOf draws what a worker of the module takes for random: the first two numbers are its runtime's.
func randomOf(configuration []byte, worker int) func() uint64 {
	stream := host.NewRandom(incarnation(configuration), worker)
	draw := func() uint64 {
		var bits [8]byte
		_, _ = stream.Read(bits[:]) // never fails
		return binary.LittleEndian.Uint64(bits[:])
	}
	draw()
	draw()
	return draw
}

func (n *Native) startAt(now int64) {
	n.now = now
	for _, w := range n.workers {
		n.setTimer(w)
	}
}

// Begin implements Engine.
func (n *Native) Begin(worker int, r *Request) (Ticket, error) {
	w := n.workers[worker]
	t := &nativeTicket{engine: n}
	defer n.wake()
	verdict, _ := t.exchange.Begin(w.Worker, head(w, r))
	if w.Period() != w.period {
		n.setTimer(w)
	}
	switch verdict {
	case inspect.Pass:
		return passedTicket{}, nil
	case inspect.ByLoad:
		return t.decide(true)
	}
	return t.read(r)
}

// free decides those that wait no longer.
func (n *Native) free(w *nativeWorker) {
	for id, due := w.Due(epoch + n.now); due; id, due = w.Due(epoch + n.now) {
		t := n.held[id]
		delete(n.held, id)
		t.held, t.passed = false, t.exchange.Decide(true, epoch+n.now) != ""
		n.freed = append(n.freed, t)
	}
}

// Freed implements Holder.
func (n *Native) Freed() []Ticket {
	slices.SortFunc(n.freed, func(a, b *nativeTicket) int { return cmp.Compare(a.id, b.id) })
	var freed []Ticket
	for _, t := range n.freed {
		freed = append(freed, t)
	}
	n.freed = n.freed[:0]
	return freed
}

// taker takes the headers of a request.
type taker interface {
	Take(h *inspect.Head, name, value string)
}

func head(t taker, r *Request) *inspect.Head {
	h := &inspect.Head{Method: "POST", Path: r.Path, ContentType: "application/json", NoBody: len(r.Body) == 0, Length: len(r.Body)}
	for _, pair := range r.Headers {
		t.Take(h, strings.ToLower(pair[0]), pair[1])
	}
	return h
}

// Advance implements Engine, with a tick in each worker where the module's timer would have one.
func (n *Native) Advance(now int64) {
	for w := n.next(); w.due <= now; w = n.next() {
		n.now = w.due
		w.Tick(epoch + n.now)
		n.setTimer(w)
		n.free(w)
		n.answer(w)
		n.tell(w, w.asks.Tick(epoch+n.now))
	}
	n.now = max(n.now, now)
}

// next is the worker whose tick is next.
func (n *Native) next() *nativeWorker {
	return slices.MinFunc(n.workers, func(a, b *nativeWorker) int {
		return cmp.Or(cmp.Compare(a.due, b.due), cmp.Compare(a.order, b.order))
	})
}

func (n *Native) setTimer(w *nativeWorker) {
	n.timers++
	w.period, w.order = w.Period(), n.timers
	w.due = n.now + w.period
}

// Next implements Engine.
func (n *Native) Next() (int64, bool) { return n.next().due, true }

// calls are what a scout has asked and nobody has answered yet.
type calls struct{ open []scout.Call }

// Get implements scout.Caller.
func (c *calls) Get(call scout.Call) bool {
	c.open = append(c.open, call)
	return true
}

// Answers implements Scraped.
func (n *Native) Answers(pages Pages) { n.pages = pages }

// answer gives a worker the pages that it has asked for; without pages, its calls break off.
func (n *Native) answer(w *nativeWorker) {
	open := w.calls.open
	w.calls.open = nil // an answer may lead to the next call
	for _, c := range open {
		if c.Token.IsGateway() {
			if n.send != nil {
				n.send(c.Endpoint, c.News, func(status int, page []byte) {
					w.HandleResponse(c.Token, body(status, page), epoch+n.now)
					n.answer(w)
					n.wake()
				})
			}
			continue
		}
		page := scout.Response{}
		if n.pages != nil {
			if text := n.pages(c.Endpoint, c.Path); text != nil {
				page = body(200, text)
			} else {
				page.Status = 404
			}
		}
		w.HandleResponse(c.Token, page, epoch+n.now)
	}
}

func body(status int, text []byte) scout.Response {
	return scout.Response{Status: status, Size: len(text), Read: func(from, size int) []byte {
		return text[min(from, len(text)):min(from+size, len(text))]
	}}
}

// Close implements Engine.
func (n *Native) Close() error { return nil }
