package pool

import "warmroute/plugin/prefix"

// What the other workers of the proxy say, beside their requests in flight: without it a worker would weigh a sample of
// the load, and with four workers a small one (docs/notes.md).

// peers is the sum over the other workers.
type peers struct {
	requests float64 // sent recently to all endpoints
}

// peerTokens is the sum over the other workers for one endpoint, in prompt tokens.
type peerTokens struct {
	queued float64 // not computed yet
	work   float64 // sent recently
}

// OwnRequests is what the others are to know of this worker: the requests sent recently to all endpoints.
func (p *Pool) OwnRequests(now int64) (requests float64) {
	for i := range p.ends {
		n, _ := p.OwnWork(i, now)
		requests += n
	}
	return requests
}

// OwnTokens is what the others are to know of this worker's prompts at an endpoint: tokens queued, and sent recently.
func (p *Pool) OwnTokens(i int, now int64) (queued, work float64) {
	_, work = p.OwnWork(i, now)
	return p.ownQueue(i, now), work
}

// ClearPeers forgets what the other workers have said, before it is read anew.
func (p *Pool) ClearPeers() {
	p.peers = peers{}
	for i := range p.ends {
		p.ends[i].peer = peerTokens{}
	}
}

// AddPeerRequests adds another worker's OwnRequests.
func (p *Pool) AddPeerRequests(requests float64) { p.peers.requests += requests }

// AddPeerTokens adds another worker's OwnTokens.
func (p *Pool) AddPeerTokens(i int, queued, work float64) {
	p.ends[i].peer.queued += queued
	p.ends[i].peer.work += work
}

// RecordPrompt says that a request of another worker went to endpoint i, whose cache then holds the chain.
func (p *Pool) RecordPrompt(i int, chain *prefix.Chain, now int64) {
	if p.Index != nil && p.Present(i) {
		p.Index.Insert(i, chain, millis(now))
	}
}

// RetractPrompt says that a request that went to endpoint i at that time was never computed: these blocks are not in its
// cache by it.
func (p *Pool) RetractPrompt(i int, blocks []uint64, at int64) {
	if p.Index != nil {
		p.Index.Withdraw(i, blocks, millis(at))
	}
}

func millis(ns int64) uint32 { return uint32(ns / 1e6) }
