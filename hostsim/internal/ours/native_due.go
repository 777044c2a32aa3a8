package ours

import (
	"warmroute/hostsim/internal/due"
	"warmroute/hostsim/internal/router"
	"warmroute/plugin/scout"
)

// Advance implements router.Engine, with a tick in each worker where the module's timer would have one.
func (n *Native) Advance(now int64) {
	for at, ok := n.due.Next(); ok && at <= now; at, ok = n.due.Next() {
		n.now = max(n.now, at)
		n.happen()
	}
	n.now = max(n.now, now)
	n.tell()
}

// Next implements router.Engine.
func (n *Native) Next() (int64, bool) { return n.due.Next() }

// settle ends a call into the engine, with what that has caused.
func (n *Native) settle() {
	n.happen()
	n.tell()
}

func (n *Native) happen() { _ = n.due.ArriveBy(n.now) } // nothing that is due fails

// soon has something happen at this moment, after the call that is under way and all that is due already.
func (n *Native) soon(happen func()) { n.at(n.now, happen) }

func (n *Native) at(at int64, happen func()) *due.Event {
	return n.due.Send(at, func() error {
		happen()
		return nil
	})
}

func (n *Native) setTimer(w *nativeWorker) {
	if w.timer != nil {
		w.timer.Off = true
	}
	w.period = w.Period()
	w.timer = n.at(n.now+w.period, w.tick)
}

// tick does what the module's does. The next is a period after it.
func (w *nativeWorker) tick() {
	n, ran := w.engine, w.timer
	w.Tick(epoch + n.now)
	if w.Period() != w.period {
		n.setTimer(w)
	}
	n.free(w)
	w.answer(w.asks.Tick(epoch + n.now))
	if w.timer == ran {
		n.setTimer(w)
	}
}

// Get implements scout.Caller. Without pages, calls of replicas break off.
func (w *nativeWorker) Get(c scout.Call) bool {
	n := w.engine
	if c.Token.IsGateway() {
		w.ask(c)
		return true
	}
	page := scout.Response{}
	if n.pages != nil && (c.Endpoint != "" || router.IsHosts(c.Path)) {
		if text := n.pages(c.Endpoint, c.Path); text != nil {
			page = body(200, text)
		} else {
			page.Status = 404
		}
	}
	n.soon(func() { w.HandleResponse(c.Token, page, epoch+n.now) })
	return true
}

func body(status int, text []byte) scout.Response {
	return scout.Response{Status: status, Size: len(text), Read: func(from, size int) []byte {
		return text[min(from, len(text)):min(from+size, len(text))]
	}}
}
