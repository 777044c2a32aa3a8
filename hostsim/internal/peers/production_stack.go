package peers

import "math/rand/v2"

const aboutProductionStack = "vLLM production-stack, routing logic prefixaware: a trie of hashes of 128 characters each; among the replicas with the longest match one at random, whatever their load; nothing is forgotten. " +
	"Read: the use case page \"Prefix Aware Routing\", pull requests 432 and 959 (prefix-min-match-length 0 by default) and issues 957 and 687. Not replayed: kvaware."

// productionStack goes by the longest match alone.
type productionStack struct {
	*known
	rng *rand.Rand
}

const productionStackChunk = 128

func newProductionStack(rng *rand.Rand) policy {
	return &productionStack{&known{size: productionStackChunk}, rng}
}

func (s *productionStack) pick(r *request) (int, string) {
	s.known.read(r.prompt, 0)
	costs, most := make([]int, len(r.inFlight)), 0
	for i := range costs {
		n := s.known.matched(i)
		costs[i], most = -n, max(most, n)
	}
	to := least(costs, s.rng)
	s.known.send(to)
	if most == 0 {
		return to, "random"
	}
	return to, "match"
}
