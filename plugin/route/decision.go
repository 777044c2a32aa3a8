package route

import (
	"strconv"

	"warmroute/plugin/config"
	"warmroute/plugin/prefix"
)

// Reason says why the first endpoint of a decision is first. Each is a metric label: the set is small and fixed.
type Reason uint8

// The reasons.
const (
	ByChance Reason = iota // drawn at random
	ByTurn                 // its turn had come
	AtHome                 // the ring's own endpoint for the affinity key
	Bounded                // the first choice was over the load bound; the best of those below it
	HomeAway               // the home is down or draining; the next on the ring
	ByLoad                 // nobody holds any of the prompt, or nothing is known of it; by load
	ByMatch                // nobody holds more of the prompt
	Relieved               // another holds more of the prompt, and waiting there costs more than that saves
	Probe                  // the endpoint was down and is tried again
	ByKey                  // no endpoint is chosen: the proxy hashes the affinity key
)

// Reasons holds the name of each reason.
var Reasons = []string{"random", "round_robin", "home", "bounded", "home_away", "by_load", "match", "relieved", "probe", "key"}

func (r Reason) String() string { return Reasons[r] }

// Decision is an order of endpoints and the grounds for it. Between Router.Pick and Router.Answered it also carries
// what the answer is to be held against.
type Decision struct {
	Policy config.Policy
	Reason Reason
	Why    string // by_load: what was wrong with the prompt
	Order  []int  // endpoints to try, best first
	Key    uint64 // affinity key; meaningful when HasKey
	HasKey bool
	Home   int // endpoint that the ring gives the key to; -1 where the ring alone did not decide

	Chain   prefix.Chain // the prompt's blocks, as far as they had been read; empty without an index
	Matched int          // leading blocks that the first endpoint is believed to hold
	Total   int          // blocks of the prompt
	Margin  float64      // cost of the second less that of the first, in the policy's unit; below 0 where the second is at its bound, or not well
	Terms   []Term       // what the policy weighed

	seed         uint64  // of the chain
	model        uint64  // key of tokens
	promptTokens float64 // of the whole prompt, as estimated
	perToken     float64 // bytes of canonical prompt
	bytes        int     // of canonical prompt
	exact        bool    // bytes is the whole prompt
	streams      bool    // the answer will show its first token
	touched      uint32  // when the last matched block was, ms

	phase    phase
	endpoint int     // that holds the count, from Begin on
	moved    bool    // it is not the one first chosen
	begun    int64   // ns
	first    int64   // when the first token came, ns; 0: not yet
	ahead    float64 // tokens queued at the endpoint before this one's
	tokens   float64 // of the prompt to be computed there, as estimated
}

// phase is how far a request has come.
type phase uint8

const (
	decided phase = iota
	waiting       // for the first token
	running
	ended
)

// Term is one number that a policy weighed.
type Term struct {
	Name  string // snake_case, unit included where it has one
	Value float64
}

// ExpectedTokens is the number of the prompt's tokens that the endpoint is believed to hold, as estimated.
func (d *Decision) ExpectedTokens() int {
	return int(d.ExpectedHit())
}

// held is the tokens of the prompt that are cached, as estimated, where its first blocks are and the next is not: somewhere
// within that one prompts part, or the one that was cached ended, half of it in the mean.
func (d *Decision) held(blocks int) float64 {
	if blocks == 0 {
		return 0
	}
	covered := d.Chain.Covered(blocks)
	next := d.bytes - covered
	if blocks < d.Total {
		next = d.Chain.Covered(blocks+1) - covered
	}
	return (float64(covered) + float64(max(next, 0))/2) / d.perToken
}

// share is the part of the prompt that its first blocks are, 0 to 1; of its whole blocks, where all of it has been read.
func (d *Decision) share(blocks int) float64 {
	whole := float64(d.Chain.Covered(d.Total))
	if !d.exact {
		whole = max(whole, d.promptTokens*d.perToken)
	}
	return float64(d.Chain.Covered(blocks)) / whole
}

func (d *Decision) reset(p config.Policy) {
	d.Chain.Reset()
	*d = Decision{Policy: p, Home: -1, Order: d.Order[:0], Terms: d.Terms[:0], Chain: d.Chain}
}

func (d *Decision) term(name string, value float64) {
	d.Terms = append(d.Terms, Term{Name: name, Value: value + 0}) // + 0: no negative zero
}

// putFirst makes the decision a probe of endpoint i; the others are what it falls back to.
func (d *Decision) putFirst(i int) {
	d.Reason, d.Margin = Probe, 0
	last := i
	for at, e := range d.Order {
		d.Order[at], last = last, e
		if e == i {
			return
		}
	}
}

// ExpectedHit is how many tokens of the prompt the first endpoint's cache is believed to hold: what to hold against the
// replica's cached_tokens.
func (d *Decision) ExpectedHit() float64 {
	return min(d.held(d.Matched), d.promptTokens)
}

// Append writes the decision to dst as `name=value` pairs joined by ';' and returns the extended slice. It holds
// names, numbers and addresses only, never prompt text. Endpoints are written by address.
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
		dst = appendHex(dst, d.Key)
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
		dst = strconv.AppendInt(dst, int64(d.ExpectedHit()+0.5), 10)
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
	return strconv.AppendFloat(dst, value, 'g', 6, 64)
}

// appendHex writes v in 16 hexadecimal digits.
func appendHex(dst []byte, v uint64) []byte {
	const digits = "0123456789abcdef"
	for shift := 60; shift >= 0; shift -= 4 {
		dst = append(dst, digits[v>>shift&15])
	}
	return dst
}
