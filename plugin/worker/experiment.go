package worker

import (
	"warmroute/plugin/config"
	"warmroute/plugin/route"
)

// Arm says which policy an experiment has given a session to.
type Arm uint8

// The arms. A request that names no session is in none: nothing would keep its next turn in the same one.
const (
	NoArm Arm = iota
	Live
	Experimental
)

// ArmNames are the values of the metrics' label.
var ArmNames = [...]string{NoArm: "", Live: "live", Experimental: "experiment"}

// Groups is the number of groups into which sessions fall within an arm, by chance. Requests of one session are alike, so how far
// a mean is off by chance shows in how groups of whole sessions differ, and not in how requests do.
const Groups = 16

// experiment routes a share of the sessions by another policy, over the same pool: the same caches, queues and endpoints.
type experiment struct {
	choice route.Choice // of the policy
	below  uint64       // sessions whose number is below this are the experiment's
	all    bool
}

// newExperiment makes the experiment that cfg asks for; nil: none.
func newExperiment(cfg *config.Config) *experiment {
	share := cfg.Experiment.Share
	if share <= 0 {
		return nil
	}
	return &experiment{route.ChoiceOf(cfg.Experiment.Policy), uint64(share * (1 << 53)), share >= 1}
}

// choose is the choice by which a request is routed, its arm, and its group. One that has chosen a policy itself is in no arm.
func (e *experiment) choose(own route.Choice, req *route.Request) (choice route.Choice, arm Arm, group int) {
	if e == nil || own != 0 {
		return own, NoArm, 0
	}
	if arm, group = e.arm(req); arm == Experimental {
		return e.choice, arm, group
	}
	return 0, arm, group
}

// arm is that of a request's session, and its group. It depends on the session and the share alone, in all workers and gateways,
// and a session that is the experiment's stays so while the share rises.
func (e *experiment) arm(req *route.Request) (arm Arm, group int) {
	key, ok := route.Session(req)
	if !ok {
		return NoArm, 0
	}
	// The finalizer of splitmix64 (Steele, Lea, Flood 2014): what the ring does with the key does not depend on the arm.
	z := key + 0x9E3779B97F4A7C15
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	z ^= z >> 31
	group = int(z % Groups) // bits that the arm does not depend on
	if e.all || z>>11 < e.below {
		return Experimental, group
	}
	return Live, group
}

// Arm is the experiment's arm that the request is in; NoArm without an experiment.
func (x *Exchange) Arm() Arm { return x.arm }

// Group is the group of its session, 0 to Groups − 1, where it is in an arm.
func (x *Exchange) Group() int { return x.group }
