package main

import (
	"strconv"

	"warmroute/plugin/gossip"
	"warmroute/plugin/proxy"
	"warmroute/plugin/share"
	"warmroute/plugin/worker"
)

// An ask of another gateway waits here until there is something to tell (worker.Asks). The worker that has it may be another one: it
// wakes this VM by a shared queue, the one thing that does.

// asks are those that wait in this VM, of all its filters.
var asks struct {
	worker.Asks
	name  string  // of the queue, the same while the VM lives: Envoy keeps each
	queue uint32  // 0: none, and no ask waits for something to tell
	owner *plugin // whose the queue is
	by    map[uint32]waitingAsk

	workers []*worker.Worker // of keep, used again
}

type waitingAsk struct {
	plugin *plugin
	ask    string
}

// openAskQueue makes the queue, for this VM alone. The newest filter has it: Envoy wakes none that is gone.
func (p *plugin) openAskQueue() (err error) {
	if asks.by == nil {
		asks.by = map[uint32]waitingAsk{}
		asks.name = "warmroute_news_" + strconv.FormatUint(proxy.Random(), 36)
		asks.Arm = func(from int64) bool {
			return asks.queue != 0 && share.Arm(proxy.SharedData{}, asks.queue, from)
		}
	}
	asks.queue, err = proxy.RegisterQueue(asks.name)
	asks.owner = p
	return err
}

// closeAskQueue gives the queue up when its filter goes. Asks are answered at once until another one has made its own.
func (p *plugin) closeAskQueue() {
	if asks.owner == p {
		asks.queue, asks.owner = 0, nil
	}
}

// reopenAskQueue makes a queue if the filter that had one is gone.
func (p *plugin) reopenAskQueue() {
	if asks.owner == nil && asks.by != nil && p.sharesNews() && p.openAskQueue() != nil {
		asks.queue = 0
	}
}

// keep says whether the stream's ask waits, or is to be refused for a fault.
func (p *plugin) keep(id uint32, ask string, t int64) (waits bool, fault gossip.Fault) {
	asks.workers = asks.workers[:0]
	for _, r := range routing {
		if r.worker != nil {
			asks.workers = append(asks.workers, r.worker)
		}
	}
	asks.Heed(t, asks.workers...)
	clear(asks.workers) // else the index of a filter that is gone would stay until the next ask
	if waits, fault = asks.Keep(id, ask, func(one []byte, arm func()) (int64, bool, gossip.Fault) { return p.patience(one, arm, t) }, t); waits {
		asks.by[id] = waitingAsk{p, ask}
	}
	return waits, fault
}

// patience is how long an ask may wait, and whether there is something to tell. What is wrong with it is what newsFor would say: a filter with
// another secret does not make it a stranger's.
func (p *plugin) patience(ask []byte, arm func(), t int64) (hold int64, fresh bool, fault gossip.Fault) {
	fault = gossip.NoAnswer
	for _, r := range routing {
		if !p.tellsOf(r) {
			continue
		}
		its, tells, wrong := r.worker.Patience(ask, arm, t)
		if wrong == "" {
			if asks.queue == 0 { // nothing would wake it
				its = 0
			}
			return its, tells, ""
		}
		if wrong != gossip.NoAnswer && fault != gossip.Hashing {
			fault = wrong
		}
	}
	return 0, false, fault
}

// dropAsk forgets an ask whose stream has ended.
func dropAsk(id uint32) {
	if _, waits := asks.by[id]; waits {
		delete(asks.by, id)
		asks.Drop(id)
	}
}

// wakeAsks answers asks, because there is something to tell.
func wakeAsks(queue uint32, t int64) {
	for proxy.Dequeue(queue) != nil {
	}
	answerAsks(asks.Woken(t), t)
}

// answerAsks answers asks that waited.
func answerAsks(ids []uint32, t int64) {
	for _, id := range ids {
		a := asks.by[id]
		delete(asks.by, id)
		if a.plugin != nil && proxy.Enter(id) {
			a.plugin.respond(a.ask, t)
		}
	}
}

// wake wakes the VM that has a queue.
func wake(queue uint32) { proxy.Enqueue(queue, []byte{1}) }
