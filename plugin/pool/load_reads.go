package pool

// A step of an endpoint reads the KV of all that the requests there have in their contexts, so that long contexts make each step
// longer. What several requests share is read once for each of them.

// Reads is the tokens of the prompts of all requests at endpoint i, where a request of others is taken to be as this worker's there are
// on average; and, if this worker has none there, how many those of others are, whose lengths are not known.
func (p *Pool) Reads(i int, now int64) (tokens, unknown float64) {
	return p.ends[i].readBy(p.Requests(i, now))
}

func (e *endpoint) readBy(requests float64) (tokens, unknown float64) {
	others := max(requests-float64(e.own), 0)
	if e.own == 0 {
		return 0, others
	}
	return e.reads * (1 + others/float64(e.own)), 0
}

// read counts the flight's prompt at its endpoint, anew if it has grown.
func (p *Pool) read(f *Flight) {
	p.ends[f.endpoint].reads += f.Tokens - f.reads
	f.reads = f.Tokens
}

// unread takes it back. Below 0 it would be by rounding.
func (p *Pool) unread(f *Flight) {
	e := &p.ends[f.endpoint]
	if e.reads = max(e.reads-f.reads, 0); e.own == 0 {
		e.reads = 0
	}
	f.reads = 0
}
