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

// choose is the choice by which a request is routed, and its arm. One that has chosen a policy itself is in no arm.
func (e *experiment) choose(own route.Choice, req *route.Request) (route.Choice, Arm) {
	if e == nil || own != 0 {
		return own, NoArm
	}
	arm := e.arm(req)
	if arm == Experimental {
		return e.choice, arm
	}
	return 0, arm
}

// arm is that of a request's session. It depends on the session and the share alone, in all workers and gateways, and a session
// that is the experiment's stays so while the share rises.
func (e *experiment) arm(req *route.Request) Arm {
	key, ok := route.Session(req)
	if !ok {
		return NoArm
	}
	// The finalizer of splitmix64 (Steele, Lea, Flood 2014): what the ring does with the key does not depend on the arm.
	z := key + 0x9E3779B97F4A7C15
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	z ^= z >> 31
	if e.all || z>>11 < e.below {
		return Experimental
	}
	return Live
}

// Arm is the experiment's arm that the request is in; NoArm without an experiment.
func (x *Exchange) Arm() Arm { return x.arm }
