package main

import (
	"math"

	"warmroute/plugin/config"
	"warmroute/plugin/proxy"
)

// limits are how much of a body the proxy can hold, as far as it is known. Nothing tells: above its limit, which is 1 MiB where nobody has set it,
// Envoy answers 413 to what is held, though it would stream on. Each route has its own, by its name and that of its virtual host; one that has
// refused nothing has none here. What is learned lasts as long as the configuration: to try whether a limit has been raised would cost a client its
// answer.
type limits struct {
	held   int // bytes: the most that has been held where nothing was refused
	routes []routeLimit

	named bool  // the proxy has told the cluster of a request's route
	asked uint8 // how often it was asked so that it may
}

// mostLimits is how many limits are known. Where there are as many, the last is that of all further routes.
const mostLimits = 16

type routeLimit struct {
	route string
	limit
}

// limit is that of one route.
type limit struct {
	held    int // bytes: the most that the proxy has held
	refused int // the least that was too much
}

// unsureLimit is the part of what was too much that is held nevertheless, where little is known to fit: what a client sends at once decides how
// much was held before it, and could make it a single byte.
const unsureLimit = 4

// bytes is how much of a body is held at most.
func (l *limit) bytes() int { return max(l.held, l.refused/unsureLimit) }

// of is the limit of a route; nil: it has refused nothing.
func (l *limits) of(route string) *limit {
	for i := range l.routes {
		if l.routes[i].route == route || i == mostLimits-1 {
			return &l.routes[i].limit
		}
	}
	return nil
}

// limit is that of the request's route, likewise. The proxy is asked for that once any has refused something.
func (s *stream) limit() *limit {
	if len(s.plugin.limits.routes) == 0 {
		return nil
	}
	return s.plugin.limits.of(proxy.Route())
}

// holds records that the proxy has held so many bytes on a route with that limit.
func (l *limits) holds(bytes int, at *limit) {
	if at == nil {
		l.held = max(l.held, bytes)
	} else if bytes < at.refused {
		at.held = max(at.held, bytes)
	}
}

// refuses records that so many were too much, of which the proxy had held the first. Where as many have been held before, it was on another
// route, or the limit is lower now.
func (l *limits) refuses(bytes, first int, route string) {
	at := l.of(route)
	if at == nil {
		l.routes = append(l.routes, routeLimit{route, limit{l.held, bytes}})
		at = &l.routes[len(l.routes)-1].limit
	}
	if bytes <= at.held {
		at.held = 0
	}
	at.held, at.refused = max(at.held, first), min(at.refused, bytes)
}

// learnLimit learns from the proxy's own response to a request that is held, or was until the part that came last. From then on bodies that fit
// are held to their end, and others are decided on by their first part: one that follows may be as long as the limit. They are read on as they pass.
func (s *stream) learnLimit() {
	p := s.plugin
	if s.shown == 0 || p.cfg.Steer.Via != config.ViaHeader || proxy.ResponseDetails() != tooLarge || s.leadsNowhere() {
		return
	}
	p.limits.refuses(s.shown, s.kept, proxy.Route())
	p.warn(p.clock(), "the proxy cannot hold scan_bytes of a body, and has answered 413; from now on less is held on that route; set request_body_buffer_limit, to 1 MiB more, "+
		"then change this configuration, or restart")
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
		p.limits.named = true
		return false
	}
	return p.limits.named
}

// askCluster asks once whether the proxy tells clusters.
func (s *stream) askCluster() {
	if l := &s.plugin.limits; !l.named && l.asked < mostAsked {
		l.asked++
		s.leadsNowhere()
	}
}

// overflows says whether the proxy may have no room for the part that comes next.
func (s *stream) overflows() bool {
	if s.kept == 0 && s.leadsNowhere() { // the next part may be as long as the limit
		return true
	}
	l := s.limit()
	if l == nil || s.exchange.FitsIn(l.bytes()) {
		return false
	}
	return s.exchange.FitsIn(math.MaxInt) || s.exchange.Seen() > l.bytes()/8 // most whose length is not announced are short
}

// mostWork is how much of a body's JSON is read in one callback (prompt.Scanner.Work), about 8 ms: a client can make all of a body names, signs and
// escapes, and the proxy shows up to 1 MiB at a time. A prompt of 128,000 token ids is twice as much, and comes in several parts.
// The rest is read with the part that comes next, if there is one and the rest no longer than mostBehind bytes.
const (
	mostWork   = 1 << 19
	mostBehind = 512 << 10
)
