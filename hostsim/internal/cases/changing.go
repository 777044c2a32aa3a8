package cases

import (
	"fmt"
	"math/rand/v2"
	"time"

	"warmroute/hostsim/internal/replay"
)

// Changing is how a fleet changes while a load comes. The zero Changing is that it does not.
type Changing struct {
	Kind  Kind
	Part  int     // Scales, Shrinks: so many of the replicas
	Away  float64 // Restarts: share of the load's time that one is away
	Begin float64 // share of the load's time after which it begins
	End   float64 // and ends
}

// Kind is what happens.
type Kind string

// The kinds.
const (
	Rollout  Kind = "rollout"  // each replica in turn is replaced: a new one at a new address joins, and the old one leaves
	Restarts Kind = "restarts" // each in turn leaves, and is back at its address after a while
	Restart  Kind = "restart"  // one does
	Scales   Kind = "scales"   // the last ones are not there at first, and join together
	Shrinks  Kind = "shrinks"  // the last ones leave together
)

func (c *Changing) String() string {
	switch c.Kind {
	case Scales, Shrinks:
		return fmt.Sprintf("%s by %d at %.2f", c.Kind, c.Part, c.Begin)
	case Restart:
		return fmt.Sprintf("%s at %.2f for %.2f", c.Kind, c.Begin, c.Away)
	}
	return fmt.Sprintf("%s from %.2f to %.2f", c.Kind, c.Begin, c.End)
}

// apply sets what the replicas of a replay do, of which the trace is set.
func (c *Changing) apply(o *replay.Options) {
	span := float64(time.Duration(o.LastArrival()))
	at := func(share float64) time.Duration { return replay.SettleIn + time.Duration(share*span) }
	add := func(replica int, share float64, joins bool) {
		o.Changes = append(o.Changes, replay.Change{Replica: replica, At: at(share), Joins: joins})
	}
	n := o.Replicas
	turn := func(i int) float64 { return c.Begin + (c.End-c.Begin)*float64(i)/float64(n) }
	switch c.Kind {
	case Rollout:
		o.Rollout(replay.Span{From: at(c.Begin), To: at(c.End)})
	case Restarts:
		for i := range n {
			add(i, turn(i), false)
			add(i, turn(i)+min(c.Away, (c.End-c.Begin)/float64(n)*0.9), true)
		}
	case Restart:
		add(0, c.Begin, false)
		add(0, c.Begin+c.Away, true)
	case Scales, Shrinks:
		for i := n - c.Part; i < n; i++ {
			add(i, c.Begin, c.Kind == Scales)
		}
	}
}

// DrawnChanging are n cases that nobody chose, as those of Drawn, whose fleets change.
func DrawnChanging(n int, seed uint64) (cases []Case) {
	for i := uint64(0); len(cases) < n; i++ {
		c := drawCase(rand.New(rand.NewPCG(seed, 100+i)))
		if c.Clients > 0 { // how long it takes is not known before
			continue
		}
		if c.Changing = drawChanging(rand.New(rand.NewPCG(seed, 9000+i)), &c); c.Changing.Kind == "" {
			continue
		}
		c.Drawn, c.ID = true, fmt.Sprintf("changing-%d-%d", seed, i+1)
		c.What += "; " + c.Changing.String()
		cases = append(cases, c)
	}
	return cases
}

func drawChanging(rng *rand.Rand, c *Case) Changing {
	d := Changing{Kind: oneOf(rng, Rollout, Restarts, Restart, Scales, Shrinks), Begin: 0.1 + 0.4*rng.Float64()}
	d.End = d.Begin + 0.1 + (0.8-d.Begin)*rng.Float64()
	d.Part = 1 + int(rng.Float64()*float64(c.Replicas)/2)
	d.Away = 0.02 + 0.2*rng.Float64()
	if d.Kind == Rollout && (c.Second != nil || len(c.Slower) > 0) || d.Kind != Rollout && c.Replicas == 1 || d.Part >= c.Replicas && d.Kind != Rollout && d.Kind != Restarts && d.Kind != Restart {
		return Changing{}
	}
	return d
}
