package main

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"warmroute/hostsim/internal/console"
	"warmroute/hostsim/internal/trace"
	"warmroute/hostsim/internal/workload"
)

// generateCmd writes a made workload as a trace that replay reads.
type generateCmd struct {
	Kind          string        `help:"Workload to generate: ${enum}." enum:"${workloads}" default:"conversations"`
	Out           string        `help:"File to write, in OpenAI JSONL; - is standard output." required:"" placeholder:"FILE"`
	Requests      int           `help:"Number of requests." default:"1000" least:"1"`
	Seed          uint64        `help:"Seed; the same seed gives the same file."`
	Rate          float64       `help:"Sessions that start per second, as a Poisson process (bursts: on average)." default:"2"`
	Think         time.Duration `help:"Mean pause between an answer and the session's next turn." default:"10s"`
	TokenTime     time.Duration `help:"Assumed time per output token, used for the arrival times written; a closed-loop replay ignores them." default:"20ms"`
	PromptTokens  int           `help:"Tokens of a prompt or shared system prompt; 0: the workload's default."`
	OutputTokens  int           `help:"Mean tokens of an answer; 0: the workload's default."`
	SystemPrompts int           `help:"Number of shared system prompts; 0: the workload's default."`
	HotShare      float64       `help:"hot-prefix: share of the requests that have the hot prompt; 0: 0.9."`
	Model         string        `help:"Model name in the bodies." default:"warmroute-sim"`
}

// Run writes the file; what was in it before is gone.
func (c *generateCmd) Run(s *console.Streams) error {
	if c.Rate <= 0 || c.Think < 0 || c.TokenTime < 0 {
		return fmt.Errorf("rate %v, think %v, token time %v: want a rate above 0 and no negative time", c.Rate, c.Think, c.TokenTime)
	}
	if err := console.Writable(c.Out); err != nil {
		return err
	}
	lines, err := c.lines(s.Ctx)
	if err != nil {
		return err
	}
	return writeLines(s, c.Out, lines)
}

// lines plays every session with made answers. A turn's time is its session's start, the answers before it at
// TokenTime a token, and the pauses, which are exponential.
func (c *generateCmd) lines(ctx context.Context) ([]trace.Line, error) {
	w, err := workload.New(c.Kind, workload.Options{
		Seed: c.Seed, Requests: c.Requests, Model: c.Model, Rate: c.Rate,
		PromptTokens: c.PromptTokens, OutputTokens: c.OutputTokens, SystemPrompts: c.SystemPrompts, HotShare: c.HotShare,
	})
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(c.Seed, 3))
	var lines []trace.Line
	for _, session := range w.Start() {
		answer := ""
		var after time.Duration // of the session's start: what was said so far
		for turn := 0; ; turn++ {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			r, ok := session.Next(answer)
			if !ok {
				break
			}
			var think time.Duration
			if turn > 0 {
				think = time.Duration(rng.ExpFloat64() * float64(c.Think))
			}
			after += think
			line := trace.Line{
				T: r.At.Seconds() + after.Seconds(), Session: r.Session, Think: think.Seconds(),
				Path: r.Path, Body: r.Body, OutputTokens: r.OutputTokens,
			}
			if err := readable(&line, c.TokenTime); err != nil {
				return nil, err
			}
			lines = append(lines, line)
			after += time.Duration(r.OutputTokens) * c.TokenTime
			answer = workload.Answer(rng.Uint64(), r.OutputTokens)
		}
	}
	slices.SortStableFunc(lines, func(a, b trace.Line) int { return cmp.Compare(a.T, b.T) })
	return lines, nil
}

// readable says what the reader of traces would refuse in a line, so that no trace is written that cannot be read.
func readable(line *trace.Line, token time.Duration) error {
	for _, at := range []float64{line.T, line.Think, float64(line.OutputTokens) * token.Seconds()} {
		if !(at >= 0 && at <= trace.MaxSeconds) {
			return fmt.Errorf("session %s takes more than %.0f s: --rate is too low, or --think or --token-time too long", line.Session, trace.MaxSeconds)
		}
	}
	if line.OutputTokens > trace.MaxTokens {
		return fmt.Errorf("an answer of session %s has %d tokens, more than %d: --output-tokens is too large", line.Session, line.OutputTokens, trace.MaxTokens)
	}
	if len(line.Body) > trace.MaxLine-1<<10 {
		return fmt.Errorf("a body of session %s has more than %d MiB: --prompt-tokens or --output-tokens is too large", line.Session, trace.MaxLine>>20)
	}
	return nil
}
