package speed

// Bounds of a line's slope, seconds per token.
const (
	leastSlope = 1e-7
	mostSlope  = 1e-1
)

// line is one of least squares over samples that fade, kept as sums.
type line struct {
	Sums
	own, others Sums    // of this worker's responses, and of others'
	slope, base float64 // seconds per token, seconds; valid once it is ready
}

// add takes a sample of this worker's; those of others stay.
func (l *line) add(x, y, z float64) {
	l.own.sample(x, y, z)
	l.setOthers(l.others)
}

// setOthers sets the sums of other workers and gateways.
func (l *line) setOthers(others Sums) { l.others, l.Sums = others, l.own.Plus(&others, 1) }

func (l *line) ready() bool { return l.Sums[sumN] > 0 }

// solve sets the line, if there are samples. Times are not negative, so neither is the intercept; if it would be, or if all prompts have
// the same length, the line goes through the origin.
func (l *line) solve() {
	if !l.ready() {
		return
	}
	mx, my := l.Sums[sumX]/l.Sums[sumN], l.Sums[sumY]/l.Sums[sumN]
	variance := l.Sums[sumXX]/l.Sums[sumN] - mx*mx
	slope, base := 0.0, 0.0
	if variance > mx*mx*1e-3 {
		slope = (l.Sums[sumXY]/l.Sums[sumN] - mx*my) / variance
		base = my - slope*mx
	}
	if l.Sums[sumN] < enough || slope <= 0 || base < 0 {
		slope, base = l.Sums[sumXY]/max(l.Sums[sumXX], 1), 0
	}
	l.slope, l.base = min(max(slope, leastSlope), mostSlope), base
}

// depth is how deep in their prompts tokens were that this worker's last responses had computed.
type depth struct{ sum, of float64 } // pairs of tokens that attend to each other, of so many tokens

// add takes a prompt of which so many tokens were computed and cached.
func (d *depth) add(computed, cached float64) {
	d.sum, d.of = float64(d.sum*Keep)+ownPairs(computed, cached), float64(d.of*Keep)+computed
}

// pairs is how many so many tokens have; 0 before a response.
func (d *depth) pairs(tokens float64) float64 {
	if d.of == 0 {
		return 0
	}
	return tokens * d.sum / d.of
}

// ownPairs is how many pairs of tokens attend to each other in a prompt of which so many are computed and cached.
func ownPairs(computed, cached float64) float64 { return computed * (cached + computed/2) }
