package peers

import "math/rand/v2"

const aboutRay = "Ray Serve LLM, PrefixCacheAffinityRouter: where queues differ by more than 10, the shorter of two at random; else of the replicas whose tree matches most of the prompt, if that is .1 of it at least, the one with the shortest queue; else that of the smallest trees. " +
	"Read: \"Prefix-aware routing\" of Ray Serve's guides with its defaults (imbalanced_threshold 10, match_rate_threshold .1, do_eviction false). One tree serves all routers of a deployment; here each gateway has its own. Ours counts in runs of 16 characters where their tree counts single ones. Left open, and drawn here: ties. " +
	"Its KVAwareRouter asks Dynamo's selection service, and is dynamo."

// ray goes by a tree of each replica that forgets nothing.
type ray struct {
	*known
	rng *rand.Rand
}

const (
	rayRun        = 16 // characters
	rayImbalanced = 10
	rayRate       = 0.1
)

func newRay(rng *rand.Rand) policy { return &ray{&known{size: rayRun}, rng} }

func (y *ray) pick(r *request) (int, string) {
	blocks := y.known.read(r.prompt, 0)
	to, reason := y.choose(blocks, r.inFlight)
	y.known.send(to)
	return to, reason
}

func (y *ray) choose(blocks int, inFlight []int) (int, string) {
	if spread(inFlight) > rayImbalanced {
		a, b := y.rng.IntN(len(inFlight)), y.rng.IntN(len(inFlight)-1)
		if b >= a {
			b++
		}
		if inFlight[b] < inFlight[a] {
			a = b
		}
		return a, "by_load"
	}
	matched, held := make([]int, len(inFlight)), make([]int, len(inFlight))
	most, smallest := 0, y.known.held(0)
	for i := range inFlight {
		matched[i], held[i] = y.known.matched(i), y.known.held(i)
		most, smallest = max(most, matched[i]), min(smallest, held[i])
	}
	if most > 0 && float64(most) >= rayRate*float64(blocks) {
		return leastOf(inFlight, y.rng, func(i int) bool { return matched[i] == most }), "match"
	}
	return leastOf(inFlight, y.rng, func(i int) bool { return held[i] == smallest }), "smallest_tree"
}
