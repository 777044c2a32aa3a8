package logs

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"warmroute/hostsim/internal/call"
	"warmroute/hostsim/internal/trace"
)

// lines makes a trace of the records.
func (c *collector) lines() ([]trace.Line, error) {
	for _, o := range slices.SortedFunc(maps.Values(c.orphans), func(a, b orphan) int { return cmp.Compare(a.line, b.line) }) {
		if !o.failed && !c.full() { // those of requests after the last that was to be read are not missing
			c.report.leave("an answer whose request is not there", o.file, o.line)
		}
	}
	c.records = slices.DeleteFunc(c.records, func(r *call.Call) bool { return r.Failed })
	c.talked()
	if len(c.records) == 0 {
		return nil, c.nothing()
	}
	c.times()
	order(c.records)
	c.restore(maxValues)
	after := link(c.records, c.report)
	c.outputs()
	began := c.records[0].At
	if last := c.records[len(c.records)-1]; last.At-began > trace.MaxSeconds {
		return nil, fmt.Errorf("%s:%d: its request comes %s after the first one; a trace has %s at most", last.Place.File, last.Place.Line, lasted(last.At-began), lasted(trace.MaxSeconds))
	}
	out := make([]trace.Line, len(c.records))
	names := map[string]bool{}
	for i, r := range c.records {
		out[i] = trace.Line{T: r.At - began, Session: r.Session, Path: r.Path, Body: r.Body, OutputTokens: r.Answer.Tokens}
		if p := after[i]; p >= 0 {
			out[i].Think = max(0, r.At-c.records[p].At-c.records[p].Took)
		}
		names[r.Session] = true
	}
	c.report.Requests, c.report.Sessions, c.report.Span = len(out), len(names), out[len(out)-1].T
	return out, nil
}

// outputs gives a length to the answers of which nothing is known.
func (c *collector) outputs() {
	known, sum := 0, 0
	for _, r := range c.records {
		if r.Answer.Tokens > trace.MaxTokens {
			r.Answer.Tokens, r.Answer.Counted = 0, false
		}
		switch {
		case r.Answer.Tokens == 0:
			continue
		case r.Answer.Counted:
			c.report.Counted++
		default:
			c.report.Measured++
		}
		known, sum = known+1, sum+r.Answer.Tokens
	}
	c.report.Measured -= c.report.NextTurn
	guess := c.options.OutputTokens
	if guess == 0 && known > 0 {
		guess = sum / known
	}
	c.report.Guess = cmp.Or(guess, DefaultOutput)
	for _, r := range c.records {
		if r.Answer.Tokens > 0 {
			continue
		}
		c.report.Guessed++
		r.Answer.Tokens = c.report.Guess
		body := r.Object()
		for _, name := range []string{"max_tokens", "max_completion_tokens", "max_output_tokens"} {
			if n, ok := body[name].Whole(); ok && n > 0 {
				r.Answer.Tokens = min(r.Answer.Tokens, n)
			}
		}
	}
}
