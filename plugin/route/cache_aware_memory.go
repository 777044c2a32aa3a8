package route

import (
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
func (v *view) memoryWait(i int, prompt, usual, typical float64, d *decision.Decision, now int64) float64 {
	t := &v.all[i]
	short := short(t, typical)
	if t.Room == 0 || short+prompt <= 0 {
		return 0
	}
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
