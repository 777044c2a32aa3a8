package speed

import (
	"math"

	"warmroute/plugin/logexp"
)

// curve is the time to the first token: seconds of every response, of each token to compute, and of each pair of tokens that attend to each
// other. A token of a long prompt attends to more, so a line over tokens alone takes an endpoint that got long prompts for a slow one: on an
// H100 with an 8B model a token at 20,000 others takes twice as long as one at none.
type curve [3]float64

// fits is how often each coefficient is improved in turn. The next Compare goes on from there, so that it need not be enough for one.
const fits = 50

// fit makes it the curve of least squares without coefficients below 0, by coordinate descent (Franc, Hlaváč, Navara, "Sequential
// Coordinate-wise Algorithm for the Non-negative Least Squares Problem", CAIP 2005).
func (c *curve) fit(s *Sums) {
	products := [3][3]float64{{s[sumN], s[sumX], s[sumZ]}, {s[sumX], s[sumXX], s[sumXZ]}, {s[sumZ], s[sumXZ], s[sumZZ]}}
	times := [3]float64{s[sumY], s[sumXY], s[sumYZ]}
	for range fits {
		for j := range c {
			rest := times[j]
			for k := range c {
				if k != j {
					rest -= float64(products[j][k] * c[k])
				}
			}
			if c[j] = rest / products[j][j]; !(c[j] > 0 && c[j] <= math.MaxFloat64) {
				c[j] = 0
			}
		}
	}
}

// ratio is how much longer the responses of an endpoint took than by the curve, all together.
func (c *curve) ratio(s *Sums) float64 {
	return s[sumY] / c.expected(s)
}

// expected is the seconds that they take by it, all together.
func (c *curve) expected(s *Sums) float64 {
	return float64(c[0]*s[sumN]) + float64(c[1]*s[sumX]) + float64(c[2]*s[sumZ])
}

// compare is the logarithm of how much longer the responses of an endpoint took than by the curve, all together, and its variance: the
// response ratio (Hedges, Gurevitch, Curtis, "The meta-analysis of response ratios in experimental ecology", Ecology 80, 1999). Weights of
// samples that fade count by Kish's effective sample size. False where there are too few, or numbers that no responses have.
func (c *curve) compare(s *Sums) (e estimate, ok bool) {
	if s[sumN] < enough {
		return e, false
	}
	b, x, z := c[0], c[1], c[2]
	both := float64(b*s[sumY]) + float64(x*s[sumXY]) + float64(z*s[sumYZ])
	squares := b*(float64(b*s[sumN])+2*float64(x*s[sumX])+2*float64(z*s[sumZ])) + x*(float64(x*s[sumXX])+2*float64(z*s[sumXZ])) + float64(z*z*s[sumZZ])
	ratio := c.ratio(s)
	rest := max(s[sumYY]-2*float64(ratio*both)+float64(ratio*ratio*squares), 0) / s[sumN]
	free := max(float64(s[sumN]*s[sumN])/s[sumNN]-1, 1)
	e.value = logexp.Log(ratio)
	e.variance = rest * (1 + 1/free) * s[sumNN] / float64(s[sumY]*s[sumY])
	return e, math.Abs(e.value) <= mostApart && e.variance <= math.MaxFloat64
}

// rough is compare of too few responses to say how much they scatter: by scatter, the variance of one, relative to what is expected of it.
func (c *curve) rough(s *Sums, scatter float64) estimate {
	return estimate{logexp.Log(c.ratio(s)), scatter * s[sumNN] / float64(s[sumN]*s[sumN])}
}

// mostApart bounds the logarithm of a ratio of times: cards are not ten thousand times apart.
const mostApart = 9.2
