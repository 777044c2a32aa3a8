package main

import (
	"errors"
	"slices"
	"time"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"

	"warmroute/plugin/config"
	"warmroute/plugin/inspect"
	"warmroute/plugin/metrics"
	"warmroute/plugin/news"
	"warmroute/plugin/scout"
	"warmroute/plugin/share"
	"warmroute/plugin/worker"
)

// vm is one worker's copy of the module.
type vm struct{ types.DefaultVMContext }

func (*vm) NewPluginContext(id uint32) types.PluginContext {
	useArena()
	p := &plugin{}
	remember(id, p)
	return p
}

// plugin is one configured filter in one worker. All its requests run on one thread.
type plugin struct {
	types.DefaultPluginContext
	cfg      config.Config
	worker   *worker.Worker
	metrics  *metrics.Set
	watchdog watchdog
	newsKey  news.Key  // of the gateways that share news
	ask      string    // value that ask_header must have; "": any
	steering []string  // headers that steer, which no client may send
	streams  []*stream // ended, for reuse
	warned   int64     // when the last warning was logged, nanoseconds
	standby  standby
	gone     bool // no new request comes, and no tick
	gate     gate
	late     map[uint32]*stream // by ID: those that wait for room
	period   int64              // ns: between ticks
	seen     int64              // ns: when the proxy's clock was read last
	head     inspect.Head       // of readHeaders
}

// clock reads the proxy's clock, in nanoseconds. Each call to the proxy costs, so a callback reads it once if it can.
func (p *plugin) clock() int64 {
	p.seen = now()
	return p.seen
}

// keepStreams is how many ended streams each worker keeps for reuse.
const keepStreams = 256

// warnEvery bounds the log at request time, in nanoseconds.
const warnEvery = 1e9

// OnPluginStart reads the configuration. If it is bad, the start fails with a message that names the field; Envoy then
// refuses the filter and keeps the configuration that it had.
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
	if p.cfg.Role == config.RoleGate {
		return p.startGate()
	}
	if p.cfg.Role == config.RolePeers {
		p.metrics = metrics.New(proxyMetrics{}, p.cfg.MetricEndpoints)
		if _, err := secret(&p.cfg); err != nil {
			return err
		}
		return p.holdAsks()
	}
	if p.cfg.Zone == "" {
		p.cfg.Zone = nodeZone()
	}
	t := p.clock()
	p.cfg.Secret = share.Secret(sharedData{}, random)
	if err = p.shareNews(); err != nil {
		return err
	}
	if p.cfg.AskSecretEnv != "" {
		if p.ask, err = secretOf("ask_secret_env", p.cfg.AskSecretEnv); err != nil {
			return err
		}
	}
	if p.cfg.Record {
		p.cfg.RecordSecret = share.RecordSecret(sharedData{}, random)
	}
	if err = p.ready(t); err != nil {
		return err
	}
	if p.sharesNews() {
		if err = p.holdAsks(); err != nil {
			return err
		}
		routing = append(routing, p)
	}
	declareProperty()
	p.standby = newStandby(text, t)
	p.metrics = metrics.New(proxyMetrics{}, p.cfg.MetricEndpoints)
	p.steering = []string{config.EndpointHeader, config.ClusterHeader, config.KeyHeader}
	p.mayNotSend(p.cfg.Steer.Header)
	for _, of := range p.worker.Pools() {
		for _, e := range of.Config().Endpoints {
			p.metrics.Of(of).At(e.Address)
		}
	}
	for i := range p.cfg.Pools {
		p.mayNotSend(p.cfg.Pools[i].Steer.Header)
	}
	p.watchdog.timeout = p.cfg.DecideTimeout - scout.Period(&p.cfg) // so that a tick sees it in time
	return nil
}

// mayNotSend adds a header that steers.
func (p *plugin) mayNotSend(header string) {
	if !slices.Contains(p.steering, header) {
		p.steering = append(p.steering, header)
	}
}

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
	collect()
}

// tick updates what is known of the pool, and resumes paused requests that make no progress.
func (p *plugin) tick() {
	t := p.clock()
	if p.worker == nil {
		tell(held.Tick(t), t)
		return
	}
	p.worker.Tick(t)
	p.pace()
	p.metrics.Show(p.worker.Pools(), t)
	for s := p.watchdog.expired(t); s != nil; s = p.watchdog.expired(t) {
		s.stalled(t)
	}
	if p.standby.due(t) {
		p.standBy()
	}
	p.holdAgain()
	if len(p.late) > 0 {
		p.letWaitingGo(t)
	}
	tell(held.Tick(t), t) // last: it enters streams that may be another filter's, and all that follows would count as that one's
}

// tellMetrics passes on what requests have added to the metrics.
func (p *plugin) tellMetrics() {
	if p.worker == nil { // no pool has added anything since it stands by
		p.metrics.Tell(nil)
		return
	}
	p.metrics.Tell(p.worker.Pools())
}

// pace has the proxy tick as often as the worker wants.
func (p *plugin) pace() {
	if period := p.worker.Period(); period != p.period {
		p.period = period
		_ = setTick(time.Duration(period))
	}
}

func (p *plugin) giveStream(s *stream) {
	s.exchange.Forget()
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
