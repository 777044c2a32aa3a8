package loads

import (
	"math"
	"math/rand/v2"
	"sort"

	"warmroute/hostsim/internal/figure"
	"warmroute/hostsim/internal/replay"
	"warmroute/hostsim/internal/trace"
)

// Phase is a span of time in which sessions start at a rate.
type Phase struct {
	Seconds float64
	Rate    float64 // sessions a second
}

// Phased is sessions of m that start at each phase's rate, as a Poisson process.
func Phased(m Made, phases ...Phase) Load {
	return func(d *Drawing) (*trace.Trace, error) {
		rng := rand.New(rand.NewPCG(d.Seed, 12))
		var starts []int64
		from := 0.0
		for _, p := range phases {
			for at := rng.ExpFloat64() / p.Rate; at < p.Seconds; at += rng.ExpFloat64() / p.Rate {
				starts = append(starts, int64((from+at)*1e9))
			}
			from += p.Seconds
		}
		t := m.sessions(d, len(starts))
		first := make([]int64, t.Sessions)
		for i := range t.Requests {
			if r := &t.Requests[i]; r.After < 0 {
				first[r.Session] = r.At
			}
		}
		t.Shift(func(session int) int64 { return starts[session] - first[session] })
		return t, nil
	}
}

// sessions draws that many whole sessions.
func (m Made) sessions(d *Drawing, n int) *trace.Trace {
	m.Requests = int(float64(n)*m.Turns*1.2) + 1000
	t := m.Trace(d.Seed, d.Replicas, d.Profile)
	for t.Sessions <= n {
		m.Requests *= 2
		t = m.Trace(d.Seed, d.Replicas, d.Profile)
	}
	return firstSessions(t, n)
}

// firstSessions is the trace of the sessions below n.
func firstSessions(t *trace.Trace, n int) *trace.Trace {
	out := t.Clone()
	out.Requests, out.Sessions = out.Requests[:0], n
	place := make([]int, len(t.Requests))
	for i, r := range t.Requests {
		if r.Session >= n {
			continue
		}
		if place[i] = len(out.Requests); r.After >= 0 {
			r.After = place[r.After]
		}
		out.Requests = append(out.Requests, r)
	}
	return out
}

// ByPhase is the mean TTFT, in ms, of what came in each phase of a run, which has to have Detail. recovery is how long after the end of
// the second phase the mean of a minute was at most within times the first's again, in s: −1 where never.
func ByPhase(r *replay.Result, phases []Phase, within float64) (means []float64, recovery float64) {
	const window = 30.0
	ends, from := make([]float64, len(phases)), 0.0
	for i, p := range phases {
		from += p.Seconds
		ends[i] = from
	}
	sums, counts := make([]float64, len(phases)), make([]float64, len(phases))
	spans := make([][2]float64, int(from/window)+1)
	for _, s := range r.Served {
		if s.PromptTokens == 0 {
			continue
		}
		at, ttft := float64(s.Queued)/1e9, figure.MS(s.First-s.Queued)
		i := min(sort.SearchFloat64s(ends, at), len(phases)-1)
		sums[i], counts[i] = sums[i]+ttft, counts[i]+1
		if k := int(at / window); k < len(spans) {
			spans[k][0], spans[k][1] = spans[k][0]+ttft, spans[k][1]+1
		}
	}
	for i := range sums {
		means = append(means, sums[i]/max(counts[i], 1))
	}
	for k := int(math.Ceil(ends[1] / window)); k+1 < len(spans); k++ {
		if n := spans[k][1] + spans[k+1][1]; n > 0 && (spans[k][0]+spans[k+1][0])/n <= within*means[0] {
			return means, float64(k)*window - ends[1]
		}
	}
	return means, -1
}
