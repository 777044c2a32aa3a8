package main

import (
	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"

	"warmroute/plugin/config"
	"warmroute/plugin/proxy"
)

// Where the replicas' memory is short, new prompts wait here until there is room (package route, cache_aware_hold.go): their body has come as a
// whole, and the proxy keeps it before this filter, or before a gate. The tick lets them go on, because only there any request may be
// entered. The watchdog has nothing to do with them: the worker knows how long each may wait.

// waits says whether the request, whose body has come, is to wait for room.
func (s *stream) waits() bool {
	p := s.plugin
	if !s.exchange.Hold(s.id, p.clock()) {
		return false
	}
	if p.cfg.Steer.Via == config.ViaProperty && len(proxy.Property(gatePath)) != gateTicket {
		s.exchange.Unhold() // no gate keeps it: with a buffer filter, the headers go on as soon as the body has come
		return false
	}
	p.watchdog.forget(s)
	s.phase = waiting
	if p.waiting == nil {
		p.waiting = map[uint32]*stream{}
	}
	p.waiting[s.id] = s
	p.metrics.Of(s.exchange.Pool()).Holds(&s.exchange)
	return true
}

// waitAction keeps the body before this filter; a gate keeps it by its headers.
func (s *stream) waitAction() types.Action {
	if s.plugin.cfg.Steer.Via == config.ViaProperty {
		return types.ActionContinue
	}
	return types.ActionPause
}

// leaveWaiting forgets a request whose client has left.
func (s *stream) leaveWaiting() {
	p := s.plugin
	delete(p.waiting, s.id)
	s.exchange.LeaveHold(p.clock())
	p.metrics.Of(s.exchange.Pool()).Freed(&s.exchange, true)
}

// letWaitingGo steers the requests that wait no longer. It enters them: nothing of another request may follow.
func (p *plugin) letWaitingGo(t int64) {
	for id, due := p.worker.Due(t); due; id, due = p.worker.Due(t) {
		s := p.waiting[id]
		delete(p.waiting, id)
		if s == nil || !proxy.Enter(id) {
			continue // it has ended
		}
		p.metrics.Of(s.exchange.Pool()).Freed(&s.exchange, false)
		s.steer(true)
		if p.cfg.Steer.Via == config.ViaHeader {
			proxy.ResumeHere()
		}
	}
}
