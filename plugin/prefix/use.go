package prefix

// A server evicts nothing of a request that it runs, and counts its blocks as used last when it ends (vLLM's BlockPool: a block
// with references is in no free queue, and is put at that queue's end by the last that lets go of it). So a request uses its chain from
// when it is sent until it ends, and each pair counts its users. A chain's requests use all runs from its first on, so a run is in
// use where one behind it is: in each of the lists, tails stand before heads.
//
// What waits at a server holds nothing there. So what is in use is kept (KeepUsed) only where hardly anything waits at servers.
//
// Where more is in use than fits, some of it is evicted all the same. A request that was sent before a pair was entered is not among its
// users, and its end takes nothing off (since).
//
// Ends may be missed. Then a run may be evicted before one behind it, which is not matched any more (Match) and is evicted in its turn.

// Step is what a request does to what its endpoint holds.
type Step uint8

// The steps. Each prompt that is Sent is Ended or Lost once.
const (
	Sent   Step = iota // Use
	Ended              // Free
	Lost               // Withdraw
	Stored             // none of a prompt: the endpoint keeps the response that the chain's only hash names. Apply passes over it
)

// Apply enters a step of a request with this chain; first and sent are as in Use and Free. Of one that was Lost, at is when it was sent.
func (x *Index) Apply(step Step, endpoint int, chain *Chain, first int, sent, at uint32) {
	switch first = min(first, chain.Len()); step {
	case Sent:
		x.Use(endpoint, chain, first, sent, at)
	case Ended:
		x.Free(endpoint, chain, first, sent, at)
	case Lost:
		x.Withdraw(endpoint, chain, first, at)
	}
}

// mostUsers is the most requests that are counted.
const mostUsers = 1<<16 - 1

// overdue is how many pairs that are in use for too long one call lets go of.
const overdue = 8

// SetLongestUse sets for how many ms blocks are in use at most since they were touched last: then the end of the request was missed.
// 0: for any time; at most mostLate.
func (x *Index) SetLongestUse(ms uint32) { x.longest = min(ms, mostLate) }

// KeepUsed says whether what is in use is evicted last, or like all else: what was used longest ago goes first.
func (x *Index) KeepUsed(keep bool) { x.keeps = keep }

// Use is Insert by a request that is sent there: with KeepUsed nothing of its chain is evicted until Free, unless all else is. Of a prompt
// of which less was known, it uses the first blocks since sent; else first is 0.
func (x *Index) Use(endpoint int, chain *Chain, first int, sent, now uint32) {
	x.release(endpoint, chain.Hash[:first], sent)
	x.enter(endpoint, chain, first, now, 1)
	x.letGo(endpoint, now)
}

// Free is Insert by a request that ends, and that has used the first blocks of the chain since sent: all, or those that were known of it.
func (x *Index) Free(endpoint int, chain *Chain, first int, sent, now uint32) {
	x.catchUp() // first: what it evicts is not to be found by pairsOf
	if first < chain.Len() || !x.pairsOf(endpoint, chain.Hash) {
		x.release(endpoint, chain.Hash[:first], sent)
		x.enter(endpoint, chain, first, now, 0)
	} else {
		x.see(chain.Hash, first, now)
		for i := len(x.walk) - 1; i >= 0; i-- {
			x.unlink(x.walk[i])
			if p := x.pairs.at(x.walk[i]); p.counts(sent) {
				p.users--
			}
			x.link(x.walk[i], now)
		}
	}
	x.letGo(endpoint, now)
}

// use adds users that are sent then.
func (p *pair) use(users uint16, now uint32) {
	if p.users = min(p.users, mostUsers-users) + users; users > 0 && int32(p.since-now) > 0 { // what others tell comes late
		p.since = now
	}
}

// counts says whether a request that was sent then is among its users.
func (p *pair) counts(sent uint32) bool { return p.users > 0 && int32(sent-p.since) >= 0 }

