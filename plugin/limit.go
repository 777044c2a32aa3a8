package main

import (
	"math"

	"warmroute/plugin/config"
	"warmroute/plugin/proxy"
)

// limit is how much of a body the proxy can hold, as far as it is known. Nothing tells: above its limit, which is 1 MiB where nobody has set it,
// Envoy answers 413 to what is held, though it would stream on.
type limit struct {
	held    int // bytes: the most that it has held
	refused int // the least that was too much; 0: nothing has been

	named bool  // the proxy has told the cluster of a request's route
	asked uint8 // how often it was asked so that it may
}

// unsureLimit is the part of what was too much that is held nevertheless, where little is known to fit: what a client sends at once decides how
// much was held before it, and could make it a single byte.
const unsureLimit = 4

// bytes is how much of a body is held at most.
func (l *limit) bytes() int { return max(l.held, l.refused/unsureLimit) }

// holds records that the proxy has held so many bytes.
func (l *limit) holds(bytes int) {
	if bytes > l.held && (l.refused == 0 || bytes < l.refused) {
		l.held = bytes
	}
}

// refuses records that so many were too much, of which it had held the first. Where it has held as many before, its routes have different limits,
// and the least counts.
func (l *limit) refuses(bytes, first int) {
	if bytes <= l.held {
		l.held = 0
	}
	l.held = max(l.held, first)
	if l.refused == 0 || bytes < l.refused {
		l.refused = bytes
	}
}

// learnLimit learns from the proxy's own response to a request that is held, or was until the part that came last. From then on bodies that fit
// are held to their end, and others are decided on by their first part: one that follows may be as long as the limit. They are read on as they pass.
func (s *stream) learnLimit() {
	p := s.plugin
	if s.shown == 0 || p.cfg.Steer.Via != config.ViaHeader || proxy.ResponseDetails() != tooLarge || s.leadsNowhere() {
		return
	}
	p.limit.refuses(s.shown, s.kept)
	p.warn(p.clock(), "the proxy cannot hold scan_bytes of a body, and has answered 413; from now on less is held; set request_body_buffer_limit, to 1 MiB more")
}

// mostAsked is how many requests are looked at for a cluster, since hosts other than Envoy may not tell it.
const mostAsked = 16

// leadsNowhere says whether the request has no route, or one without a cluster, as far as is known: then the proxy answers it, by 404 or a redirect, whatever
// is decided, and its limit is not that of others, but 1 MiB, as much as comes at once. Where a decision names the cluster, that is not known.
func (s *stream) leadsNowhere() bool {
	p := s.plugin
	if p.cfg.NamesCluster() {
		return false
	}
	if proxy.RouteCluster() != "" {
		p.limit.named = true
		return false
	}
	return p.limit.named
}

// askCluster asks once whether the proxy tells clusters.
func (s *stream) askCluster() {
	if l := &s.plugin.limit; !l.named && l.asked < mostAsked {
		l.asked++
		s.leadsNowhere()
	}
}

// overflows says whether the proxy may have no room for the part that comes next.
func (s *stream) overflows() bool {
	if s.kept == 0 && s.leadsNowhere() { // the next part may be as long as the limit
		return true
	}
	l := &s.plugin.limit
	if l.refused == 0 || s.exchange.FitsIn(l.bytes()) {
		return false
	}
	return s.exchange.FitsIn(math.MaxInt) || s.exchange.Seen() > l.bytes()/8 // most whose length is not announced are short
}

// mostWork is how much of a body's JSON is read in one callback (prompt.Scanner.Work), about 8 ms: a client can make all of a body names and signs,
// and the proxy shows up to 1 MiB at a time. A prompt of 128,000 token ids is twice as much, and comes in several parts.
// The rest is read with the part that comes next, if there is one and the rest no longer than mostBehind bytes.
const (
	mostWork   = 1 << 17
	mostBehind = 512 << 10
)
