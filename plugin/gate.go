package main

import (
	"encoding/binary"
	"strconv"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"

	"warmroute/plugin/config"
	"warmroute/plugin/proxy"
)

// Where a gateway offers neither allow_on_headers_stop_iteration nor a filter that makes a property a header, the module runs
// twice. The filter that routes lets the headers go on and reads the body; a second one behind it, of the role gate, holds
// the headers, so that Envoy keeps the body before it, until the first has set the choice in a property. Envoy Gateway gives
// each filter a VM of its own, and what wakes another VM is a shared queue: the gate leaves its queue and its stream in a
// property of the request, and the first filter, on the same thread, enqueues the stream there.

// waitPath is set where a choice will come; gatePath is where to say that it has: the queue and the gate's stream, 32 bits
// each, little endian.
const (
	waitPath = "warmroute_waits"
	gatePath = "warmroute_gate"

	gateTicket = 8 // bytes

	// holdAll holds headers and body before the filter, with allow_on_headers_stop_iteration too: FilterHeadersStatus::StopAllIterationAndWatermark
	// of proxy-wasm-cpp-host. With a mere pause that flag would show the gate the body, and Envoy 1.40 forwards twice what a filter holds of a body
	// that is resumed before its end: the surplus would be the replica's next request.
	holdAll types.Action = 4
)

// gate is the part of a plugin that only those of its role use.
type gate struct {
	queue uint32
	held  map[uint32]*gated // by stream
}

// startGate makes the queue: one for each VM, so that a request is woken on its own thread.
func (p *plugin) startGate() (err error) {
	p.gate.held = map[uint32]*gated{}
	p.gate.queue, err = proxy.RegisterQueue("warmroute_gate_" + strconv.FormatUint(proxy.Random(), 36))
	return err
}

// OnQueueReady lets those go on whose choice is made, or answers asks that waited.
func (p *plugin) OnQueueReady(queue uint32) {
	if p.cfg.Role != config.RoleGate {
		wakeAsks(queue, proxy.Now())
		return
	}
	for item := proxy.Dequeue(queue); item != nil; item = proxy.Dequeue(queue) {
		if len(item) != 4 {
			continue
		}
		id := binary.LittleEndian.Uint32(item)
		if g := p.gate.held[id]; g != nil && proxy.Enter(id) {
			delete(p.gate.held, id)
			g.steer()
			proxy.ResumeHere()
		}
	}
}

// gated is a request at the gate.
type gated struct {
	types.DefaultHttpContext
	plugin *plugin
	id     uint32
}

// OnHttpRequestHeaders holds the request if its choice will come.
func (g *gated) OnHttpRequestHeaders(int, bool) types.Action {
	if len(proxy.Property(waitPath)) == 0 {
		g.steer()
		return types.ActionContinue
	}
	var ticket [gateTicket]byte
	binary.LittleEndian.PutUint32(ticket[:], g.plugin.gate.queue)
	binary.LittleEndian.PutUint32(ticket[4:], g.id)
	g.plugin.gate.held[g.id] = g
	proxy.SetProperty(gatePath, ticket[:])
	return holdAll
}

// OnHttpRequestBody is called for a held request only by a proxy that takes holdAll for a pause.
func (g *gated) OnHttpRequestBody(int, bool) types.Action {
	if g.plugin.gate.held[g.id] != nil {
		return types.ActionPause
	}
	return types.ActionContinue
}

// OnHttpRequestTrailers likewise: trailers that go on take the headers with them, without the choice.
func (g *gated) OnHttpRequestTrailers(int) types.Action { return g.OnHttpRequestBody(0, true) }

// OnHttpStreamDone forgets a request that ended while it was held.
func (g *gated) OnHttpStreamDone() { delete(g.plugin.gate.held, g.id) }

// steer makes the choice the header; without one, a client's own goes.
func (g *gated) steer() {
	steer := &g.plugin.cfg.Steer
	path := endpointPath
	if steer.Target == config.TargetHash {
		path = keyPath
	}
	if choice := proxy.Property(path); len(choice) > 0 {
		proxy.SetRequestHeader(steer.Header, choice)
	} else {
		proxy.RemoveRequestHeader(steer.Header)
	}
	if rank := proxy.Property(rankPath); len(rank) > 0 {
		proxy.SetRequestHeader(config.RankHeader, rank)
	} else if g.plugin.cfg.DataParallelRanks > 1 {
		proxy.RemoveRequestHeader(config.RankHeader)
	}
}

// await tells a gate behind this filter that a choice will come.
func (s *stream) await() {
	s.awaited = true
	proxy.SetProperty(waitPath, []byte{'1'})
}

// openGate lets the request go on that a gate holds; nothing, if none does. The effective context is the request's.
func (s *stream) openGate() {
	if !s.awaited {
		return
	}
	s.awaited = false
	if ticket := proxy.Property(gatePath); len(ticket) == gateTicket {
		proxy.Enqueue(binary.LittleEndian.Uint32(ticket), ticket[4:])
	} else {
		proxy.SetProperty(waitPath, nil) // the headers have not come to a gate yet: a filter between holds them
	}
}
