package worker

import (
	"warmroute/plugin/config"
	"warmroute/plugin/decision"
	"warmroute/plugin/route"
)

// Arm says which policy an experiment has given a request to.
type Arm uint8

// The arms. A request that names no session is in none, unless the arms take turns: nothing would keep its next turn in the same
// one.
const (
	NoArm Arm = iota
	Live
	Experimental
)

// ArmNames are the values of the metrics' label.
var ArmNames = [...]string{NoArm: "", Live: "live", Experimental: "experiment"}

// Groups is the number of groups into which sessions fall within an arm, by chance, or the blocks of time in turn. Requests of one
// session or time are alike, so how far a mean is off by chance shows in how groups of whole sessions or blocks differ, and not in
// how requests do.
const Groups = 16

// experiment routes a share of the sessions, or of the time, by another policy, over the same pool: the same caches, queues and
// endpoints.
type experiment struct {
	choice decision.Choice // of the policy
	below  uint64          // sessions whose number is below this are the experiment's
	all    bool
	// The policies take turns where window is not 0: in each block the experiment's has its first or its last ns.
	window, block int64
	seed          uint64 // of which
}

// newExperiment makes the experiment that cfg asks for; nil: none.
func newExperiment(cfg *config.Config) *experiment {
	e := cfg.Experiment
	if e.Share <= 0 {
		return nil
	}
	block := int64(min(float64(e.Window)/e.Share, 1<<62))
	return &experiment{decision.ChoiceOf(e.Policy), uint64(e.Share * (1 << 53)), e.Share >= 1, e.Window, block, cfg.Seed}
}

// choose is the choice by which a request is routed, its arm, and its group. One that has chosen a policy itself is in no arm.
func (e *experiment) choose(own decision.Choice, req *decision.Request) (choice decision.Choice, arm Arm, group int) {
	if e == nil || own != 0 {
		return own, NoArm, 0
	}
	if e.window > 0 {
		arm, group = e.turn(req.Now)
	} else {
		arm, group = e.arm(req)
	}
	if arm == Experimental {
		choice = e.choice
	}
	// Queues and caches are the former policy's for a while after a change.
	if e.window > 0 {
		if before, _ := e.turn(req.Now - e.window/4); before != arm {
			arm = NoArm
		}
	}
	return choice, arm, group
}

// turn is the arm whose policy routes at a time, and the group of its block: in all workers and gateways the same. Blocks
// have both arms, so that what changes over the day is in both.
//
//go:noinline
func (e *experiment) turn(now int64) (arm Arm, group int) {
	block, at := now/e.block, now%e.block
	if mix(uint64(block)^e.seed)&1 != 0 {
		at = e.block - 1 - at
	}
	if at < e.window {
		arm = Experimental
	} else {
		arm = Live
	}
	return arm, int(block % Groups)
}

// arm is that of a request's session, and its group. It depends on the session and the share alone, in all workers and gateways,
// and a session that is the experiment's stays so while the share rises.
func (e *experiment) arm(req *decision.Request) (arm Arm, group int) {
	key, ok := route.Session(req)
	if !ok {
		return NoArm, 0
	}
	z := mix(key)           // what the ring does with the key does not depend on the arm
	group = int(z % Groups) // bits that the arm does not depend on
	if e.all || z>>11 < e.below {
		return Experimental, group
	}
	return Live, group
}

// mix is the finalizer of splitmix64 (Steele, Lea, Flood 2014).
//
//go:noinline
func mix(z uint64) uint64 {
	z += 0x9E3779B97F4A7C15
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// Arm is the experiment's arm that the request is in; NoArm without an experiment.
func (x *Exchange) Arm() Arm { return x.arm }

// Group is the group of its session or time, 0 to Groups − 1, where it is in an arm.
func (x *Exchange) Group() int { return x.group }
