package route

import (
	"warmroute/plugin/config"
	"warmroute/plugin/decision"
	"warmroute/plugin/exposition"
	"warmroute/plugin/health"
	"warmroute/plugin/pool"
	"warmroute/plugin/queue"
)

// tellsMemory is what pages of metrics tell where they tell of memory.
const tellsMemory = exposition.HasRunning | exposition.HasWaiting | exposition.HasKVTokens | exposition.HasKVUsage

// rig is a router over its pool, driven as package worker does.
type rig struct {
	*Router
	*pool.Pool
}

func newRig(cfg *config.Config, seed uint64) rig {
	p := pool.New(cfg, IndexBytes(cfg))
	return rig{New(cfg, p, seed), p}
}

func (r rig) begin(d *decision.Decision, now int64)      { r.Begin(&d.Flight, d.Order[0], now) }
func (r rig) firstToken(d *decision.Decision, now int64) { r.FirstToken(&d.Flight, now) }
func (r rig) served(d *decision.Decision, i int, now int64) {
	r.Served(&d.Flight, d.Order, i, true, 0, now)
}
func (r rig) moved(d *decision.Decision, i int, now int64) { r.Moved(&d.Flight, i, now) }
func (r rig) end(d *decision.Decision, now int64, outcome pool.Outcome) {
	r.End(&d.Flight, now, outcome)
}

// add puts n more requests of other workers at an endpoint.
func (r rig) add(endpoint, n int) {
	r.SetWorkers(endpoint, r.InFlight(endpoint)-r.OwnInFlight(endpoint)+n, 0, queue.Line{})
}

// answer lets an endpoint end a request in that way.
func (r rig) answer(endpoint int, now int64, how health.Ending) {
	f := new(pool.Flight)
	r.Begin(f, endpoint, now)
	r.End(f, now, pool.Outcome{Ending: how})
}
