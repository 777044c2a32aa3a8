package pool

import "warmroute/plugin/prefix"

// What the other workers of the proxy report beside their requests in flight. Without it a worker would see only its own
// part of the load (docs/notes.md).

// peers is the sum over the other workers.
type peers struct {
	requests float64 // sent recently to all endpoints
}

// peerTokens is the sum over the other workers for one endpoint, in prompt tokens.
type peerTokens struct {
	queued float64 // not computed yet
	work   float64 // sent recently
}

// OwnRequests is the requests that this worker sent recently to all endpoints.
func (p *Pool) OwnRequests(now int64) (requests float64) {
	for i := range p.ends {
		n, _ := p.OwnWork(i, now)
		requests += n
	}
	return requests
}

// OwnLoad is what this worker publishes of an endpoint: requests sent recently, prompt tokens queued there, and those sent
// recently.
func (p *Pool) OwnLoad(i int, now int64) (requests, queued, work float64) {
	requests, work = p.OwnWork(i, now)
	return requests, p.ownQueue(i, now), work
}

// ClearPeers forgets what the other workers have published, before it is read again.
func (p *Pool) ClearPeers() {
	p.peers = peers{}
	for i := range p.ends {
		p.ends[i].peer = peerTokens{}
	}
}

// AddPeerRequests adds another worker's requests sent recently to all endpoints.
func (p *Pool) AddPeerRequests(requests float64) { p.peers.requests += requests }

// AddPeerTokens adds another worker's tokens of OwnLoad.
func (p *Pool) AddPeerTokens(i int, queued, work float64) {
	p.ends[i].peer.queued += queued
	p.ends[i].peer.work += work
}

// RecordPrompt records that another worker's request went to endpoint i, so that its cache holds the chain.
func (p *Pool) RecordPrompt(i int, chain *prefix.Chain, now int64) {
	if p.Index != nil && p.Present(i) {
		p.Index.Insert(i, chain, millis(now))
	}
}

// RetractPrompt records that a request sent to endpoint i at that time was never computed, so that it put none of these
// blocks into the cache.
func (p *Pool) RetractPrompt(i int, blocks []uint64, at int64) {
	if p.Index != nil {
		p.Index.Withdraw(i, blocks, millis(at))
	}
}

func millis(ns int64) uint32 { return uint32(ns / 1e6) }
