package main

import (
	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"

	"warmroute/plugin/config"
	"warmroute/plugin/proxy"
	"warmroute/plugin/why"
)

// propertyPath names the filter state `wasm.warmroute` that access logs and other filters read, recordPath `wasm.warmroute_record`, which access
// logs read. endpointPath, keyPath and rankPath name those that carry the choice where a header cannot.
const (
	propertyPath = "warmroute"
	recordPath   = "warmroute_record"
	endpointPath = "warmroute_endpoint"
	keyPath      = "warmroute_key"
	rankPath     = "warmroute_rank"
)

// describe shows the decision, and the request where it is recorded.
func (s *stream) describe() {
	proxy.SetProperty(propertyPath, s.exchange.Describe())
	if record := s.exchange.Record(s.plugin.seen); record != nil {
		proxy.SetProperty(recordPath, record)
	}
}

// steerByLoad decides without a prompt.
func (s *stream) steerByLoad(code why.Code) types.Action {
	s.exchange.ByLoad(code)
	return s.steer(true)
}

// steer decides, passes the choice to Envoy, and counts the request in flight; whole says that the body has ended.
func (s *stream) steer(whole bool) types.Action {
	p := s.plugin
	began := p.clock()
	code := s.exchange.Decide(whole, began)
	if s.exchange.Modelless() {
		p.metrics.Modelless()
	}
	if cluster := s.exchange.Cluster(); cluster != "" {
		proxy.SetRequestHeader(config.ClusterHeader, []byte(cluster))
	}
	if code != "" {
		return s.pass(code)
	}
	s.phase = steered
	s.askCluster()
	p.watchdog.forget(s)
	s.count()
	s.counted.Steered(s.exchange.Decision().Reason.String())
	switch value, steer := s.exchange.Steering(), &s.exchange.Pool().Config().Steer; {
	case steer.Via == config.ViaHeader:
		proxy.SetRequestHeader(steer.Header, value)
	case steer.Target == config.TargetHash:
		proxy.SetProperty(keyPath, value)
	default:
		proxy.SetProperty(endpointPath, value)
	}
	if rank := s.exchange.Rank(); rank != "" {
		s.nameRank(rank)
	}
	s.openGate()
	p.metrics.Steered(&s.exchange, p.clock()-began)
	s.describe()
	return types.ActionContinue
}

// nameRank names the request's data-parallel rank to its server.
func (s *stream) nameRank(rank string) {
	if s.exchange.Pool().Config().Steer.Via == config.ViaHeader {
		proxy.SetRequestHeader(config.RankHeader, []byte(rank))
	} else {
		proxy.SetProperty(rankPath, []byte(rank))
	}
}

// count sets the metrics of the endpoint where the request is.
func (s *stream) count() {
	if address := s.exchange.Address(); s.counted == nil || address != s.at {
		s.counted, s.at = s.plugin.metrics.Of(s.exchange.Pool()).At(address).Of(s.exchange.Arm()), address
	}
}

// pass is the one exit for requests that go on unsteered, to the proxy's own load balancing.
func (s *stream) pass(code why.Code) types.Action {
	s.plugin.watchdog.forget(s)
	s.exchange.Leave()
	s.phase = passing
	s.plugin.metrics.Passed(s.exchange.Pool(), string(code))
	s.openGate()
	return types.ActionContinue
}
