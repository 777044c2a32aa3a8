package main

import (
	"errors"
	"slices"
	"time"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"

	"warmroute/plugin/config"
	"warmroute/plugin/metrics"
	"warmroute/plugin/proxy"
	"warmroute/plugin/scout"
	"warmroute/plugin/share"
	"warmroute/plugin/standby"
	"warmroute/plugin/worker"
)

// OnPluginStart reads the configuration. If it is bad, the start fails with a message that names the field; Envoy then
// refuses the filter and keeps the configuration that it had.
func (p *plugin) OnPluginStart(int) types.OnPluginStartStatus {
	if err := p.start(); err != nil {
		proxy.LogCritical("warmroute: the configuration is refused: " + err.Error())
		return types.OnPluginStartStatusFailed
	}
	return types.OnPluginStartStatusOK
}

// start reads the configuration, and starts what the filter's role is.
func (p *plugin) start() error {
	text, err := proxy.Configuration()
	if err != nil && err != types.ErrorStatusNotFound { // not found: none was given, all defaults
		return err
	}
	if p.cfg, err = config.Parse(text); err != nil {
		if len(text) > 3 && text[0] == '\n' && (text[2] == '\n' || text[3] == '\n') { // the tags of a map's first entry
			return errors.New("it looks like a google.protobuf.Struct, which Envoy hands over in binary form; give it as JSON in a google.protobuf.StringValue")
		}
		return err
	}
	switch p.cfg.Role {
	case config.RoleGate:
		return p.startGate()
	case config.RolePeers:
		return p.answerNews()
	}
	return p.startRouting(text)
}

// startRouting starts a filter that routes, by the text of its configuration.
func (p *plugin) startRouting(text []byte) error {
	t := p.clock()
	if p.cfg.Zone == "" {
		p.cfg.Zone = proxy.NodeZone()
	}
	if err := p.drawSecrets(); err != nil {
		return err
	}
	if err := p.ready(t); err != nil {
		return err
	}
	if p.sharesNews() {
		if err := p.openAskQueue(); err != nil {
			return err
		}
		routing = append(routing, p)
	}
	proxy.DeclareText(propertyPath)
	p.standby = standby.New(proxy.SharedData{}, proxy.FilterName(), text, t)
	p.metrics = metrics.New(proxy.Metrics{}, proxy.FilterName(), p.cfg.MetricEndpoints)
	p.steering = []string{config.EndpointHeader, config.ClusterHeader, config.KeyHeader}
	p.mayNotSend(p.cfg.Steer.Header)
	ranks := p.cfg.MayNameRanks()
	for i := range p.cfg.Pools {
		p.mayNotSend(p.cfg.Pools[i].Steer.Header)
		ranks = ranks || p.cfg.Pools[i].MayNameRanks()
	}
	if ranks {
		p.mayNotSend(config.RankHeader)
	}
	for _, of := range p.worker.Pools() {
		for _, e := range of.Config().Endpoints {
			p.metrics.Of(of).At(e.Address) // so that an idle one is shown
		}
	}
	p.watchdog.timeout = p.cfg.DecideTimeout - scout.Period(&p.cfg) // so that a tick sees it in time
	return nil
}

// drawSecrets sets what prompts are hashed with, and reads the secrets of other gateways and of ask_header.
func (p *plugin) drawSecrets() (err error) {
	p.cfg.TableSecret = share.Secret(proxy.SharedData{}, proxy.Random)
	p.cfg.Secret = p.cfg.TableSecret
	if err = p.shareNews(); err != nil {
		return err
	}
	if p.cfg.AskSecretEnv != "" {
		if p.ask, err = secretOf("ask_secret_env", p.cfg.AskSecretEnv); err != nil {
			return err
		}
	}
	if p.cfg.Record {
		p.cfg.RecordSecret = share.RecordSecret(proxy.SharedData{}, proxy.Random)
	}
	return nil
}

// mayNotSend adds a header that steers.
func (p *plugin) mayNotSend(header string) {
	if !slices.Contains(p.steering, header) {
		p.steering = append(p.steering, header)
	}
}

// ready makes the context what it is at its start.
func (p *plugin) ready(t int64) error {
	seed := p.cfg.Seed
	if seed == 0 {
		seed = uint64(t)
	}
	var err error
	if p.worker, err = worker.New(&p.cfg, proxy.SharedData{}, p, seed, t); err != nil {
		return err
	}
	p.worker.Clock = p.clock
	p.worker.OnLearned(p.learned)
	p.worker.JoinGateways(p.secrets, proxy.Random()|1, wake)
	p.period = p.worker.Period()
	return proxy.SetTick(time.Duration(p.period))
}

// mostDozing is how many former workers a context keeps; requests of others count for five seconds more.
const mostDozing = 4

// wake makes the context ready once it has stood by. A worker whose answers are still under way goes on counting them.
func (p *plugin) wake(t int64) error {
	if p.worker != nil {
		p.dozing = append(p.dozing[max(0, len(p.dozing)+1-mostDozing):], p.worker)
	}
	return p.ready(t)
}

// tickDozing has former workers say what is still under way, and lets go of those that have nothing left.
func (p *plugin) tickDozing(t int64) {
	for i := len(p.dozing) - 1; i >= 0; i-- {
		if w := p.dozing[i]; w.Open() > 0 {
			w.Tick(t)
		} else {
			p.metrics.Flush(w.Pools())
			p.dozing = slices.Delete(p.dozing, i, i+1)
		}
	}
}

// standBy lets go of all that the context keeps, but for what counts answers under way, until they have ended. It may never serve again,
// so its gauges show nothing from now on.
func (p *plugin) standBy(t int64) {
	if !p.standby.Rests() {
		p.standby.Rest()
		p.showLast(t)
		p.worker.Doze(t)
		p.streams = nil
	}
	if p.standby.Idle() {
		p.flushMetrics()
		p.worker, p.dozing = nil, nil
		_ = proxy.SetTick(0)
	}
}
