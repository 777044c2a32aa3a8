package compare

import (
	"context"
	"encoding/json"
	"fmt"

	"warmroute/hostsim/internal/trace"
)

// Trace is the requests that a run sent, for hostsim replay. Every prompt is the token ids that the server made of it, so
// that a simulated replica has exactly the same blocks.
type Trace struct {
	Workload string
	Round    int // from 1
	Live     int // sessions under way at once
	Lines    []trace.Line
}

// trace asks the servers for the tokens of every request, and hands the trace on.
func (c *comparison) trace(ctx context.Context, run *Pass, live int) error {
	t := Trace{Workload: run.Workload, Round: run.Round, Live: live}
	for i := range run.records {
		r := &run.records[i]
		if r.Failed() {
			continue
		}
		ids, err := c.pool.tokenize(ctx, r.Sent.Body)
		if err != nil {
			return err
		}
		if len(ids) != r.PromptTokens {
			return fmt.Errorf("request %d: /tokenize makes %d tokens of it; its answer counted %d", i, len(ids), r.PromptTokens)
		}
		body, err := json.Marshal(map[string]any{
			"model": c.Model, "prompt": ids, "max_tokens": r.OutputTokens, "stream": true, "stream_options": map[string]bool{"include_usage": true},
			"prompt_cache_key": r.Session, // in place of the first turn, which names the session in a chat
		})
		if err != nil {
			return err
		}
		t.Lines = append(t.Lines, trace.Line{
			T: float64(i) / 1e3, Session: r.Session, Path: "/v1/completions", Body: body, OutputTokens: r.OutputTokens,
		})
	}
	return c.Trace(t)
}
