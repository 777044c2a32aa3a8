package main

import (
	"strconv"

	"warmroute/plugin/gossip"
	"warmroute/plugin/share"
	"warmroute/plugin/worker"
)

// An ask of another gateway waits here until there is something to tell (worker.Held). The worker that has it may be another one: it
// wakes this VM by a shared queue, the one thing that does.

// held are the asks that wait in this VM, of all its filters.
var held struct {
	worker.Held
	name  string  // of the queue, the same while the VM lives: Envoy keeps each
	queue uint32  // 0: none, and no ask waits
	owner *plugin // whose the queue is
	by    map[uint32]heldAsk

	workers []*worker.Worker // of keep, used again
}

type heldAsk struct {
	plugin *plugin
	ask    string
}

// holdAsks makes the queue, for this VM alone. The newest filter has it: Envoy wakes none that is gone.
func (p *plugin) holdAsks() (err error) {
	if held.by == nil {
		held.by = map[uint32]heldAsk{}
		held.name = "warmroute_news_" + strconv.FormatUint(random(), 36)
		held.Arm = func(from int64) bool { return share.Arm(sharedData{}, held.queue, from) }
	}
	held.queue, err = registerQueue(held.name)
	held.owner = p
	return err
}

// letGo gives the queue up when its filter goes. Asks are answered at once until another one has made its own.
func (p *plugin) letGo() {
	if held.owner == p {
		held.queue, held.owner = 0, nil
	}
}

// holdAgain makes a queue if the filter that had one is gone.
func (p *plugin) holdAgain() {
	if held.owner == nil && held.by != nil && p.sharesNews() && p.holdAsks() != nil {
		held.queue = 0
	}
}

// keep says whether the stream's ask waits.
func (p *plugin) keep(id uint32, ask string, t int64) bool {
	if held.queue == 0 {
		return false
	}
	held.workers = held.workers[:0]
	for _, r := range routing {
		if r.worker != nil {
			held.workers = append(held.workers, r.worker)
		}
	}
	held.Heed(t, held.workers...)
	clear(held.workers) // else the index of a filter that is gone would stay until the next ask
	if !held.Keep(id, ask, func(one []byte, arm func()) (int64, bool, gossip.Fault) { return patience(one, arm, t) }, t) {
		return false
	}
	held.by[id] = heldAsk{p, ask}
	return true
}

// patience is how long an ask may wait, and whether there is something to tell.
func patience(ask []byte, arm func(), t int64) (hold int64, fresh bool, fault gossip.Fault) {
	fault = gossip.NoAnswer
	for _, r := range routing {
		if r.worker == nil {
			continue // it stands by
		}
		if hold, fresh, fault = r.worker.Patience(ask, arm, t); fault == "" {
			break
		}
	}
	return hold, fresh, fault
}

// dropAsk forgets an ask whose stream has ended.
func dropAsk(id uint32) {
	if _, waits := held.by[id]; waits {
		delete(held.by, id)
		held.Drop(id)
	}
}

// wakeAsks answers asks, because there is something to tell.
func wakeAsks(queue uint32, t int64) {
	for dequeue(queue) != nil {
	}
	tell(held.Woken(t), t)
}

// tell answers asks that waited.
func tell(ids []uint32, t int64) {
	for _, id := range ids {
		a := held.by[id]
		delete(held.by, id)
		if a.plugin != nil && enter(id) {
			a.plugin.respond(a.ask, t)
		}
	}
}

// wake wakes the VM that has a queue.
func wake(queue uint32) { enqueue(queue, []byte{1}) }
