package worker

import (
	"slices"
	"strings"

	"warmroute/plugin/gossip"
	"warmroute/plugin/news"
)

// Held is the asks of other gateways that wait until there is something to tell. Whoever has it arms its queue (share.Arm) before
// it calls Keep, calls Woken when the queue wakes it, and Tick at each tick; each asks to answer some by the ids they were kept under.
type Held struct {
	Others int // gateways that ask; below 2: one

	asks    []heldAsk
	answers gossip.Budget
	due     []uint32
}

type heldAsk struct {
	id    uint32
	until int64 // ns
	late  bool  // there is something to tell, and it waits for the tick
}

// mostHeld bounds the asks that wait: as many gateways as news are shared by.
const mostHeld = news.MaxGateways

// Keep says whether an ask waits; if not, it is to be answered now. patience is that of each ask of its header.
func (h *Held) Keep(id uint32, header string, patience func(ask []byte) (hold int64, fresh bool, fault gossip.Fault), now int64) bool {
	least, late := int64(0), false
	for rest := header; rest != ""; {
		var ask string
		ask, rest, _ = strings.Cut(rest, ",")
		hold, fresh, fault := patience(news.FromHex(ask))
		switch {
		case fault == gossip.Hashing:
			continue // there is no such pool, which does not keep the others' asks from waiting
		case hold == 0:
			return false
		}
		late = late || fresh
		if least == 0 || hold < least {
			least = hold
		}
	}
	if least == 0 || len(h.asks) == mostHeld || late && h.may(len(h.asks)+1, now) {
		return false
	}
	h.asks = append(h.asks, heldAsk{id, now + least, late})
	return true
}

// Drop forgets an ask whose asker has left.
func (h *Held) Drop(id uint32) {
	h.asks = slices.DeleteFunc(h.asks, func(a heldAsk) bool { return a.id == id })
}

// Waits says whether any ask waits.
func (h *Held) Waits() bool { return len(h.asks) > 0 }

// Woken is the asks to answer because there is something to tell, as many as may be now. The list is valid until the next call.
func (h *Held) Woken(now int64) []uint32 {
	asks := len(h.asks)
	return h.take(func(a *heldAsk) bool {
		a.late = true
		return h.may(asks, now)
	})
}

// may says whether one more of so many asks may be answered now. What a gateway may answer is divided among the gateways that ask, wherever
// their asks wait.
func (h *Held) may(asks int, now int64) bool {
	h.answers.Times = min(float64(asks)/float64(max(h.Others, 1)), 1)
	return h.answers.Take(now)
}

// Tick is the asks to answer because they have waited long enough.
func (h *Held) Tick(now int64) []uint32 {
	return h.take(func(a *heldAsk) bool { return a.late || now >= a.until })
}

func (h *Held) take(wanted func(a *heldAsk) bool) []uint32 {
	h.due = h.due[:0]
	kept := h.asks[:0]
	for _, a := range h.asks {
		if wanted(&a) {
			h.due = append(h.due, a.id)
		} else {
			kept = append(kept, a)
		}
	}
	h.asks = kept
	return h.due
}

// OtherGateways is how many other gateways there are, as far as they are known.
func (w *Worker) OtherGateways() (n int) {
	for _, p := range w.pools {
		if p.known != nil {
			n = max(n, p.known.OtherGateways())
		}
	}
	return n
}

// Patience is how long an ask for the news of a pool may be kept, in nanoseconds; 0: it is to be answered now. fresh says that there
// is something to tell. Hashing: the worker has no such pool.
func (w *Worker) Patience(ask []byte, now int64) (hold int64, fresh bool, fault gossip.Fault) {
	fault = gossip.NoAnswer
	for _, p := range w.pools {
		if g := p.Gossip(); g != nil {
			if hold, fresh, fault = g.Patience(ask, now); fault != gossip.Hashing {
				break
			}
		}
	}
	return hold, fresh, fault
}
