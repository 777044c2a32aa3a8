package workload

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"warmroute/hostsim/internal/trace"
)

// Pauses say when the turns of a session come that is written as a trace.
type Pauses struct {
	Think     time.Duration // the mean of the exponential pauses between an answer and the next turn, at least 0
	TokenTime time.Duration // of an answer, at least 0
}

// Trace plays every session with made answers. A turn's time is its session's start, the answers before it at TokenTime a token, and the
// pauses. The same seed gives the same lines. Errors: a line that the reader of traces would refuse, by the flags that are to blame; the end of ctx.
func (w *Workload) Trace(ctx context.Context, seed uint64, p Pauses) ([]trace.Line, error) {
	rng := rand.New(rand.NewPCG(seed, 3))
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
				think = time.Duration(rng.ExpFloat64() * float64(p.Think))
			}
			after += think
			line := trace.Line{
				T: r.At.Seconds() + after.Seconds(), Session: r.Session, Think: think.Seconds(),
				Path: r.Path, Body: r.Body, OutputTokens: r.OutputTokens,
			}
			if err := readable(&line, p.TokenTime); err != nil {
				return nil, err
			}
			lines = append(lines, line)
			after += time.Duration(r.OutputTokens) * p.TokenTime
			answer = Answer(rng.Uint64(), r.OutputTokens)
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
