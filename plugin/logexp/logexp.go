// Package logexp has the logarithm and the exponential function. Those of package math are assembly on some machines, Go on others and a C
// library's in the module, and their last bits differ; with these, simulator and module learn alike to the last bit. Conversions forbid
// fused multiply-adds.
package logexp

import "math"

// ln 2 in two parts: the first times a number of at most 20 bits is exact (Tang, "Table-driven implementation of the exponential function
// in IEEE floating-point arithmetic", ACM TOMS 15, 1989).
const (
	ln2High = 6.93147180369123816490e-01
	ln2Low  = 1.90821492927058770002e-10
)

// terms of the series that count.
const (
	logTerms = 11
	expTerms = 14

	mostExp = 700 // |x| from which on Exp is +Inf or 0
)

// Log is the natural logarithm, to 15 digits; −Inf of 0, NaN below.
func Log(x float64) float64 {
	if !(x > 0 && x <= math.MaxFloat64) {
		switch {
		case x == 0:
			return math.Inf(-1)
		case x > 0:
			return x
		}
		return math.NaN()
	}
	part, halvings := math.Frexp(x)
	if part < math.Sqrt2/2 {
		part *= 2
		halvings--
	}
	// ln part = 2 (s + s³/3 + s⁵/5 + …)
	s := (part - 1) / (part + 1)
	square, sum := s*s, 0.0
	for n := 2*logTerms - 1; n > 0; n -= 2 {
		sum = float64(sum*square) + 1/float64(n)
	}
	return float64(2*s*sum) + float64(float64(halvings)*ln2Low) + float64(float64(halvings)*ln2High)
}

// Exp is e^x, to 15 digits; 0 or +Inf where x is beyond ±700.
func Exp(x float64) float64 {
	switch {
	case x != x:
		return x
	case x > mostExp:
		return math.Inf(1)
	case x < -mostExp:
		return 0
	}
	doublings := math.Floor(x/math.Ln2 + 0.5)
	rest := x - float64(doublings*ln2High) - float64(doublings*ln2Low)
	sum := 1.0
	for n := float64(expTerms); n > 0; n-- {
		sum = 1 + float64(rest/n*sum)
	}
	return sum * math.Float64frombits(uint64(1023+int(doublings))<<52)
}
