package trace

// Next is for each request the first one that waits for its answer; 0: none.
func (t *Trace) Next() []int {
	next := make([]int, len(t.Requests))
	for i := range t.Requests {
		if after := t.Requests[i].After; after >= 0 && next[after] == 0 {
			next[after] = i
		}
	}
	return next
}

// Kept is the trace of block ids with what replicas keep of each request, under Answers: its prompt, and the full blocks of its
// answer as far as they are known, as Blocks and InputTokens. A recorder writes no ids for an answer: it is taken to be what the
// session's next prompt has behind this one, where that begins with the whole blocks of this one and has grown by the answer's length
// or more. Without Answers it is t.
func (t *Trace) Kept() *Trace {
	if !t.Answers || t.BlockSize == 0 {
		return t
	}
	out := t.Clone()
	for i, next := range t.Next() {
		r, later := &t.Requests[i], &t.Requests[next]
		whole := r.InputTokens / t.BlockSize
		n := (r.InputTokens + r.OutputTokens) / t.BlockSize
		if next == 0 || later.InputTokens < r.InputTokens+r.OutputTokens || n == whole || !begins(later.Blocks, r.Blocks, whole) {
			continue
		}
		out.Requests[i].Blocks, out.Requests[i].InputTokens = later.Blocks.cut(n, 0), n*t.BlockSize
	}
	return out
}

// begins says whether b has the first n ids of other.
func begins(b, other Blocks, n int) bool {
	a, o := b.cut(n, 0), other.cut(n, 0)
	for len(a) > 0 && len(o) > 0 {
		if a[0].First != o[0].First {
			return false
		}
		same := min(a[0].N, o[0].N)
		for _, s := range []*Blocks{&a, &o} {
			if (*s)[0].First, (*s)[0].N = (*s)[0].First+same, (*s)[0].N-same; (*s)[0].N == 0 {
				*s = (*s)[1:]
			}
		}
	}
	return len(a) == len(o)
}
