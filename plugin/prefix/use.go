package prefix

// A server evicts nothing of a request that is on its way, and counts its blocks as used last when it ends (vLLM's BlockPool: a block
// with references is in no free queue, and is put at that queue's end by the last that lets go of it). So a request uses its chain from
// when it is sent until it ends, and each pair counts its users. A chain's requests use all runs from its first on, so a run is in
// use where one behind it is: in each of the lists, tails stand before heads.
//
// Ends may be missed, and counts be wrong where blocks were evicted in use and entered again. Then a run may be evicted before one
// behind it. That one is not matched any more (Match), until it is entered again or evicted.

// Step is what a request does to what its endpoint holds.
type Step uint8

// The steps. Each prompt that is Sent is Ended or Lost once.
const (
	Sent  Step = iota // Use
	Ended             // Free
	Lost              // Withdraw
)

// Apply enters a step of a request with this chain; first is as in Use, Free and Withdraw.
func (x *Index) Apply(step Step, endpoint int, chain *Chain, first int, at uint32) {
	switch first = min(first, chain.Len()); step {
	case Sent:
		x.Use(endpoint, chain, first, at)
	case Ended:
		x.Free(endpoint, chain, first, at)
	case Lost:
		x.Withdraw(endpoint, chain, first, at)
	}
}

// mostUsers is the most requests that are counted.
const mostUsers = 1<<16 - 1

// overdue is how many pairs that are in use for too long one call lets go of.
const overdue = 8

// SetLongestUse sets for how many ms blocks are in use at most since they were touched last: then the end of the request was missed.
// 0: for any time.
func (x *Index) SetLongestUse(ms uint32) { x.longest = ms }

// Use is Insert by a request that is sent there: nothing of its chain is evicted until Free, unless all else is. It uses the first
// blocks already, of a prompt of which no more was known; 0: none.
func (x *Index) Use(endpoint int, chain *Chain, first int, now uint32) {
	x.release(endpoint, chain.Hash[:first])
	x.enter(endpoint, chain, now, 1)
	x.letGo(endpoint)
}

// Free is Insert by a request that ends, and that uses the first blocks of the chain: all, or those that were known of it.
func (x *Index) Free(endpoint int, chain *Chain, first int, now uint32) {
	if n := chain.Len(); first < n || !x.pairsOf(endpoint, chain.Hash) {
		x.release(endpoint, chain.Hash[:first])
		x.enter(endpoint, chain, now, 0)
	} else {
		x.catchUp()
		x.see(chain.Hash, now)
		for i := len(x.walk) - 1; i >= 0; i-- {
			p := x.pairs.at(x.walk[i])
			x.unlink(x.walk[i])
			p.users -= min(p.users, 1)
			x.link(x.walk[i], now)
		}
	}
	x.letGo(endpoint)
}

// release takes a request off those that use the blocks of a chain's beginning. What nobody uses any more is the newest of what is idle.
func (x *Index) release(endpoint int, blocks []uint64) {
	x.pairsOf(endpoint, blocks)
	l := &x.lists[endpoint]
	for i := len(x.walk) - 1; i >= 0; i-- {
		switch p := x.pairs.at(x.walk[i]); p.users {
		case 0:
		case 1:
			x.unlink(x.walk[i])
			p.users = 0
			x.append(&l.idle, x.walk[i])
		default:
			p.users--
		}
	}
}

// pairsOf writes the endpoint's pairs of a chain's runs to walk, and says whether it holds all blocks, as whole runs.
func (x *Index) pairsOf(endpoint int, blocks []uint64) (all bool) {
	x.walk = x.walk[:0]
	all = true
	for at, id := 0, uint32(0); at < len(blocks); {
		if id = x.findNext(id, blocks[at]); id == 0 {
			return false
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

// letGo takes what is in use for too long for idle from now on.
func (x *Index) letGo(endpoint int) {
	l := &x.lists[endpoint]
	for range overdue {
		id := l.used.oldest
		if id == 0 || x.longest == 0 || l.age(x.pairs.at(id).stamp) <= x.longest {
			return
		}
		x.unlink(id)
		x.pairs.at(id).users = 0
		x.append(&l.idle, id)
	}
}

// Withdraw is called when a request that uses the chain, and was sent there at the time at, was never computed: the endpoint does not
// hold the blocks behind the first because of it. Those that were sent there again since are kept, and all before them.
func (x *Index) Withdraw(endpoint int, chain *Chain, first int, at uint32) {
	x.release(endpoint, chain.Hash)
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
