package route

import (
	"strconv"

	"warmroute/plugin/config"
)

// Reason says why the first endpoint of a decision is first. Each is a metric label: the set is small and fixed.
type Reason uint8

// The reasons.
const (
	ByChance Reason = iota // drawn at random
	ByTurn                 // its turn had come
	AtHome                 // the ring's own endpoint for the affinity key
	Bounded                // the home was over the load bound; the next on the ring below it
	ByLoad                 // nothing was known of the prompt; the least loaded
)

// Reasons holds the name of each reason.
var Reasons = []string{"random", "round_robin", "home", "bounded", "by_load"}

func (r Reason) String() string { return Reasons[r] }

// Decision is an order of endpoints and the grounds for it.
type Decision struct {
	Policy config.Policy
	Reason Reason
	Why    string // by_load: what was wrong with the prompt
	Order  []int  // endpoints to try, best first
	Key    uint64 // affinity key; meaningful when HasKey
	HasKey bool
	Home   int    // endpoint that the ring gives the key to; -1 without a ring
	Terms  []Term // what the policy weighed
}

// Term is one number that a policy weighed.
type Term struct {
	Name  string // snake_case, unit included where it has one
	Value float64
}

func (d *Decision) reset(p config.Policy) {
	*d = Decision{Policy: p, Home: -1, Order: d.Order[:0], Terms: d.Terms[:0]}
}

func (d *Decision) term(name string, value float64) {
	d.Terms = append(d.Terms, Term{Name: name, Value: value})
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
	for _, t := range d.Terms {
		dst = append(dst, ';')
		dst = append(dst, t.Name...)
		dst = append(dst, '=')
		dst = strconv.AppendFloat(dst, t.Value, 'g', -1, 64)
	}
	return dst
}

// appendHex writes v in 16 hexadecimal digits.
func appendHex(dst []byte, v uint64) []byte {
	const digits = "0123456789abcdef"
	for shift := 60; shift >= 0; shift -= 4 {
		dst = append(dst, digits[v>>shift&15])
	}
	return dst
}