// release takes a request off those that have used the blocks of a chain's beginning since sent. What nobody uses any more is the newest of
// what is idle.
func (x *Index) release(endpoint int, blocks []uint64, sent uint32) {
	x.pairsOf(endpoint, blocks)
	for i := len(x.walk) - 1; i >= 0; i-- {
		switch p := x.pairs.at(x.walk[i]); {
		case !p.counts(sent):
		case p.users == 1:
			x.rest(x.walk[i])
		default:
			p.users--
		}
	}
}

// Used is how many leading blocks of a chain requests use at an endpoint.
func (x *Index) Used(endpoint int, blocks []uint64) (n int) {
	for id := uint32(0); n < len(blocks); {
		if id = x.findNext(id, blocks[n]); id == 0 {
			break
		}
		p := x.findPair(id, endpoint)
		if p == 0 || x.pairs.at(p).users == 0 {
			break
		}
		n += x.runs.at(id).common(blocks[n:])
	}
	return n
}

// rest makes a pair that is in use the newest of what is idle.
func (x *Index) rest(id uint32) {
	x.unlink(id)
	p := x.pairs.at(id)
	p.users = 0
	x.append(&x.lists[p.endpoint].idle, id)
}

// pairsOf writes the endpoint's pairs of a chain's runs to walk, also of those behind a gap, and says whether it holds all blocks, as whole
// runs.
func (x *Index) pairsOf(endpoint int, blocks []uint64) (all bool) {
	x.walk = x.walk[:0]
	all = true
	for at, id := 0, uint32(0); at < len(blocks); {
		if id = x.findNext(id, blocks[at]); id == 0 {
			at, all = at+1, false
			continue
		}
		r := x.runs.at(id)
		n := r.common(blocks[at:])
		at += n
		if p := x.findPair(id, endpoint); p != 0 {
			x.walk = append(x.walk, p)
			all = all && n == int(r.count)
		} else {
			all = false
		}
	}
	return all
}

// letGo takes what was not touched for too long for idle from now on.
func (x *Index) letGo(endpoint int, now uint32) {
	for range overdue {
		id := x.lists[endpoint].used.oldest
		if id == 0 || x.longest == 0 || int32(now-x.pairs.at(id).stamp) <= int32(x.longest) {
			return
		}
		x.rest(id)
		x.pairs.at(id).since = now
	}
}

// Withdraw is called when a request that uses the chain, and was sent there at the time at, was computed no further than its first blocks: the
// endpoint does not hold those behind them because of it. Those that were sent there again since are kept, and all before them.
func (x *Index) Withdraw(endpoint int, chain *Chain, first int, at uint32) {
	x.release(endpoint, chain.Hash, at)
	x.part(endpoint, chain.Hash, first)
	x.walk = x.walk[:0]
	blocks := chain.Hash[first:]
	for done := 0; done < len(blocks); {
		id := x.findRun(blocks[done])
		if id == 0 {
			done++
			continue
		}
		common := x.runs.at(id).common(blocks[done:])
		if common == int(x.runs.at(id).count) {
			x.walk = append(x.walk, id)
		}
		done += common
	}
	for i := len(x.walk) - 1; i >= 0; i-- {
		id := x.findPair(x.walk[i], endpoint)
		switch {
		case id == 0:
		case x.pairs.at(id).users > 0 || int32(x.pairs.at(id).stamp-at) > 0:
			return
		default:
			x.dropPair(id)
		}
	}
}

// part divides the run of a chain that goes on behind its first blocks at an endpoint, if there is room for one more.
func (x *Index) part(endpoint int, blocks []uint64, first int) {
	for at, id := 0, uint32(0); at < min(first, len(blocks)); {
		if id = x.findNext(id, blocks[at]); id == 0 {
			at++
			continue
		}
		n := x.runs.at(id).common(blocks[at:])
		if at+n > first && x.holds(id, endpoint) {
			x.split(id, first-at)
			return
		}
		at += n
	}
}
