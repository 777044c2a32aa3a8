package peers

import (
	"math/rand/v2"
	"slices"
)

const aboutDynamo = "NVIDIA Dynamo's KV router with KV events: the least sum of prefill blocks (prompt tokens without a first token at the worker, and this prompt's that it does not hold) and decode blocks (different blocks of prompts under way there, this one's included), ties at random. " +
	"A block in host memory counts .75 of one that is held. Read: \"Routing Concepts\", \"Configuration and Tuning\" and \"Router Design\" of 1.2 to 1.6 (overlap credit 1, prefill load scale 1, host weight .75, temperature 0, output blocks not tracked, no queue, no predicted entries, no synchronization of routers). " +
	"Events are taken to come at once, and prompts to be tokenized as the replicas do. Of an answer that is not streamed its frontend, which is beside the engines, would see the first token; here it sees the end."

const aboutLMetric = "NVIDIA Dynamo's KV router with router_selection_policy lmetric: the least product of prefill blocks and decode blocks + 1, else as dynamo; the rule of LMetric (OSDI 2026). Read: \"Routing Concepts\" of Dynamo 1.2 to 1.6."

// dynamo adds up, or multiplies, what is to be computed and what is under way.
type dynamo struct {
	heard
	rng      *rand.Rand
	multiply bool
	prefill  []int    // by replica: uncached tokens of prompts without a first token
	active   []active // by replica: the prompts under way
	partial  []int    // by replica: requests under way, each of which has a last block of its own
}

const dynamoHost = 0.75

func newDynamo(rng *rand.Rand) policy { return &dynamo{rng: rng} }

func newLMetric(rng *rand.Rand) policy { return &dynamo{rng: rng, multiply: true} }

func (d *dynamo) join(string) {
	d.prefill, d.active, d.partial = append(d.prefill, 0), append(d.active, active{}), append(d.partial, 0)
}

func (d *dynamo) leave(replica int) {
	d.prefill, d.active = slices.Delete(d.prefill, replica, replica+1), slices.Delete(d.active, replica, replica+1)
	d.partial = slices.Delete(d.partial, replica, replica+1)
}

func (d *dynamo) pick(r *request) (int, string) {
	costs, uncached := make([]float64, len(d.prefill)), make([]int, len(d.prefill))
	best, most := make([]int, len(costs)), 0
	for i := range costs {
		held, inHost := d.held(i, r.blocks)
		best[i] = held
		most = max(most, held)
		uncached[i] = max(r.tokens-held*d.blockSize-int(dynamoHost*float64(inHost*d.blockSize)), 0)
		prefill := float64(d.prefill[i]+uncached[i]) / float64(d.blockSize)
		decode := float64(d.active[i].blocks + d.partial[i] + len(r.blocks) - d.active[i].shared(r.blocks) + 1)
		if costs[i] = prefill + decode; d.multiply {
			costs[i] = prefill * (decode + 1)
		}
	}
	to := least(costs, d.rng)
	r.charged = uncached[to]
	d.prefill[to] += r.charged
	d.partial[to]++
	d.active[to].add(r.blocks)
	return to, reasonOf(best[to], most)
}

func (d *dynamo) first(replica int, r *request) {
	d.prefill[replica] -= r.charged
	r.charged = 0
}

func (d *dynamo) end(replica int, r *request) {
	d.first(replica, r)
	d.partial[replica]--
	d.active[replica].remove(r.blocks)
}
