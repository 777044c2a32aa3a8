package exposition

import (
	"math"
	"slices"
)

// EachRank as the Ranks of a Reader: vLLM's page says by its engines how many data-parallel ranks there are (Named), and each has a Load of its
// own. Other servers' pages are read as of one: SGLang's names only the ranks that have had requests.
const EachRank = -1

// MaxRanks is the most data-parallel ranks of a server.
const MaxRanks = 64

// findBase finds the number of rank 0. It is another than 0 where the server has the engines of one node of several: vLLM numbers those on, but
// counts from 0 in the request header. The order on the page says nothing: a page that Prometheus' client for Python merges from several processes
// has them in the order of their files, and leaves out of a metric the engines that have not set it yet.
func (r *Reader) findBase() {
	if r.server == sgLang || len(r.engines) == 0 {
		return // SGLang numbers those of all nodes, and counts so
	}
	if r.Ranks == EachRank || slices.Max(r.engines) >= float64(r.Ranks) {
		r.base = slices.Min(r.engines)
	}
}

// Named is how many data-parallel ranks the server has, after Close: the Reader's, or with EachRank as many as the page names, 1 to MaxRanks.
func (r *Reader) Named() int {
	if r.Ranks != EachRank {
		return max(r.Ranks, 1)
	}
	n := 1
	for _, engine := range r.engines {
		if i := engine - r.base; i >= 1 && i < MaxRanks && i == math.Trunc(i) {
			n = max(n, int(i)+1)
		}
	}
	return n
}

// Rank is what the page says of a rank, after Close and as long.
func (r *Reader) Rank(i int) *Load {
	if i == 0 && len(r.engines) == 0 && r.Ranks < 2 {
		return &r.sheets[0].load
	}
	for k, engine := range r.engines {
		if engine == r.base+float64(i) {
			return &r.sheets[k+1].load
		}
	}
	return &r.nothing
}

// Together is what the page says of all ranks as one, after Close; Rank must not be called behind it.
func (r *Reader) Together() *Load {
	all := &r.sheets[0]
	for i := range r.engines {
		all.join(&r.sheets[i+1])
	}
	all.load.Truncated = r.truncates(all)
	all.settle(1, r.server)
	return &all.load
}

// NamesAllRanks says whether the page of its server names each rank that there is: SGLang's names those that have had requests.
func (r *Reader) NamesAllRanks() bool { return r.server == vLLM }

// sheetOf is that of the engine with a label, nil for one too many.
func (r *Reader) sheetOf(engine []byte) *sheet {
	most := r.Ranks
	if most == EachRank && r.server == vLLM {
		most = MaxRanks
	}
	if most < 2 {
		r.reserve(1) // of the zero value
		return &r.sheets[0]
	}
	n, ok := number(engine)
	if !ok {
		return &r.sheets[0]
	}
	for i, known := range r.engines {
		if known == n {
			return &r.sheets[i+1]
		}
	}
	if len(r.engines) == most {
		return nil
	}
	r.engines = append(r.engines, n)
	r.reserve(len(r.engines) + 1)
	return &r.sheets[len(r.engines)]
}

// reserve makes room for so many sheets.
func (r *Reader) reserve(n int) {
	for len(r.sheets) < n {
		r.sheets = append(r.sheets, sheet{})
	}
}
