package peers

import (
	"math/rand/v2"
	"slices"
)

const aboutSGLang = "SGLang's router, policy cache_aware: where loads differ by more than 32 and by a factor above 1.1, the shortest queue; else the replica whose tree matches more than half of the prompt, " +
	"best first; else the one with the smallest tree. Read: the router's documentation page and README (cache_threshold 0.5, balance_abs_threshold 32; balance_rel_threshold is given as 1.0001 there and 1.1 in its help, which is taken; " +
	"max_tree_size 2^24). Ours counts in runs of 16 characters where their radix tree counts single ones."

// sglang goes by an approximate tree of each replica.
type sglang struct{ *known }

const (
	sglangRun       = 16
	sglangTree      = 1 << 24
	sglangThreshold = 0.5
	sglangAbs       = 32
	sglangRel       = 1.1
)

func newSGLang(*rand.Rand) policy {
	return &sglang{&known{size: sglangRun, capacity: sglangTree / sglangRun}}
}

func (s *sglang) pick(r *request) (int, string) {
	blocks := s.known.read(r.prompt.Text, 0)
	to, reason := s.choose(blocks, r.inFlight)
	s.known.send(to)
	return to, reason
}

func (s *sglang) choose(blocks int, inFlight []int) (int, string) {
	low, high := slices.Min(inFlight), slices.Max(inFlight)
	if high-low > sglangAbs && float64(high) > sglangRel*float64(low) {
		return slices.Index(inFlight, low), "by_load"
	}
	best, matched, smallest := 0, 0, 0
	for i := range inFlight {
		if n := s.known.matched(i); n > matched {
			best, matched = i, n
		}
		if s.known.held(i) < s.known.held(smallest) {
			smallest = i
		}
	}
	if float64(matched) > sglangThreshold*float64(blocks) {
		return best, "match"
	}
	return smallest, "smallest_tree"
}
