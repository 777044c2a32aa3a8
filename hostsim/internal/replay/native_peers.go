package replay

import (
	"warmroute/plugin/gossip"
	"warmroute/plugin/news"
	"warmroute/plugin/share"
	"warmroute/plugin/worker"
)

// asks are those that a worker holds.
type asks struct {
	worker.Asks
	open map[uint32]heldAsk
	last uint32
}

type heldAsk struct {
	ask    string
	answer func(status int, page []byte)
}

// Connect implements Peered.
func (n *Native) Connect(send func(to, ask string, done func(int, []byte))) { n.send = send }

// Serve implements Peered, like the module's filter that answers.
func (n *Native) Serve(at int, ask string, answer func(status int, page []byte)) {
	w, now := n.workers[at], epoch+n.now
	w.asks.Arm = func(from int64) bool { return share.Arm(n.store, uint32(at), from) }
	w.asks.Heed(now, w.Worker)
	w.asks.last++
	if w.asks.Keep(w.asks.last, ask, func(one []byte, arm func()) (int64, bool, gossip.Fault) { return w.Patience(one, arm, now) }, now) {
		w.asks.open[w.asks.last] = heldAsk{ask, answer}
		return
	}
	n.respond(w, ask, answer)
}

func (n *Native) respond(w *nativeWorker, ask string, answer func(status int, page []byte)) {
	page, fault := worker.AnswerNews(ask, func(one []byte) ([]byte, news.Key, gossip.Fault) { return w.Answer(one, epoch+n.now) })
	if fault != "" {
		answer(403, nil)
		return
	}
	answer(200, page)
}

// wake lets those workers answer that hold asks and were woken.
func (n *Native) wake() {
	for len(n.woken) > 0 {
		at := n.woken[0]
		n.woken = n.woken[1:]
		w := n.workers[at]
		n.tell(w, w.asks.Woken(epoch+n.now))
	}
}

// tell answers asks that were held.
func (n *Native) tell(w *nativeWorker, ids []uint32) {
	for _, id := range ids {
		held := w.asks.open[id]
		delete(w.asks.open, id)
		n.respond(w, held.ask, held.answer)
	}
}
