package ours

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"

	"warmroute/hostsim/internal/due"
	"warmroute/hostsim/internal/host"
	"warmroute/hostsim/internal/router"
	"warmroute/plugin/config"
	"warmroute/plugin/inspect"
	"warmroute/plugin/share"
	"warmroute/plugin/share/memstore"
	"warmroute/plugin/worker"
)

// Native runs the module's rooms as Go code: the same decisions without a virtual machine, several times as fast. What is due at one moment
// happens in the order in which it was scheduled, and what a call causes happens when the call is over, as on package host's proxy.
type Native struct {
	cfg     config.Config
	workers []*nativeWorker
	now     int64        // ns
	due     due.Queue    // ticks, answers to calls and their timeouts, workers that are woken
	pages   router.Pages // or nil: nobody answers
	send    func(to, ask string, done func(int, []byte))
	store   *memstore.Store
	held    map[uint32]*nativeTicket
	freed   []*nativeTicket
	lastID  uint32
	asked   []*nativeAsk // by other gateways, not answered yet, the first that came first
}

type nativeWorker struct {
	*worker.Worker
	engine *Native
	asks   asks
	period int64      // ns
	timer  *due.Event // its next tick
}

// NewNative makes an engine from a plugin configuration, in as many workers. Errors name the field.
func NewNative(configuration []byte, workers int) (*Native, error) {
	cfg, err := config.Parse(configuration)
	if err != nil {
		return nil, err
	}
	n := &Native{cfg: cfg, held: map[uint32]*nativeTicket{}, store: memstore.New()}
	if cfg.Peers.Cluster != "" {
		n.cfg.Secret = syncSecrets.Hashes.Derive("prompts") // as the module; which conversation leaves an endpoint is drawn from hashes
	}
	for i := range workers {
		random := randomOf(configuration, i)
		if cfg.Record {
			n.cfg.RecordSecret = share.RecordSecret(n.store, random)
		}
		w := &nativeWorker{engine: n, asks: asks{open: map[uint32]*nativeAsk{}}}
		if w.Worker, err = worker.New(&n.cfg, n.store, w, cfg.Seed, epoch); err != nil {
			return nil, err
		}
		w.Clock = func() int64 { return epoch + n.now }
		w.JoinGateways(syncSecrets, random()|1, n.wake)
		n.workers = append(n.workers, w)
		n.setTimer(w)
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

func (n *Native) StartAt(now int64) {
	n.now = now
	for _, w := range n.workers {
		n.setTimer(w)
	}
}

// Begin implements router.Engine.
func (n *Native) Begin(worker int, r *router.Request) (router.Ticket, error) {
	w := n.workers[worker]
	t := &nativeTicket{engine: n}
	defer n.settle()
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

// Freed implements router.Holder.
func (n *Native) Freed() []router.Ticket {
	slices.SortFunc(n.freed, func(a, b *nativeTicket) int { return cmp.Compare(a.id, b.id) })
	var freed []router.Ticket
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

func head(t taker, r *router.Request) *inspect.Head {
	h := &inspect.Head{Method: "POST", Path: r.Path, ContentType: "application/json", NoBody: len(r.Body) == 0, Length: len(r.Body)}
	for _, pair := range r.Headers {
		t.Take(h, strings.ToLower(pair[0]), pair[1])
	}
	return h
}

// Answers implements router.Scraped.
func (n *Native) Answers(pages router.Pages) { n.pages = pages }

// Close implements router.Engine.
func (n *Native) Close() error { return nil }

// Store is the simulated shared data.
func (n *Native) Store() *memstore.Store { return n.store }
