package peers

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

const aboutAIBrix = "AIBrix, routing strategy prefix-cache: where running requests differ by more than 16 between replicas, the one with the fewest; else the replicas that match some of the prompt, the longest match first and then the fewest requests, " +
	"of which the first with at most the mean and twice the standard deviation of running requests is taken; else the one with the fewest. Blocks of 128 characters, 200,000 in all. Read: the README of AIBrix' routing algorithms with its pseudo-code and defaults " +
	"(the pseudo-code's remark says 8 where the list of settings says 16)."

// aibrix filters matches by load.
type aibrix struct {
	*known
	rng *rand.Rand
}

const (
	aibrixBlock      = 128
	aibrixBlocks     = 200_000
	aibrixImbalance  = 16
	aibrixDeviations = 2.0
)

func newAIBrix(rng *rand.Rand) policy { return &aibrix{&known{size: aibrixBlock}, rng} }

func (a *aibrix) join(address string) {
	a.known.join(address)
	a.capacity = aibrixBlocks / len(a.replicas)
}

func (a *aibrix) leave(replica int) {
	a.known.leave(replica)
	a.capacity = aibrixBlocks / max(len(a.replicas), 1)
}

func (a *aibrix) pick(r *request) (int, string) {
	blocks := a.known.read(r.prompt, 0)
	to, reason := a.choose(blocks, r.inFlight)
	a.known.send(to)
	return to, reason
}

func (a *aibrix) choose(_ int, inFlight []int) (int, string) {
	if spread(inFlight) > aibrixImbalance {
		return least(inFlight, a.rng), "by_load"
	}
	mean, square := 0.0, 0.0
	for _, n := range inFlight {
		mean += float64(n) / float64(len(inFlight))
	}
	for _, n := range inFlight {
		square += (float64(n) - mean) * (float64(n) - mean) / float64(len(inFlight))
	}
	type candidate struct{ replica, matched int }
	var matches []candidate
	for i := range inFlight {
		if n := a.known.matched(i); n > 0 {
			matches = append(matches, candidate{i, n})
		}
	}
	slices.SortStableFunc(matches, func(x, y candidate) int {
		return cmp.Or(y.matched-x.matched, inFlight[x.replica]-inFlight[y.replica])
	})
	for at, m := range matches {
		if float64(inFlight[m.replica]) <= mean+aibrixDeviations*math.Sqrt(square) {
			if at == 0 || m.matched == matches[0].matched {
				return m.replica, "match"
			}
			return m.replica, "relieved"
		}
	}
	return least(inFlight, a.rng), "by_load"
}
