package peers

import (
	"math/rand/v2"
	"slices"
)

const aboutSGLang = "SGLang's gateway and vLLM's router, policy cache_aware: where loads differ by more than 64 and by a factor above 1.5, the shortest queue; else the replica whose tree matches more than .3 of the prompt, " +
	"best first; else the shortest queue. Read: the options of both with their defaults in 2026 (cache-threshold .3, balance-abs-threshold 64, balance-rel-threshold 1.5, max-tree-size 2^26) and the comments of their policies. " +
	"Pages that give other defaults (.5, 32) or the smallest tree for prompts that match less describe earlier versions. Ours counts in runs of 16 characters where their radix tree counts single ones."

const aboutSGLangLMetric = "SGLang's gateway, policy lmetric: the least product of the prompt's characters that the replica's tree does not match and the requests in flight there + 1; among equals the fewest in flight, then the first. Read: issue 29573 and the comments of the policy. Its tree is that of sglang."

// sglang goes by an approximate tree of each replica.
type sglang struct {
	*known
	multiply bool
}

const (
	sglangRun       = 16
	sglangTree      = 1 << 26
	sglangThreshold = 0.3
	sglangAbs       = 64
	sglangRel       = 1.5
)

func newSGLang(*rand.Rand) policy { return &sglang{newSGLangTree(), false} }

func newSGLangLMetric(*rand.Rand) policy { return &sglang{newSGLangTree(), true} }

func newSGLangTree() *known { return &known{size: sglangRun, capacity: sglangTree / sglangRun} }

func (s *sglang) pick(r *request) (int, string) {
	blocks := s.known.read(r.prompt, 0)
	choose := s.choose
	if s.multiply {
		choose = s.chooseProduct
	}
	to, reason := choose(blocks, r.inFlight)
	s.known.send(to)
	return to, reason
}

func (s *sglang) choose(blocks int, inFlight []int) (int, string) {
	low, high := slices.Min(inFlight), slices.Max(inFlight)
	idle := slices.Index(inFlight, low)
	if high-low > sglangAbs && float64(high) > sglangRel*float64(low) {
		return idle, "by_load"
	}
	best, matched := 0, 0
	for i := range inFlight {
		if n := s.known.matched(i); n > matched {
			best, matched = i, n
		}
	}
	if float64(matched) > sglangThreshold*float64(blocks) {
		return best, "match"
	}
	return idle, "by_load"
}

func (s *sglang) chooseProduct(blocks int, inFlight []int) (int, string) {
	best, least, matched, most := 0, 0, 0, 0
	for i, n := range inFlight {
		m := s.known.matched(i)
		most = max(most, m)
		product := (blocks - m) * (n + 1)
		if i == 0 || product < least || product == least && n < inFlight[best] {
			best, least, matched = i, product, m
		}
	}
	return best, reasonOf(matched, most)
}
