package main

import (
	"errors"
	"slices"
	"time"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"

	"warmroute/plugin/config"
	"warmroute/plugin/inspect"
	"warmroute/plugin/route"
	"warmroute/plugin/scout"
	"warmroute/plugin/share"
)

// vm is one worker's copy of the module.
type vm struct{ types.DefaultVMContext }

func (*vm) NewPluginContext(uint32) types.PluginContext { return &plugin{} }

// plugin is one configured filter in one worker. All its requests run on one thread.
type plugin struct {
	types.DefaultPluginContext
	cfg       config.Config
	inspector *inspect.Inspector
	router    *route.Router // nil where the proxy chooses by a key
	board     *share.Board
	scout     *scout.Scout
	shadow    *inspect.Shadow // nil: none
	metrics   *metrics
	watchdog  watchdog
	ticked    int64     // when the metrics were last told of the pool, nanoseconds
	steering  []string  // headers that steer, whoever sent them
	streams   []*stream // ended, for reuse
	warned    int64     // when the last warning was logged, nanoseconds
}

// keepStreams are kept for reuse per worker; more at once are left to the collector.
const keepStreams = 256

// warnEvery bounds the log at request time, in nanoseconds.
const warnEvery = 1e9

// tickEvery is how often the metrics are told of the pool, in nanoseconds.
const tickEvery = 1e9

// OnPluginStart reads the configuration. A bad one stops the start with a message that names the field; Envoy then
// refuses the filter, and goes on with the configuration it had.
func (p *plugin) OnPluginStart(int) types.OnPluginStartStatus {
	if err := p.start(); err != nil {
		logCritical("warmroute: the configuration is refused: " + err.Error())
		return types.OnPluginStartStatusFailed
	}
	return types.OnPluginStartStatusOK
}

func (p *plugin) start() error {
	text, err := pluginConfiguration()
	if err != nil && err != types.ErrorStatusNotFound { // not found: none was given, all defaults
		return err
	}
	if p.cfg, err = config.Parse(text); err != nil {
		if len(text) > 3 && text[0] == '\n' && (text[2] == '\n' || text[3] == '\n') { // the tags of a map's first entry
			return errors.New("it looks like a google.protobuf.Struct, which Envoy hands over in binary form; give it as JSON in a google.protobuf.StringValue")
		}
		return err
	}
	if p.inspector, err = inspect.New(&p.cfg); err != nil {
		return err
	}
	seed := p.cfg.Seed
	if seed == 0 {
		seed = uint64(now())
	}
	if p.cfg.Steer.Target != config.TargetHash {
		p.router = route.New(&p.cfg, seed)
		p.inspector.Settled = p.router.Settled
		p.board = share.New(sharedData{}, p.router)
		p.scout = scout.New(&p.cfg, p.router, p.board, sharedData{}, p, now())
		p.scout.Join(now())
		p.shadow = inspect.NewShadow(&p.cfg, p.router, sharedData{}, seed)
	}
	p.ticked = now()
	p.metrics = newMetrics(p.cfg.MetricEndpoints, p.cfg.Shadow)
	for _, e := range p.cfg.Endpoints {
		p.metrics.at(e.Address)
	}
	p.steering = []string{config.EndpointHeader, config.ClusterHeader, config.KeyHeader}
	if !slices.Contains(p.steering, p.cfg.Steer.Header) {
		p.steering = append(p.steering, p.cfg.Steer.Header)
	}
	tick := scout.Period(&p.cfg)
	p.watchdog.timeout = p.cfg.DecideTimeout - tick // so that a tick sees it in time
	return setTick(time.Duration(tick))
}

func (p *plugin) NewHttpContext(id uint32) types.HttpContext {
	if n := len(p.streams); n > 0 {
		s := p.streams[n-1]
		p.streams = p.streams[:n-1]
		s.id, s.ended = id, false
		return s
	}
	return &stream{plugin: p, id: id}
}

// OnTick keeps what is known of the pool fresh, and lets paused requests go that make no progress.
func (p *plugin) OnTick() {
	t := now()
	p.lookAround(t)
	for s := p.watchdog.expired(t); s != nil; s = p.watchdog.expired(t) {
		s.stalled(t)
	}
}

// lookAround keeps what is known of the pool fresh.
func (p *plugin) lookAround(t int64) {
	if p.router == nil {
		return
	}
	p.scout.Tick(t)
	if p.shadow != nil {
		p.shadow.Tick(p.board, t)
	}
	if p.scout.Leads() {
		p.metrics.underWay(p.router)
	}
	if t-p.ticked >= tickEvery || t < p.ticked {
		p.ticked = t
		p.metrics.pool(p.router)
	}
}

// Get makes a call for the scout.
func (p *plugin) Get(c scout.Call) bool {
	made := httpGet(c.Cluster, c.Authority, c.Path, c.Endpoint, c.Timeout, func(status, size int) {
		t := now()
		fault := p.scout.Answered(c.Token, scout.Page{Status: status, Size: size, Read: calloutBody}, t)
		if fault != "" {
			p.warn(t, string(fault)+" ("+c.Authority+" through the cluster "+c.Cluster+")")
		}
		p.learned(c, fault, t)
	})
	if !made {
		t := now()
		const fault = "nothing can be asked: there is no such cluster, or it has no hosts"
		p.warn(t, fault+" ("+c.Cluster+")")
		p.learned(c, fault, t)
	}
	return made
}

// learned counts what became of a call.
func (p *plugin) learned(c scout.Call, fault scout.Fault, t int64) {
	switch admin := c.Token.Endpoint < 0; {
	case admin && fault == "":
		p.metrics.discovered(t)
	case admin:
		p.metrics.discovered(0)
	case fault == "":
		p.metrics.scraped(c.Authority, t)
	default:
		p.metrics.notScraped(c.Authority)
	}
}

func (p *plugin) giveStream(s *stream) {
	if len(p.streams) < keepStreams {
		p.streams = append(p.streams, s)
	}
}

// warn logs at most once a second.
func (p *plugin) warn(t int64, text string) {
	if t >= p.warned && t-p.warned < warnEvery {
		return
	}
	p.warned = t
	logWarn("warmroute: " + text)
}
