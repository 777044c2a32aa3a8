package advice

import (
	"fmt"

	"warmroute/hostsim/internal/figure"
	"warmroute/hostsim/internal/replay"
	"warmroute/hostsim/internal/trace"
)

// Limit is what keeps hits and gain from being larger.
type Limit struct {
	By      string   `json:"by"`  // nothing shared, memory, skew, placement, idle, or nothing
	Why     string   `json:"why"` // a sentence with the figures
	Memory  float64  `json:"token_hit_ratio_with_4_times_the_memory"`
	Skew    Skew     `json:"skew"`
	Further []string `json:"further,omitempty"` // what else was seen
}

// Skew is the longest beginning that at least half of the requests share.
type Skew struct {
	Share  float64 `json:"request_share"` // of the requests that begin so; 0: there is no such beginning
	Tokens int     `json:"tokens"`
}

// newSkew finds the beginning block by block: the most common first block, then the most common one after it, for as
// long as at least half of all requests have it. Of bodies the replicas' blocks are taken.
func newSkew(t *trace.Trace, blockSize int) Skew {
	t, err := replay.AsBlocks(t, blockSize)
	if err != nil {
		return Skew{} // verdict.NewBounds has failed before
	}
	under := make([]int, len(t.Requests))
	for i := range under {
		under[i] = i
	}
	var s Skew
	ids := make([][]uint32, len(t.Requests))
	for depth := 0; ; depth++ {
		count := map[uint32]int{}
		var best uint32
		for _, i := range under {
			r := &t.Requests[i]
			if ids[i] == nil {
				ids[i] = r.Blocks.Append(nil)
			}
			if depth >= len(ids[i]) {
				continue
			}
			id := ids[i][depth]
			count[id]++
			if n := count[id]; n > count[best] || n == count[best] && id < best {
				best = id
			}
		}
		if 2*count[best] < len(t.Requests) || len(t.Requests) < 4 {
			return s
		}
		s = Skew{float64(count[best]) / float64(len(t.Requests)), (depth + 1) * t.BlockSize}
		kept := under[:0]
		for _, i := range under {
			if depth < len(ids[i]) && ids[i][depth] == best {
				kept = append(kept, i)
			}
		}
		under = kept
	}
}

// few is a share of the prompt tokens below which nothing repeats to speak of.
const few = 0.05

// idle is a share of the replicas' time below which hardly anything waits.
const idle = 0.15

// limit weighs what keeps hits down. roomy is the default with moreMemory times the memory.
func (a *Advice) limit(ours, roomy *replay.Result, skew Skew) Limit {
	b := a.Bounds
	l := Limit{Memory: roomy.TokenHitRatio, Skew: skew}
	memory := roomy.TokenHitRatio - ours.TokenHitRatio // what memory alone would add
	placement := b.Recent - ours.TokenHitRatio         // what one cache of all the memory would add
	memoryText := fmt.Sprintf("with %d times the KV memory the hit rate would be %s instead of %s, and TTFT %s instead of %s",
		moreMemory, figure.Percent(roomy.TokenHitRatio), figure.Percent(ours.TokenHitRatio), figure.Millis(roomy.TTFT.Mean), figure.Millis(ours.TTFT.Mean))
	skewText := ""
	if skew.Share > 0 {
		skewText = fmt.Sprintf("%s of the requests begin with the same %d tokens, which every replica soon holds", figure.Percent(skew.Share), skew.Tokens)
	}
	switch {
	case b.Infinite < few:
		l.By, l.Why = "nothing shared", fmt.Sprintf("only %s of the prompt tokens ever repeat", figure.Percent(b.Infinite))
	case skewText != "" && a.Means[1].Hit-a.Means[0].Hit < few && a.Means[0].Hit > b.Infinite/2:
		l.By, l.Why = "skew", skewText+": policies by load find it too"
	case memory > few && memory >= placement:
		l.By, l.Why = "memory", memoryText
	case placement > few:
		l.By, l.Why = "placement", fmt.Sprintf("one cache with the memory of all replicas would find %s instead of %s: prompts are held by more than one replica, for the sake of load", figure.Percent(b.Recent), figure.Percent(ours.TokenHitRatio))
	case a.Busy < idle:
		l.By, l.Why = "idle", fmt.Sprintf("the replicas work %s of the time, so that hardly anything waits", figure.Percent(a.Busy))
	default:
		l.By, l.Why = "nothing", fmt.Sprintf("what repeats is found: %s of at most %s", figure.Percent(ours.TokenHitRatio), figure.Percent(b.Infinite))
	}
	if l.By != "idle" && a.Busy < idle {
		l.Further = append(l.Further, fmt.Sprintf("The replicas work %s of the time, so that hardly anything waits: gains in TTFT are those of the prefill alone. --speed makes requests come faster.", figure.Percent(a.Busy)))
	}
	if l.By != "memory" && memory > few {
		l.Further = append(l.Further, "Also, "+memoryText+".")
	}
	if l.By != "skew" && skewText != "" {
		l.Further = append(l.Further, skewText+".")
	}
	return l
}
