package replay

import (
	"encoding/json"
	"fmt"
	"net"
	"slices"
	"strconv"
	"time"

	"warmroute/hostsim/internal/router"
	"warmroute/hostsim/internal/vllm"
)

// Change is that a replica joins or leaves while requests come. The module discovers it by its own calls of the proxy's admin
// interface; a Watcher is told at once. A replica whose first change is that it joins is not there before.
type Change struct {
	Replica int
	At      time.Duration // of virtual time
	Joins   bool          // with an empty cache; else it leaves: it gets no more requests, and ends those that it has
}

// SettleIn is how long the gateways have to discover the first replicas before requests come.
const SettleIn = 2 * time.Second

const discovered = "replicas" // the cluster whose hosts are the replicas

// changing says whether replicas join or leave.
func (o *Options) changing() bool { return len(o.Changes) > 0 }

// checkChanges says what is wrong with Options.Changes, and sorts them by time.
func (o *Options) checkChanges() error {
	if !o.changing() {
		return nil
	}
	if o.Ranks > 1 || o.Zones != (Zones{}) || len(o.Models.Names) > 1 || o.Cores > 0 {
		return fmt.Errorf("replicas that join or leave go with no ranks, zones, shared cores or several models")
	}
	o.Changes = slices.Clone(o.Changes)
	slices.SortStableFunc(o.Changes, func(a, b Change) int { return int(a.At - b.At) })
	for _, c := range o.Changes {
		if c.Replica < 0 || c.Replica >= o.Replicas || c.At <= 0 {
			return fmt.Errorf("replica %d that joins or leaves at %v: there are replicas 0 to %d, and times above 0", c.Replica, c.At, o.Replicas-1)
		}
	}
	if first := &o.Changes[0]; !o.Closed && float64(first.At) > float64(SettleIn)+o.LastArrival() {
		return fmt.Errorf("replica %d joins or leaves at %v, after the last request: that comes at %v", first.Replica, first.At, (SettleIn + time.Duration(o.LastArrival())).Round(time.Second))
	}
	there := o.first()
	n := count(there)
	if n == 0 {
		return fmt.Errorf("no replica is there before the first joins")
	}
	for _, c := range o.Changes {
		switch {
		case there[c.Replica] && c.Joins:
			return fmt.Errorf("replica %d joins at %v, and is there", c.Replica, c.At)
		case !there[c.Replica] && !c.Joins:
			return fmt.Errorf("replica %d leaves at %v, and is not there", c.Replica, c.At)
		case c.Joins:
			n++
		default:
			n--
		}
		if there[c.Replica] = c.Joins; n == 0 {
			return fmt.Errorf("at %v no replica is left", c.At)
		}
	}
	return nil
}

// Rollout replaces each replica in turn, evenly over a span of time: a new one joins at another address, and the old one leaves.
func (o *Options) Rollout(s Span) {
	n := o.Replicas
	for i := range n {
		at := s.From + (s.To-s.From)*time.Duration(i)/time.Duration(n)
		o.Changes = append(o.Changes, Change{Replica: n + i, At: at, Joins: true}, Change{Replica: i, At: at})
	}
	o.Replicas = 2 * n
}

// first says which replicas are there before any change.
func (o *Options) first() []bool {
	there := slices.Repeat([]bool{true}, o.Replicas)
	for _, c := range slices.Backward(o.Changes) {
		there[c.Replica] = !c.Joins
	}
	return there
}

func count(there []bool) (n int) {
	for _, is := range there {
		if is {
			n++
		}
	}
	return n
}

// discover makes the gateways discover the replicas.
func (o *Options) discover(configuration map[string]any) {
	if o.changing() {
		configuration["endpoints"] = []string{}
		configuration["discovery"] = map[string]any{"cluster": discovered, "admin_cluster": "admin"}
	}
}

// former is the engine of a replica that another has replaced. It ends what it has.
type former struct {
	replica int
	engine  *vllm.Engine
}

// change lets replicas join and leave that do so by now.
func (r *run) change() error {
	var joined, left []string
	for len(r.changes) > 0 && int64(r.changes[0].At) <= r.now {
		c := r.changes[0]
		r.changes, r.there[c.Replica] = r.changes[1:], c.Joins
		if !c.Joins {
			left = append(left, r.address(c.Replica))
			continue
		}
		joined = append(joined, r.address(c.Replica))
		r.former = append(r.former, former{c.Replica, r.replicas[c.Replica]})
		var err error
		if r.replicas[c.Replica], err = r.newReplica(c.Replica); err != nil {
			return err
		}
	}
	if joined != nil || left != nil {
		r.tellWatchers(r.gateways, joined, left)
	}
	return nil
}

func (r *run) tellWatchers(gateways []router.Engine, joined, left []string) {
	for _, g := range gateways {
		if w, ok := g.(router.Watcher); ok {
			w.Watch(joined, left)
		}
	}
}

// addresses are those of the replicas that are there.
func (r *run) addresses() (list []string) {
	for i, there := range r.there {
		if there {
			list = append(list, r.address(i))
		}
	}
	return list
}

// hosts is the admin interface's page at this time.
func (r *run) hosts() []byte {
	var list []any
	for _, address := range r.addresses() {
		host, port, _ := net.SplitHostPort(address)
		number, _ := strconv.Atoi(port)
		list = append(list, map[string]any{
			"address": map[string]any{"socket_address": map[string]any{"address": host, "port_value": number}},
			"weight":  1, "health_status": map[string]any{"eds_health_status": "HEALTHY"},
		})
	}
	page, err := json.Marshal(map[string]any{"cluster_statuses": []any{map[string]any{"name": discovered, "host_statuses": list}}})
	if err != nil {
		panic(err) // strings and numbers only
	}
	return page
}

// anyThere is where a proxy sends a request that is steered to a replica that has left, or to none.
func (r *run) anyThere() int {
	n := r.rng.IntN(count(r.there))
	for i, there := range r.there {
		if there {
			if n == 0 {
				return i
			}
			n--
		}
	}
	return -1 // cannot be: checkChanges
}
