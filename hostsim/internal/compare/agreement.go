package compare

import (
	"math"
	"strconv"
	"strings"

	"warmroute/hostsim/internal/bench"
)

// Agreement compares the cached tokens that the router expected at a replica with those that the replica then reported.
type Agreement struct {
	Requests  int     `json:"requests"`
	Believed  float64 `json:"believed_tokens"`     // expected, mean per request
	True      float64 `json:"true_tokens"`         // cached_tokens, mean per request
	MAE       float64 `json:"mean_absolute_error"` // tokens
	Bias      float64 `json:"bias"`                // expected − true, tokens per request
	Relative  float64 `json:"relative_bias"`       // Bias ÷ True; 0 where nothing was cached
	Unfounded float64 `json:"unfounded_share"`     // of the requests: a block or more expected, and nothing cached
}

// agree compares the decisions in the response header with cached_tokens; nil if no decision has expected tokens.
func agree(records []bench.Record) *Agreement {
	var a Agreement
	unfounded := 0
	for i := range records {
		r := &records[i]
		believed, ok := number(r.Decision, "expected_cached_tokens")
		if !ok || r.Failed() {
			continue
		}
		a.Requests++
		a.Believed += believed
		a.True += float64(r.CachedTokens)
		a.MAE += math.Abs(believed - float64(r.CachedTokens))
		if believed > 0 && r.CachedTokens == 0 {
			unfounded++
		}
	}
	if a.Requests == 0 {
		return nil
	}
	n := float64(a.Requests)
	a.Believed, a.True, a.MAE = a.Believed/n, a.True/n, a.MAE/n
	a.Bias = a.Believed - a.True
	if a.True > 0 {
		a.Relative = a.Bias / a.True
	}
	a.Unfounded = float64(unfounded) / n
	return &a
}

// number is a member of a decision's text.
func number(decision, name string) (float64, bool) {
	for pair := range strings.SplitSeq(decision, ";") {
		if key, value, ok := strings.Cut(pair, "="); ok && key == name {
			v, err := strconv.ParseFloat(value, 64)
			return v, err == nil
		}
	}
	return 0, false
}
