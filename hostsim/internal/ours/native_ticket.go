package ours

import (
	"strings"

	"warmroute/hostsim/internal/router"
	"warmroute/plugin/worker"
)

// nativeTicket does what the module's stream does.
type nativeTicket struct {
	engine   *Native
	exchange worker.Exchange
	id       uint32 // in the order in which they came
	held     bool
	passed   bool // once it was held
}

// read does what the module's stream does with a body: it decides as soon as it can, and reads on to the end.
func (t *nativeTicket) read(r *router.Request) (router.Ticket, error) {
	var decided router.Ticket
	for body := r.Body; len(body) > 0; {
		end := len(body)
		if r.Chunk > 0 {
			end = min(end, r.Chunk)
		}
		enough := t.exchange.Reading() && t.exchange.Write(body[:end])
		body = body[end:]
		switch ends := len(body) == 0; {
		case decided == nil && (ends || enough):
			if ends && t.hold() {
				return t, nil
			}
			decided, _ = t.decide(ends)
		case ends:
			t.exchange.EndBody(epoch + t.engine.now)
		}
		t.engine.happen() // as between two parts of a body on the proxy
	}
	return decided, nil
}

// hold says whether the request waits at the gateway.
func (t *nativeTicket) hold() bool {
	n := t.engine
	n.lastID++
	t.id = n.lastID
	if t.held = t.exchange.Hold(t.id, epoch+n.now); t.held {
		n.held[t.id] = t
	}
	return t.held
}

func (t *nativeTicket) decide(whole bool) (router.Ticket, error) {
	if code := t.exchange.Decide(whole, epoch+t.engine.now); code != "" {
		return passedTicket{}, nil
	}
	return t, nil
}

// Held says whether the request waits at the gateway.
func (t *nativeTicket) Held() bool { return t.held }

func (t *nativeTicket) Decision() string {
	if t.passed {
		return ""
	}
	return string(t.exchange.Describe())
}

func (t *nativeTicket) Endpoints() []string {
	if t.passed {
		return nil
	}
	return strings.Split(string(t.exchange.Steering()), ",")
}

// Rank implements router.Ranked.
func (t *nativeTicket) Rank() string {
	if t.passed {
		return ""
	}
	return t.exchange.Rank()
}

func (t *nativeTicket) Headers(served string, status int, contentType string) {
	if t.passed {
		return
	}
	t.exchange.Headers(worker.Server{Address: served}, status, contentType, epoch+t.engine.now)
	t.engine.settle()
}

func (t *nativeTicket) Chunk(part []byte, ends bool) {
	now := epoch + t.engine.now
	if t.passed {
		return
	}
	if len(part) > 0 {
		if !t.exchange.Opening() || !t.exchange.Opens(part) {
			t.exchange.Chunk(now)
		}
		t.exchange.Read(part)
	}
	if ends {
		t.exchange.Complete()
		t.exchange.End(now, false)
	}
	t.engine.settle()
}

// Cancel implements router.Ticket.
func (t *nativeTicket) Cancel() {
	if t.held {
		t.held = false
		delete(t.engine.held, t.id)
	}
	if !t.passed {
		t.exchange.End(epoch+t.engine.now, true)
	}
	t.engine.settle()
}

// passedTicket is a request that is not ours.
type passedTicket struct{}

func (passedTicket) Decision() string            { return "" }
func (passedTicket) Endpoints() []string         { return nil }
func (passedTicket) Headers(string, int, string) {}
func (passedTicket) Chunk([]byte, bool)          {}
func (passedTicket) Cancel()                     {}
