package replay

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"warmroute/hostsim/internal/due"
	"warmroute/hostsim/internal/router"
)

// Sync says how the gateways of a run share news.
type Sync struct {
	Interval   time.Duration // between two asks of one gateway; 0: they share nothing
	Delay      time.Duration // of a message, one way
	Loss       float64       // share of the messages that are lost, 0 to 1
	Partitions []Span        // in which the first half of the gateways and the others do not reach each other
	Restarts   []Restart
}

// Span is a part of a run's time.
type Span struct{ From, To time.Duration }

// Restart is that a gateway ends, and begins again without any knowledge. Requests under way end at the old process, which asks and
// answers no more.
type Restart struct {
	Gateway int
	At      time.Duration
}

// Traffic is what the gateways of a run have told each other.
type Traffic struct {
	Asks     int `json:"asks"`
	Lost     int `json:"lost"`
	Bytes    int `json:"bytes"` // of pages
	Largest  int `json:"largest_page_bytes"`
	Refused  int `json:"refused"`
	AskBytes int `json:"ask_bytes"`
}

// network carries asks and answers between gateways in virtual time, and restarts gateways.
type network struct {
	Sync
	run     *run
	rng     *rand.Rand
	events  due.Queue
	traffic Traffic
	places  map[string]int // gateways by address
}

func newNetwork(r *run, s Sync) *network {
	n := &network{Sync: s, run: r, rng: rand.New(rand.NewPCG(r.Seed, 3)), places: map[string]int{}}
	for i := range r.Gateways {
		n.places[gatewayAddress(i)] = i
	}
	return n
}

func gatewayAddress(i int) string { return fmt.Sprintf("10.1.%d.%d:%d", i/256, i%256, router.NewsPort) }

// members is what the gateways' configuration says of each other.
func (s *Sync) members(gateways int) map[string]any {
	var addresses []string
	for i := range gateways {
		addresses = append(addresses, gatewayAddress(i))
	}
	return map[string]any{
		"cluster": router.GatewaysCluster, "addresses": addresses, "interval": fmt.Sprintf("%dus", s.Interval.Microseconds()), "listener_port": router.NewsPort,
	}
}

// connect puts gateway i's present engine onto the network.
func (n *network) connect(i int) {
	engine, ok := n.run.gateways[i].(router.Peered)
	if !ok || n.Interval == 0 {
		return
	}
	engine.Connect(func(to, ask string, done func(int, []byte)) {
		n.traffic.Asks++
		n.traffic.AskBytes += len(ask)
		target := n.index(to)
		if target < 0 || n.run.gateways[i] != engine.(router.Engine) {
			return
		}
		n.post(i, target, func() {
			n.serve(i, target, ask, func(status int, page []byte) {
				if n.run.gateways[i] == engine.(router.Engine) {
					done(status, page)
				}
			})
		})
	})
}

// serve hands an ask to a worker of a gateway, and carries its answer back to the asker unless the gateway has begun anew since.
func (n *network) serve(asker, at int, ask string, done func(status int, page []byte)) {
	asked, ok := n.run.gateways[at].(router.Peered)
	if !ok {
		return
	}
	asked.Serve(n.rng.IntN(n.run.Workers), ask, func(status int, page []byte) {
		page = slices.Clone(page)
		n.traffic.Bytes += len(page)
		n.traffic.Largest = max(n.traffic.Largest, len(page))
		if status != 200 {
			n.traffic.Refused++
		}
		if n.run.gateways[at] == asked.(router.Engine) {
			n.post(at, asker, func() { done(status, page) })
		}
	})
}

func (n *network) index(address string) int {
	if i, ok := n.places[address]; ok {
		return i
	}
	return -1
}

// post sends a message, unless it is lost.
func (n *network) post(from, to int, arrive func()) {
	half := (len(n.run.gateways) + 1) / 2
	lost := n.rng.Float64() < n.Loss && from != to
	for _, p := range n.Partitions {
		if n.run.now >= int64(p.From) && n.run.now < int64(p.To) && (from < half) != (to < half) {
			lost = true
		}
	}
	if lost {
		n.traffic.Lost++
		return
	}
	n.events.Send(n.run.now+int64(n.Delay), func() error {
		arrive()
		return nil
	})
}

// next is when the next message arrives or a gateway restarts; false if there is none.
func (n *network) next() (at int64, ok bool) {
	at, ok = n.events.Next()
	if len(n.Restarts) > 0 && (!ok || int64(n.Restarts[0].At) < at) {
		at, ok = int64(n.Restarts[0].At), true
	}
	return at, ok
}

// happen lets come what is due.
func (n *network) happen() error {
	for len(n.Restarts) > 0 && int64(n.Restarts[0].At) <= n.run.now {
		if err := n.run.restart(n.Restarts[0].Gateway); err != nil {
			return err
		}
		n.Restarts = n.Restarts[1:]
	}
	return n.events.ArriveBy(n.run.now)
}
