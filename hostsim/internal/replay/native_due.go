package replay

import "warmroute/plugin/scout"

// Advance implements Engine, with a tick in each worker where the module's timer would have one.
func (n *Native) Advance(now int64) {
	for at, ok := n.due.next(); ok && at <= now; at, ok = n.due.next() {
		n.now = max(n.now, at)
		n.happen()
	}
	n.now = max(n.now, now)
	n.tell()
}

// Next implements Engine.
func (n *Native) Next() (int64, bool) { return n.due.next() }

// settle ends a call into the engine, with what that has caused.
func (n *Native) settle() {
	n.happen()
	n.tell()
}

func (n *Native) happen() { _ = n.due.arriveBy(n.now) } // nothing that is due fails

// soon has something happen at this moment, after the call that is under way and all that is due already.
func (n *Native) soon(happen func()) { n.at(n.now, happen) }

func (n *Native) at(at int64, happen func()) *message {
	return n.due.send(at, func() error {
		happen()
		return nil
	})
}

func (n *Native) setTimer(w *nativeWorker) {
	if w.timer != nil {
		w.timer.off = true
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
	if n.pages != nil && (c.Endpoint != "" || isHosts(c.Path)) {
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
