package route

import (
	"math"

	"warmroute/plugin/decision"
	"warmroute/plugin/pool"
)

// memoryWait is how long the request waits at endpoint i for KV memory, in prompt tokens that could be computed there meanwhile; 0
// where all fits, or the endpoint's metrics do not tell. usual is the seconds a token of an endpoint of mean speed, typical the tokens of its mean prompt.
//
// What runs there, the prompts that wait (of those that others have sent, each is taken to be typical) and this one want S tokens
// more than the R that there are. A full memory frees R ÷ T tokens a second, T being how long a request holds its part
// (pool.Pool.Residence), so S tokens are free after S × T ÷ R seconds. Memory becomes free by whole requests: S is at least what one
// of those that run holds.
//
// Answers take memory, too: while some are written others end, so that on average as much is in use, but by chance more or less by as many
// answers as the root of how many are under way. What is to be free for that counts in S: see reserve.
func (v *view) memoryWait(i int, prompt, usual, typical float64, d *decision.Decision, now int64) float64 {
	t := &v.all[i]
	reserve := v.reserve()
	if !mayWait(t, prompt, typical, reserve) {
		return 0
	}
	short := short(t, typical) + float64(reserve*math.Sqrt(t.Requests+1))
	if short += v.pool.ToHold(&d.Flight, i, int(v.depth[i]), now); short <= 0 {
		return 0
	}
	return v.freeIn(i, short) / (usual * t.Slower)
}

// freeIn is how long it takes until endpoint i has so many tokens of memory more free, in seconds; above 0.
func (v *view) freeIn(i int, short float64) float64 {
	t := &v.all[i]
	return max(short, held(t)) * v.pool.Residence(i) / t.Room
}

// byChance is how many standard deviations of what answers take by chance are kept free. It is judged (docs/rule.md).
const byChance = 2

// reserve is what is kept free where nothing else is under way, in tokens; with n requests there √(n + 1) times as much.
func (v *view) reserve() float64 { return byChance * v.pool.Answers.Mean() }

// mayWait says whether memoryWait may be above 0. It is asked for each endpoint, and a root takes as long as all the rest.
func mayWait(t *pool.Summary, prompt, typical, reserve float64) bool {
	free := -(short(t, typical) + prompt)
	return t.Room != 0 && (free < 0 || free*free < reserve*reserve*(t.Requests+1))
}

// short is S − R without this prompt: what an endpoint wants of memory above what there is, in tokens.
func short(t *pool.Summary, typical float64) float64 {
	wanted := t.Wanted + t.Others*typical
	if t.Queue > wanted { // max asks for NaN, which these are not
		wanted = t.Queue
	}
	return t.Used + wanted - t.Room
}

// held is the memory that one of the requests that run there holds, in tokens.
func held(t *pool.Summary) float64 { return t.Used / max(t.Requests-t.Unadmitted, 1) }
