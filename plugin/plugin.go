package main

import (
	"time"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"

	"warmroute/plugin/complaints"
	"warmroute/plugin/config"
	"warmroute/plugin/inspect"
	"warmroute/plugin/metrics"
	"warmroute/plugin/news"
	"warmroute/plugin/prefix"
	"warmroute/plugin/proxy"
	"warmroute/plugin/standby"
	"warmroute/plugin/worker"
)

// vm is one worker's copy of the module.
type vm struct{ types.DefaultVMContext }

func (*vm) NewPluginContext(id uint32) types.PluginContext {
	if arena := proxy.Arena(); arena != nil {
		prefix.SetArena(arena, config.MostOfIndexes)
	}
	p := &plugin{}
	remember(id, p)
	return p
}

// plugin is one configured filter in one worker. All its requests run on one thread.
type plugin struct {
	types.DefaultPluginContext
	cfg        config.Config
	worker     *worker.Worker
	metrics    *metrics.Set
	watchdog   watchdog
	secrets    news.Secrets // of the gateways that share news
	ask        string       // value that ask_header must have; "": any
	steering   []string     // headers that steer, which no client may send
	streams    []*stream    // ended, for reuse
	warned     int64        // when the last warning was logged, nanoseconds
	complaints complaints.List
	company    company
	stuckTold  int64 // ns: when tellStuck last did; 0: not yet
	standby    standby.Context
	dozing     []*worker.Worker // former ones, which count requests that are still under way
	limits     limits
	gone       bool // no new request comes, and no tick
	gate       gate
	waiting    map[uint32]*stream // by ID: those that wait for room
	period     int64              // ns: between ticks
	seen       int64              // ns: when the proxy's clock was read last
	head       inspect.Head       // of readHeaders
}

// clock reads the proxy's clock, in nanoseconds. Each call to the proxy costs, so a callback reads it once if it can.
func (p *plugin) clock() int64 {
	t := proxy.Now()
	if gap := t - p.seen; (gap > leap || gap < -leap) && p.worker != nil {
		p.worker.Leapt(t)
	}
	p.seen = t
	return t
}

// leap is more than lies between two readings of the clock, in nanoseconds, as ticks are a second apart at most: the clock was set, or the proxy
// stood still.
const leap = 10e9

// keepStreams is how many ended streams each worker keeps for reuse.
const keepStreams = 256

// warnEvery bounds the log at request time, in nanoseconds.
const warnEvery = 1e9

func (p *plugin) NewHttpContext(id uint32) types.HttpContext {
	switch p.cfg.Role {
	case config.RolePeers:
		return &answer{plugin: p, id: id}
	case config.RoleGate:
		return &gated{plugin: p, id: id}
	}
	return p.context(id)
}

// newStream is a request's context.
func (p *plugin) newStream(id uint32) *stream {
	if n := len(p.streams); n > 0 {
		s := p.streams[n-1]
		p.streams = p.streams[:n-1]
		s.streamState = streamState{plugin: p, id: id}
		return s
	}
	return &stream{streamState: streamState{plugin: p, id: id}}
}

// OnTick does what no request is to wait for, and frees memory.
func (p *plugin) OnTick() {
	p.tick()
	proxy.Collect()
}

// tick updates what is known of the pool, and resumes paused requests that make no progress.
func (p *plugin) tick() {
	t := p.clock()
	if p.worker == nil {
		answerAsks(asks.Tick(t), t)
		return
	}
	p.tickDozing(t)
	p.worker.Tick(t)
	p.pace()
	if p.standby.Rests() {
		p.flushMetrics()
	} else {
		p.metrics.Show(p.worker.Pools(), t)
		for _, of := range p.worker.Pools() {
			of.TellOutages(t, tellOutage)
			p.tellCompany(of, t)
			p.tellStuck(of, t)
		}
	}
	for s := p.watchdog.expired(t); s != nil; s = p.watchdog.expired(t) {
		s.stalled(t)
	}
	if p.answersOnly() && p.standby.Due(proxy.SharedData{}, t) {
		p.standBy(t)
	}
	p.reopenAskQueue()
	if len(p.waiting) > 0 {
		p.letWaitingGo(t)
	}
	answerAsks(asks.Tick(t), t) // last: it enters streams that may be another filter's, and all that follows would count as that one's
}

// OnPluginDone is Envoy's word that no new request comes to this filter.
func (p *plugin) OnPluginDone() bool {
	p.stopRouting()
	p.closeAskQueue()
	p.gone = true
	if p.metrics != nil { // nil: its start failed
		p.flushMetrics()
	}
	if p.worker != nil {
		t := proxy.Now()
		p.showLast(t)
		if p.answersOnly() {
			p.worker.Doze(t)
		}
	}
	return true
}

// answersOnly says whether no request is still to be decided, or read.
func (p *plugin) answersOnly() bool {
	return len(p.waiting) == 0 && (p.standby.Idle() || p.worker.Idle())
}

// showLast tells and shows what is left before the last tick.
func (p *plugin) showLast(t int64) {
	p.worker.Flush(t) // Envoy may delete the context before its next tick
	for _, of := range p.worker.Pools() {
		if known := of.Known(); known != nil && p.metrics != nil { // nil: its start failed
			p.metrics.Of(of).Last(known, t)
		}
	}
}

// flushMetrics passes on what requests have added to the metrics.
func (p *plugin) flushMetrics() {
	for _, w := range p.dozing {
		p.metrics.Flush(w.Pools())
	}
	if p.worker == nil { // no pool has added anything since it stands by
		p.metrics.Flush(nil)
		return
	}
	p.metrics.Flush(p.worker.Pools())
}

// pace has the proxy tick as often as the worker wants.
func (p *plugin) pace() {
	if period := p.worker.Period(); period != p.period {
		p.period = period
		_ = proxy.SetTick(time.Duration(period))
	}
}

func (p *plugin) giveStream(s *stream) {
	s.exchange.Forget()
	if len(p.streams) < keepStreams {
		p.streams = append(p.streams, s)
	}
}

func tellOutage(line string) { proxy.LogWarn("warmroute: " + line) }

// warn logs at most once a second. It is rare, so that one copy of it in the module is enough.
//
//go:noinline
func (p *plugin) warn(t int64, text string) {
	if !p.mayWarn(t) {
		return
	}
	p.warned = t
	proxy.LogWarn("warmroute: " + text)
}

// mayWarn says whether a warning would be logged now.
//
//go:noinline
func (p *plugin) mayWarn(t int64) bool { return t < p.warned || t-p.warned >= warnEvery }
