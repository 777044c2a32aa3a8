package logs

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"warmroute/hostsim/internal/trace"
)

// lines makes a trace of the records.
func (c *collector) lines() ([]trace.Line, error) {
	for _, o := range slices.SortedFunc(maps.Values(c.orphans), func(a, b orphan) int { return cmp.Compare(a.line, b.line) }) {
		if !o.failed && !c.full() { // those of requests after the last that was to be read are not missing
			c.report.leave("an answer whose request is not there", o.file, o.line)
		}
	}
	c.records = slices.DeleteFunc(c.records, func(r *record) bool { return r.failed })
	c.talked()
	if len(c.records) == 0 {
		return nil, c.nothing()
	}
	c.times()
	order(c.records)
	c.restore(maxValues)
	after := link(c.records, c.report)
	c.outputs()
	began := c.records[0].at
	if last := c.records[len(c.records)-1]; last.at-began > trace.MaxSeconds {
		return nil, fmt.Errorf("%s:%d: its request comes %s after the first one; a trace has %s at most", last.place.file, last.place.line, lasted(last.at-began), lasted(trace.MaxSeconds))
	}
	out := make([]trace.Line, len(c.records))
	names := map[string]bool{}
	for i, r := range c.records {
		out[i] = trace.Line{T: r.at - began, Session: r.session, Path: r.path, Body: r.body, OutputTokens: r.output}
		if p := after[i]; p >= 0 {
			out[i].Think = max(0, r.at-c.records[p].at-c.records[p].took)
		}
		names[r.session] = true
	}
	c.report.Requests, c.report.Sessions, c.report.Span = len(out), len(names), out[len(out)-1].T
	return out, nil
}

// outputs gives a length to the answers of which nothing is known.
func (c *collector) outputs() {
	known, sum := 0, 0
	for _, r := range c.records {
		if r.output > trace.MaxTokens {
			r.output, r.measured = 0, false
		}
		switch {
		case r.output == 0:
			continue
		case r.measured:
			c.report.Counted++
		default:
			c.report.Measured++
		}
		known, sum = known+1, sum+r.output
	}
	c.report.Measured -= c.report.NextTurn
	guess := c.options.OutputTokens
	if guess == 0 && known > 0 {
		guess = sum / known
	}
	c.report.Guess = cmp.Or(guess, DefaultOutput)
	for _, r := range c.records {
		if r.output > 0 {
			continue
		}
		c.report.Guessed++
		r.output = c.report.Guess
		body := r.object()
		for _, name := range []string{"max_tokens", "max_completion_tokens", "max_output_tokens"} {
			if n, ok := body[name].Whole(); ok && n > 0 {
				r.output = min(r.output, n)
			}
		}
	}
}
