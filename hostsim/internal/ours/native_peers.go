package ours

import (
	"slices"

	"warmroute/plugin/gossip"
	"warmroute/plugin/news"
	"warmroute/plugin/scout"
	"warmroute/plugin/share"
	"warmroute/plugin/worker"
)

// asks are those that a worker holds.
type asks struct {
	worker.Asks
	open map[uint32]*nativeAsk
	last uint32
}

// nativeAsk is an ask of another gateway.
type nativeAsk struct {
	ask    string
	answer func(status int, page []byte)
	status int // 0: it is not answered yet
	page   []byte
}

// Connect implements router.Peered.
func (n *Native) Connect(send func(to, ask string, done func(int, []byte))) { n.send = send }

// ask carries a worker's ask to another gateway. Without an answer the proxy answers it at the timeout.
func (w *nativeWorker) ask(c scout.Call) {
	n := w.engine
	done := false
	end := func(response scout.Response) {
		if !done { // else it comes too late
			done = true
			w.HandleResponse(c.Token, response, epoch+n.now)
		}
	}
	// The proxy's timeouts are whole ms.
	timeout := n.at(n.now+c.Timeout/1e6*1e6, func() { end(body(504, nil)) })
	if n.send == nil {
		return
	}
	n.send(c.Endpoint, c.News, func(status int, page []byte) {
		n.soon(func() {
			timeout.Off = true
			end(body(status, page))
		})
		n.settle()
	})
}

// Serve implements router.Peered, like the module's filter that answers.
func (n *Native) Serve(at int, ask string, answer func(status int, page []byte)) {
	w, now := n.workers[at], epoch+n.now
	came := &nativeAsk{ask: ask, answer: answer}
	n.asked = append(n.asked, came)
	w.asks.Arm = func(from int64) bool { return share.Arm(n.store, queueOf(at), from) }
	w.asks.Heed(now, w.Worker)
	w.asks.last++
	waits, fault := w.asks.Keep(w.asks.last, ask, func(one []byte, arm func()) (int64, bool, gossip.Fault) { return w.Patience(one, arm, now) }, now)
	switch {
	case waits:
		w.asks.open[w.asks.last] = came
	case fault != "":
		came.status = 403
	default:
		w.respond(came)
	}
	n.settle()
}

// queueOf is the queue of a worker: the proxy counts them from 1.
func queueOf(worker int) uint32 { return uint32(worker) + 1 }

// respond makes the answer to an ask.
func (w *nativeWorker) respond(to *nativeAsk) {
	page, fault := worker.AnswerNews(to.ask, func(one []byte) ([]byte, news.Key, gossip.Fault) { return w.Worker.Answer(one, epoch+w.engine.now) })
	if to.status = 200; fault != "" {
		to.status, page = 403, nil
	}
	to.page = slices.Clone(page) // it is valid until the next
}

// wake lets a worker answer that holds asks.
func (n *Native) wake(queue uint32) {
	n.soon(func() {
		w := n.workers[queue-1]
		w.answer(w.asks.Woken(epoch + n.now))
	})
}

// answer answers asks that were held.
func (w *nativeWorker) answer(ids []uint32) {
	for _, id := range ids {
		held := w.asks.open[id]
		delete(w.asks.open, id)
		w.respond(held)
	}
}

// tell brings the answers to the gateways that asked, as those of Wasm, in the order in which the asks came.
func (n *Native) tell() {
	for i := 0; i < len(n.asked); {
		came := n.asked[i]
		if came.status == 0 {
			i++
			continue
		}
		n.asked = slices.Delete(n.asked, i, i+1)
		came.answer(came.status, came.page)
	}
}
