package host

import (
	"container/heap"
	"maps"
	"slices"
)

// clock is virtual time and what is due in it: ticks, answers to HTTP calls and their timeouts, news of queues.
// What is due at the same time runs in the order in which it was scheduled.
type clock struct {
	now    int64 // ns since 1970
	skew   int64 // by how much the clock that modules see differs, ns
	events eventHeap
	count  uint64
}

type event struct {
	at    int64
	order uint64
	run   func()
	off   bool // cancelled
}

type eventHeap []*event

func (h eventHeap) Len() int { return len(h) }
func (h eventHeap) Less(i, j int) bool {
	return h[i].at < h[j].at || h[i].at == h[j].at && h[i].order < h[j].order
}
func (h eventHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *eventHeap) Push(x any)   { *h = append(*h, x.(*event)) }
func (h *eventHeap) Pop() any {
	last := len(*h) - 1
	e := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	return e
}

// at schedules run, at once at the earliest.
func (c *clock) at(at int64, run func()) *event {
	c.count++
	e := &event{at: max(at, c.now), order: c.count, run: run}
	heap.Push(&c.events, e)
	return e
}

// next drops what was cancelled and gives the first event left, or nil.
func (c *clock) next() *event {
	for len(c.events) > 0 && c.events[0].off {
		heap.Pop(&c.events)
	}
	if len(c.events) == 0 {
		return nil
	}
	return c.events[0]
}

func (c *clock) runDue(p *Proxy) {
	for e := c.next(); e != nil && e.at <= c.now; e = c.next() {
		heap.Pop(&c.events)
		p.entered++
		e.run()
		p.entered--
	}
}

// Now is the virtual time, ns since 1970.
func (p *Proxy) Now() int64 { return p.clock.now }

// Advance moves the virtual time to at, ns since 1970, and on the way runs what falls due, in the order of time:
// ticks, answers to HTTP calls, timeouts. A time in the past changes nothing.
func (p *Proxy) Advance(at int64) {
	for e := p.clock.next(); e != nil && e.at <= at; e = p.clock.next() {
		p.clock.now = max(p.clock.now, e.at)
		p.clock.runDue(p)
	}
	p.clock.now = max(p.clock.now, at)
}

// Skip moves the virtual time to at, and begins all ticks anew, as if the proxy had started then; what else falls due on the way runs then,
// once.
func (p *Proxy) Skip(at int64) {
	p.clock.now = max(p.clock.now, at)
	for _, w := range p.workers {
		for _, id := range slices.Sorted(maps.Keys(w.vm.roots)) {
			r := w.vm.roots[id]
			r.setTick(r.tickPeriod)
		}
	}
}

// Skew sets by how much the clock that the modules see differs from the virtual time, in ns: somebody has set it.
func (p *Proxy) Skew(ns int64) { p.clock.skew = ns }

// NextEvent is the time, ns since 1970, at which something next falls due; found is false when nothing will.
func (p *Proxy) NextEvent() (at int64, found bool) {
	e := p.clock.next()
	if e == nil {
		return 0, false
	}
	return e.at, true
}

const nsPerMS = 1_000_000

// setTick starts the tick, or stops it with period 0. As in Envoy the next tick is a period after this call, and
// each further one a period after the one before has run.
func (r *root) setTick(period int64) {
	if r.tick != nil {
		r.tick.off = true
		r.tick = nil
	}
	r.tickPeriod = period
	if clock := &r.vm.proxy.clock; period > 0 {
		r.tick = clock.at(clock.now+period, r.onTick)
	}
}

func (r *root) onTick() {
	vm := r.vm
	if vm.dead != nil {
		return
	}
	ran := r.tick
	if vm.fn.tick != nil {
		vm.call(vm.fn.tick, r.id, r.id)
	}
	if vm.dead == nil && r.tick == ran && r.tickPeriod > 0 {
		r.tick = vm.proxy.clock.at(vm.proxy.clock.now+r.tickPeriod, r.onTick)
	}
}

// stopTicks stops the ticks of all plugin contexts.
func (vm *VM) stopTicks() {
	for _, r := range vm.roots {
		r.setTick(0)
	}
}

var clockFuncs = []hostFunc{
	{name: "proxy_set_tick_period_milliseconds", params: "i", run: func(vm *VM, stack []uint64) status {
		if r := vm.root(); r != nil {
			r.setTick(int64(u32(stack, 0)) * nsPerMS)
		}
		return statusOK
	}},
	{name: "proxy_get_current_time_nanoseconds", params: "i", run: func(vm *VM, stack []uint64) status {
		return vm.returnU64(stack, 0, uint64(vm.proxy.clock.now+vm.proxy.clock.skew))
	}},
}
