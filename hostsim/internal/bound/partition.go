package bound

import (
	"math"

	"warmroute/hostsim/internal/trace"
)

// pieces cuts a trace's block ids into runs that are always used together, so that MIN handles a prompt of a
// thousand blocks as a few pieces.
type pieces struct {
	size    []int32 // tokens of each piece
	uses    []int32 // the pieces of request 0, then of request 1, …
	starts  []int   // where each request's begin in uses, and the end
	answers []int   // where those of each request's answer begin
}

const noID = math.MaxUint32

// partition starts a new piece at each id that does not always follow the same id, or is not used as often as
// the id before it, and where an answer begins.
func partition(prompts *trace.Trace) *pieces {
	t := prompts.Kept()
	count := make([]int32, t.IDs)
	before := make([]uint32, t.IDs)
	starts := make([]bool, t.IDs)
	for i := range t.Requests {
		last, left := uint32(noID), prompts.Requests[i].InputTokens
		for _, s := range t.Requests[i].Blocks {
			for id := s.First; id < s.First+s.N; id++ {
				if left <= 0 && left > -t.BlockSize {
					starts[id] = true
				}
				left -= t.BlockSize
				if count[id] == 0 {
					before[id] = last
				} else if before[id] != last {
					starts[id] = true
				}
				count[id]++
				last = id
			}
		}
	}
	for id, b := range before {
		if count[id] > 0 && (b == noID || count[b] != count[id]) {
			starts[id] = true
		}
	}
	p := &pieces{}
	of := make([]int32, t.IDs) // the piece that begins there, plus 1
	for i := range t.Requests {
		r := &t.Requests[i]
		p.starts = append(p.starts, len(p.uses))
		left, prompt := r.InputTokens, prompts.Requests[i].InputTokens
		var piece int32
		sized := false
		for _, s := range r.Blocks {
			for id := s.First; id < s.First+s.N; id++ {
				if prompt <= 0 && len(p.answers) == i {
					p.answers = append(p.answers, len(p.uses))
				}
				prompt -= t.BlockSize
				if starts[id] {
					sized = of[id] > 0
					if !sized {
						p.size = append(p.size, 0)
						of[id] = int32(len(p.size))
					}
					piece = of[id] - 1
					p.uses = append(p.uses, piece)
				}
				n := min(left, t.BlockSize)
				left -= n
				if !sized {
					p.size[piece] += int32(n)
				}
			}
		}
		if len(p.answers) == i {
			p.answers = append(p.answers, len(p.uses))
		}
	}
	p.starts = append(p.starts, len(p.uses))
	return p
}

// nextUses gives for each use the request whose prompt uses the piece next, or never: also where an answer has it before, which does not
// find it.
func (p *pieces) nextUses() []int32 {
	next := make([]int32, len(p.uses))
	coming := make([]int32, len(p.size))
	for i := range coming {
		coming[i] = never
	}
	for i := len(p.starts) - 2; i >= 0; i-- {
		for u := p.starts[i]; u < p.starts[i+1]; u++ {
			next[u] = coming[p.uses[u]]
		}
		for u := p.starts[i]; u < p.starts[i+1]; u++ {
			if coming[p.uses[u]] = int32(i); u >= p.answers[i] {
				coming[p.uses[u]] = never
			}
		}
	}
	return next
}
