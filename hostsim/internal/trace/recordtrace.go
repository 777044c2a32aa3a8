package trace

import "cmp"

// recordBlock is the block size in tokens of traces made of records: vLLM's default.
const recordBlock = 16

// fromRecords makes the trace of records that are in order of time. Their blocks are cut into those of recordBlock tokens, by
// the bytes of a token that all records together have (BytesPerToken where none has a usage).
func (l *loader) fromRecords(all []record) {
	t := l.trace
	t.BlockSize = recordBlock
	output, known := 0, 0
	for _, r := range all {
		if r.output > 0 {
			output, known = output+r.output, known+1
		}
		if r.counted {
			t.Counted, t.Cached = t.Counted+r.prompt, t.Cached+r.cached
		}
	}
	mean := defaultOutput
	if known > 0 {
		mean = max(output/known, 1)
	}
	t.Guessed, t.Guess = len(all)-known, mean
	var sessions chains
	names := map[string]int{}
	prompts := recordedPrompts{trace: t, perToken: bytesOfToken(all), ids: map[uint64]Blocks{}, tails: map[tailKey]tail{}}
	for i := range all {
		r := &all[i]
		q := Request{At: (r.at - all[0].at) * 1e6, OutputTokens: cmp.Or(r.output, mean)}
		prompts.read(r, &q)
		session, seen := names[r.session]
		if !seen || r.session == "" {
			session = -1
		}
		q.Session, q.After = sessions.follow(session, i)
		names[r.session] = q.Session
		if q.After >= 0 {
			q.Think = max(0, (r.at-all[q.After].at-all[q.After].took)*1e6)
		}
		t.Requests = append(t.Requests, q)
	}
	t.Sessions = len(sessions.last)
}

// recordedPrompts gives recorded prompts their ids.
//
// A record has hashes of whole blocks only, and blocks late in a prompt are long (package prefix). What follows the last of
// them in one turn of a conversation stands in the middle of a block of the next turn, whose hash is then new: without more,
// up to a quarter of a prompt that repeats would count as new. So a prompt is taken to begin with an earlier one of its session,
// to the byte, if it has all of that one's blocks and has grown by half of the answer or more, as a turn that carries the
// answer has; else as far as the replica found it cached.
type recordedPrompts struct {
	trace    *Trace
	perToken float64           // bytes
	ids      map[uint64]Blocks // of each hashed block
	tails    map[tailKey]tail  // of the last prompt that ends so
}

// tailKey names prompts of a session by the hash of their last whole block.
type tailKey struct {
	session string
	hash    uint64
}

// tail is what a prompt has after its last hashed block.
type tail struct {
	bytes  int    // of the whole prompt
	answer int    // bytes, estimated
	ids    Blocks // of its whole blocks of recordBlock tokens
}

// before finds the longest prompt of r's session whose blocks r has, its number of hashed blocks, and how many bytes both
// begin with by that rule (0: no more than those blocks).
func (p *recordedPrompts) before(r *record) (of tail, blocks, shared int) {
	if r.session == "" {
		return of, 0, 0
	}
	for n := len(r.hashes); n > 0; n-- {
		of, ok := p.tails[tailKey{r.session, r.hashes[n-1]}]
		switch {
		case !ok:
			continue
		case r.bytes-of.bytes >= max(of.answer/2, 1):
			return of, n, of.bytes
		case r.counted:
			return of, n, min(of.bytes, int(float64(r.bytes)*float64(r.cached)/float64(r.prompt)))
		}
	}
	return of, 0, 0
}

// wholeBlocks is how many blocks of recordBlock tokens so many bytes fill.
func (p *recordedPrompts) wholeBlocks(bytes int) int {
	return int(float64(bytes)/p.perToken) / recordBlock
}

// read sets q's Blocks and InputTokens.
func (p *recordedPrompts) read(r *record, q *Request) {
	t := p.trace
	before, blocks, bytes := p.before(r)
	shared := p.wholeBlocks(bytes)
	done, end := 0, 0
	// next are n ids for what follows i hashed blocks.
	next := func(i, n int) (ids Blocks) {
		if i == blocks && shared > done {
			ids = before.ids.cut(min(shared-done, n), 1)
		}
		if fresh := n - ids.Len(); fresh > 0 {
			ids = append(ids, Span{uint32(t.IDs), uint32(fresh)})
			t.IDs += fresh
		}
		return ids
	}
	for i, hash := range r.hashes {
		end += r.sizes[i]
		ids, seen := p.ids[hash]
		if !seen { // fewer are left than none where a forged record has a long block of another's before this one
			ids = next(i, max(p.wholeBlocks(end)-done, 0))
			p.ids[hash] = ids
		}
		q.Blocks = append(q.Blocks, ids...)
		done += ids.Len()
	}
	q.InputTokens = max(int(float64(r.bytes)/p.perToken), done*recordBlock, 1)
	rest := next(len(r.hashes), (q.InputTokens+recordBlock-1)/recordBlock-done)
	q.Blocks = append(q.Blocks, rest...)
	if n := len(r.hashes); n > 0 && r.session != "" {
		p.tails[tailKey{r.session, r.hashes[n-1]}] = tail{
			r.bytes, int(float64(q.OutputTokens) * p.perToken), rest.cut(q.InputTokens/recordBlock-done, 0),
		}
	}
}

// bytesOfToken is the bytes of canonical prompt of a token, over all records that have both.
func bytesOfToken(all []record) float64 {
	var bytes, tokens int
	for _, r := range all {
		if r.prompt > 0 {
			bytes, tokens = bytes+r.bytes, tokens+r.prompt
		}
	}
	if tokens == 0 {
		return BytesPerToken
	}
	return max(float64(bytes)/float64(tokens), 0.25)
}

// defaultOutput is logs.DefaultOutput: the mean answer of Azure's published conversations.
const defaultOutput = 211
