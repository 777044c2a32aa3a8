package peers

import (
	"math/rand/v2"
	"slices"

	"warmroute/hostsim/internal/trace"
	"warmroute/hostsim/internal/vllm"
)

const aboutLoadAware = "vLLM production-stack, routing logic loadaware: the highest matched share of the prompt − beta × (requests in flight − mean) ÷ max(1, mean), beta 1; where no replica holds any of it, the one with the fewest requests a second in the last 60 s. " +
	"Read: pull request 1035, the use case page \"Load Aware Routing\" and the page of the router's options (request-stats-window 60). LMCache's controller, which knows what is held, is taken to see the last chunks of 256 tokens (LMCache's default) that were sent to a replica, as many as its KV cache has room for; " +
	"its memory outside the GPU is not there. Left open, and drawn here: ties."

// loadAware weighs the match against the load.
type loadAware struct {
	*known
	rng  *rand.Rand
	now  int64
	sent [][]int64 // when each replica was sent a request, within the window
}

const (
	loadAwareChunk = 256 // tokens
	loadAwareBeta  = 1.0
	loadAwareSpan  = 60e9 // ns over which requests a second are counted
)

func newLoadAware(rng *rand.Rand) policy {
	return &loadAware{known: &known{size: loadAwareChunk * trace.BytesPerToken}, rng: rng}
}

func (l *loadAware) join(address string) {
	l.known.join(address)
	l.sent = append(l.sent, nil)
}

func (l *loadAware) leave(replica int) {
	l.known.leave(replica)
	l.sent = slices.Delete(l.sent, replica, replica+1)
}

func (l *loadAware) scraped(_ int, s vllm.Stats) {
	l.known.capacity = max(s.Blocks*s.BlockSize/loadAwareChunk, 1)
}

func (l *loadAware) advance(now int64) { l.now = now }

func (l *loadAware) pick(r *request) (int, string) {
	text, inFlight := r.prompt.Text, r.inFlight
	l.known.read(r.prompt, 0)
	mean := 0.0
	for _, n := range inFlight {
		mean += float64(n) / float64(len(inFlight))
	}
	costs, lately, matched := make([]float64, len(inFlight)), make([]int, len(inFlight)), make([]int, len(inFlight))
	for i, load := range inFlight {
		matched[i] = l.known.matched(i)
		old, _ := slices.BinarySearch(l.sent[i], l.now-loadAwareSpan)
		l.sent[i] = l.sent[i][old:]
		lately[i] = len(l.sent[i])
		costs[i] = loadAwareBeta*(float64(load)-mean)/max(mean, 1) - float64(matched[i]*l.known.size)/float64(max(len(text), 1))
	}
	to, most := least(lately, l.rng), slices.Max(matched)
	if most > 0 {
		to = least(costs, l.rng)
	}
	l.sent[to] = append(l.sent[to], l.now)
	l.known.send(to)
	return to, reasonOf(matched[to], most)
}
