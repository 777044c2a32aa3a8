// Package decision is what policies are asked, a Request, and what they answer: endpoints in order, with a reason. inspect fills the one, route
// the other.
package decision

import (
	"strconv"

	"warmroute/plugin/bytestr"
	"warmroute/plugin/config"
	"warmroute/plugin/pool"
	"warmroute/plugin/why"
)

// Reason says why the first endpoint of a decision is first. Each is a metric label: the set is small and fixed.
type Reason uint8

// The reasons.
const (
	ByChance Reason = iota // drawn at random
	ByTurn                 // its turn had come
	AtHome                 // the ring's own endpoint for the affinity key
	Bounded                // the first choice is at its load bound; the best endpoint below its bound
	Barren                 // the first choice answers without computing (package health, barren.go); the best of the others
	HomeAway               // the home is down, draining or does not serve the model; the next on the ring
	ByLoad                 // by load: no endpoint holds any of the prompt, or nothing is known of the prompt
	ByMatch                // no endpoint holds more of the prompt
	Relieved               // another endpoint holds more of the prompt, but waiting there costs more than that saves
	Probe                  // the endpoint is down and is tried again
	ByKey                  // no endpoint is chosen: the proxy hashes the affinity key
	Stored                 // the endpoint keeps the response that the request is about: any other would answer 404
)

// Reasons holds the name of each reason.
var Reasons = []string{"random", "round_robin", "home", "bounded", "barren", "home_away", "by_load", "match", "relieved", "probe", "key", "stored"}

func (r Reason) String() string { return Reasons[r] }

// Decision is an order of endpoints and the reasons for it, with the request's Flight at the pool.
type Decision struct {
	pool.Flight

	Policy config.Policy
	Reason Reason
	Why    why.Code // by_load: why the prompt could not be used
	Order  []int    // endpoints to try, best first
	Key    uint64   // affinity key; meaningful when HasKey
	HasKey bool
	Home   int // endpoint that the ring gives the key to; -1 where the ring alone did not decide

	Margin float64 // cost of the second less that of the first, in the policy's unit; below 0 if the second is at its bound, or not well
	Terms  []Term  // what the policy weighed
}

// Term is one number that a policy weighed.
type Term struct {
	Name  string // snake_case, unit included where it has one
	Value float64
}

// Reset makes it one of that policy, of which nothing is known yet. Its buffers are used again.
func (d *Decision) Reset(p config.Policy) {
	d.Flight.Reset()
	*d = Decision{Policy: p, Home: -1, Order: d.Order[:0], Terms: d.Terms[:0], Flight: d.Flight}
}

// Term adds what the policy weighed.
func (d *Decision) Term(name string, value float64) {
	d.Terms = append(d.Terms, Term{Name: name, Value: value + 0}) // + 0: no negative zero
}

// PutFirst makes endpoint i the first, for that reason; the other endpoints follow.
func (d *Decision) PutFirst(i int, reason Reason) {
	d.Reason, d.Margin = reason, 0
	last := i
	for at, e := range d.Order {
		d.Order[at], last = last, e
		if e == i {
			return
		}
	}
}

// ExpectedTokens estimates how many tokens of the prompt the first endpoint's cache holds, to compare with cached_tokens of
// the response.
func (d *Decision) ExpectedTokens() int { return int(d.Cached(d.Matched) + 0.5) }

// Append writes the decision to dst as `name=value` pairs joined by ';' and returns the extended slice. It holds
// names, numbers and addresses only, never prompt text.
func (d *Decision) Append(dst []byte, endpoints []config.Endpoint) []byte {
	dst = append(dst, "policy="...)
	dst = append(dst, d.Policy.String()...)
	dst = append(dst, ";reason="...)
	dst = append(dst, d.Reason.String()...)
	if d.Why != "" {
		dst = append(dst, ";why="...)
		dst = append(dst, d.Why...)
	}
	for i, e := range d.Order {
		switch i {
		case 0:
			dst = append(dst, ";endpoint="...)
		case 1:
			dst = append(dst, ";next="...)
		default:
			dst = append(dst, ',')
		}
		dst = append(dst, endpoints[e].Address...)
	}
	if d.HasKey {
		dst = append(dst, ";key="...)
		dst = bytestr.AppendHex(dst, d.Key, 16)
	}
	if d.Home >= 0 {
		dst = append(dst, ";home="...)
		dst = append(dst, endpoints[d.Home].Address...)
	}
	if d.Total > 0 {
		dst = append(dst, ";matched="...)
		dst = strconv.AppendInt(dst, int64(d.Matched), 10)
		dst = append(dst, ";blocks="...)
		dst = strconv.AppendInt(dst, int64(d.Total), 10)
		dst = append(dst, ";expected_cached_tokens="...)
		dst = strconv.AppendInt(dst, int64(d.ExpectedTokens()), 10)
	}
	if d.Margin != 0 {
		dst = appendNumber(dst, "margin", d.Margin)
	}
	for _, t := range d.Terms {
		dst = appendNumber(dst, t.Name, t.Value)
	}
	return dst
}

// appendNumber writes a number to six significant digits: more would be noise in a log line.
func appendNumber(dst []byte, name string, value float64) []byte {
	dst = append(dst, ';')
	dst = append(dst, name...)
	dst = append(dst, '=')
	return bytestr.AppendNumber(dst, value)
}
