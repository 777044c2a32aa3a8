package pool

import "warmroute/plugin/queue"

// What the other workers of the proxy report beside their requests in flight. Without it a worker would see only its own
// part of the load (docs/notes.md).

// workers is the sum over the other workers.
type workers struct {
	requests float64 // sent recently to all endpoints
	at       int64   // ns: when that was read
}

// workerLoad is the sum over the other workers for one endpoint.
type workerLoad struct {
	line queue.Line
	work float64 // sent recently
}

// OwnRequests is the requests that this worker sent recently to all endpoints.
func (p *Pool) OwnRequests(now int64) (requests float64) {
	list := p.Look(now)
	for i := range list {
		requests += list[i].requests * p.summaries.faded
	}
	return requests
}

// OwnLoad is what this worker publishes of an endpoint: requests and prompt tokens sent recently, and what waits there.
func (p *Pool) OwnLoad(i int, now int64) (requests, work float64, line queue.Line) {
	requests, work = p.OwnWork(i, now)
	line = p.ends[i].queue.Streams
	line.Queued += p.drained(i, now)
	return requests, work, line
}

// SetWorkerRequests sets the sum of the other workers' OwnRequests.
func (p *Pool) SetWorkerRequests(requests float64, now int64) {
	p.workers.requests, p.workers.at = requests, now
}

// SetWorkers sets the requests that the other workers have in flight at endpoint i, and the sums of their OwnLoad.
func (p *Pool) SetWorkers(i, inFlight int, work float64, line queue.Line) {
	e := &p.ends[i]
	if of := (workerLoad{line, work}); e.others != inFlight || e.workers != of {
		p.noteWorkers(i, &e.workers.line, &line)
		e.others, e.workers = max(inFlight, 0), of
		p.touch(i)
	}
}

func millis(ns int64) uint32 { return uint32(ns / 1e6) }
