package replay

import (
	"cmp"
	"fmt"
	"slices"

	"warmroute/hostsim/internal/stats"
	"warmroute/hostsim/internal/vllm"
)

// profileOf is a replica's profile: the second half of the replicas may have another one.
func (o *Options) profileOf(replica int) vllm.Profile {
	p := o.Profile
	if o.Second != nil && replica >= o.Replicas/2 {
		p = *o.Second
	}
	if replica < len(o.Slower) {
		p = p.Slower(o.Slower[replica])
	}
	return p
}

// KVTokens is how many tokens of KV all replicas have room for that are there at one time, at most, in their hosts' memory, too.
func (o *Options) KVTokens() int {
	tokens := 0
	change := func(replica int, joins bool) {
		if p := o.profileOf(replica); joins {
			tokens += p.AllKVTokens()
		} else {
			tokens -= p.AllKVTokens()
		}
	}
	for i, there := range o.first() {
		if there {
			change(i, true)
		}
	}
	most := tokens
	changes := slices.SortedStableFunc(slices.Values(o.Changes), func(a, b Change) int { return cmp.Compare(a.At, b.At) })
	for i, c := range changes {
		change(c.Replica, c.Joins)
		if i+1 == len(changes) || changes[i+1].At > c.At { // what joins while another leaves takes its place
			most = max(most, tokens)
		}
	}
	return most
}

// HalfResult is what became of the requests of one half of the replicas, under Options.Second.
type HalfResult struct {
	Profile  string     `json:"profile"`
	Replicas int        `json:"replicas"`
	Requests int        `json:"requests"`
	Computed float64    `json:"computed_share"` // of all prompt tokens that were computed
	TTFT     stats.Dist `json:"ttft_ms"`
}

func (r *run) halves() []HalfResult {
	if r.Second == nil {
		return nil
	}
	list := []HalfResult{{Profile: r.Profile.Name, Replicas: r.Replicas / 2}, {Profile: r.Second.Name, Replicas: r.Replicas - r.Replicas/2}}
	var ttfts [2][]float64
	for i := range r.served {
		if record := &r.served[i].record; record.PromptTokens > 0 {
			half := 0
			if r.served[i].replica >= r.Replicas/2 {
				half = 1
			}
			list[half].Requests++
			ttfts[half] = append(ttfts[half], float64(record.First-record.Queued)/1e6)
		}
	}
	all := 0.0
	for i, e := range r.replicas {
		half := min(i/max(r.Replicas/2, 1), 1)
		list[half].Computed += float64(e.Stats().PrefillComputed)
		all += float64(e.Stats().PrefillComputed)
	}
	for half := range list {
		list[half].Computed /= max(all, 1)
		list[half].TTFT = stats.NewDist(ttfts[half])
	}
	return list
}

// checkSecond says what is wrong with Options.Second.
func (o *Options) checkSecond() error {
	switch {
	case o.Second == nil:
		return nil
	case o.Replicas < 2:
		return fmt.Errorf("a second profile takes half of at least two replicas, not of %d", o.Replicas)
	case len(o.Models.Names) > 1:
		return fmt.Errorf("a second profile does not go with several models")
	case o.Trace.BlockSize > 0 && o.Second.BlockSize != o.Profile.BlockSize:
		return fmt.Errorf("both profiles need blocks of one size, of which prompts are made: they have %d and %d tokens", o.Profile.BlockSize, o.Second.BlockSize)
	}
	return nil
}
