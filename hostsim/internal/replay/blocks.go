package replay

import (
	"fmt"

	"warmroute/hostsim/internal/render"
	"warmroute/hostsim/internal/trace"
	"warmroute/hostsim/internal/vllm"
)

// AsBlocks gives a trace of bodies as one of block ids: the full blocks of blockSize tokens that a replica would cache,
// and each prompt's tail as a block of its own. A trace of block ids is returned as it is. The requests keep their
// times, sessions and order. Errors: a body that a replica would not take.
func AsBlocks(t *trace.Trace, blockSize int) (*trace.Trace, error) {
	if t.BlockSize > 0 {
		return t, nil
	}
	out := *t
	out.BlockSize = blockSize
	out.Requests = make([]trace.Request, len(t.Requests))
	ids := map[uint64]uint32{}
	for i := range t.Requests {
		r := t.Requests[i]
		work, err := render.Request(r.Path, r.Body, r.OutputTokens)
		if err != nil {
			return nil, fmt.Errorf("request %d: %w", i, err)
		}
		r.Blocks, r.InputTokens = nil, work.PromptTokens
		for _, h := range fullBlocks(&work, blockSize) {
			id, ok := ids[h]
			if !ok {
				id = uint32(out.IDs)
				ids[h] = id
				out.IDs++
			}
			r.Blocks = append(r.Blocks, trace.Span{First: id, N: 1})
		}
		if work.PromptTokens%blockSize > 0 {
			r.Blocks = append(r.Blocks, trace.Span{First: uint32(out.IDs), N: 1})
			out.IDs++
		}
		out.Requests[i] = r
	}
	return &out, nil
}

// fullBlocks are the hashes of the full blocks of a body's prompt, chained: equal ones have equal blocks before them.
func fullBlocks(work *vllm.Request, blockSize int) []uint64 {
	if work.Hashes != nil {
		return work.Hashes
	}
	return vllm.ChainHashes(nil, work.Seed, work.Tokens[:work.PromptTokens], blockSize)
}

// repeats counts what one cache that never forgets would find of bodies as they come, which is bound.Infinite of their
// AsBlocks without reading each a second time: whatever the order, all but the first of equal blocks.
type repeats struct {
	seen        map[uint64]struct{}
	found, read int // tokens
}

func (s *repeats) add(work *vllm.Request, blockSize int) {
	before := len(s.seen)
	blocks := vllm.ChainHashes(nil, work.Seed, work.Tokens, blockSize)
	prompt := work.PromptTokens / blockSize
	for _, h := range blocks[:prompt] {
		s.seen[h] = struct{}{}
	}
	s.found += (prompt - (len(s.seen) - before)) * blockSize
	s.read += work.PromptTokens
	for _, h := range blocks[prompt:] { // of the answer
		s.seen[h] = struct{}{}
	}
}
