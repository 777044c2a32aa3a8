package calibrate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"warmroute/hostsim/internal/fleet"
)

// Probe is one step of the active run: Batch requests at once, on an idle server, of prompts that share nothing.
type Probe struct {
	Batch, Prompt, Answer int // requests; tokens of each
	Repeats               int
	TTFT, TPOT            float64 // measured: s, mean over the batch, median over the repeats; TPOT 0 for one token
}

// Plan is what Probe sends: prompts of 64 tokens and up alone, with one token to answer, then batches of 1, 4, 16 and 64
// prompts of 128 and 1,024 tokens that decode 32 tokens together. Cheap ones come first. Nothing in it is longer than the
// profile's context or wider than its batch.
func Plan(p fleet.Profile) []Probe {
	var plan []Probe
	for _, prompt := range []int{64, 256, 1024, 4096} {
		if prompt+1 <= p.MaxModelLen {
			plan = append(plan, Probe{Batch: 1, Prompt: prompt, Answer: 1, Repeats: 3})
		}
	}
	for _, prompt := range []int{128, 1024} {
		for _, batch := range []int{1, 4, 16, 64} {
			if prompt+33 <= p.MaxModelLen && batch <= p.MaxNumSeqs && batch*(prompt+33) <= p.KVTokens() {
				plan = append(plan, Probe{Batch: batch, Prompt: prompt, Answer: 33, Repeats: 1})
			}
		}
	}
	slices.SortStableFunc(plan, func(a, b Probe) int { return a.cost() - b.cost() })
	return plan
}

// cost is what a probe sends and gets, in tokens; one of an answer counts as much as 32 of a prompt.
func (p Probe) cost() int { return p.Repeats * p.Batch * (p.Prompt + 32*p.Answer) }

// Target sends one prompt of token ids and returns the times in s from sending to the first and to the last of so many
// tokens.
type Target func(ctx context.Context, prompt []uint32, answer int) (first, last float64, err error)

// Measure runs the plan in order on an idle server. No probe begins after the budget; the errors of a server, and fewer
// than four probes, end it. progress may be nil.
func Measure(ctx context.Context, plan []Probe, send Target, budget time.Duration, progress func(Probe)) ([]Probe, error) {
	rng := rand.New(rand.NewPCG(20, uint64(time.Now().UnixNano()))) // a cache from an earlier run must not help
	began := time.Now()
	if _, _, err := send(ctx, random(rng, 32), 4); err != nil { // the first request pays for compilation
		return nil, err
	}
	var done []Probe
	for _, p := range plan {
		if time.Since(began) > budget {
			break
		}
		var ttft, tpot []float64
		for range p.Repeats {
			first, gap, err := batch(ctx, p, send, rng)
			if err != nil {
				return nil, fmt.Errorf("%d prompts of %d tokens: %w", p.Batch, p.Prompt, err)
			}
			ttft, tpot = append(ttft, first), append(tpot, gap)
		}
		p.TTFT, p.TPOT = percentile(ttft, 50), percentile(tpot, 50)
		done = append(done, p)
		if progress != nil {
			progress(p)
		}
	}
	if len(done) < 4 {
		return nil, fmt.Errorf("only %d of %d probes within %v; give a larger budget", len(done), len(plan), budget)
	}
	return done, nil
}

// batch sends p's requests at once.
func batch(ctx context.Context, p Probe, send Target, rng *rand.Rand) (ttft, tpot float64, err error) {
	type answer struct {
		first, last float64
		err         error
	}
	prompts := make([][]uint32, p.Batch)
	for i := range prompts {
		prompts[i] = random(rng, p.Prompt)
	}
	answers := make(chan answer, p.Batch)
	for _, prompt := range prompts {
		go func() {
			first, last, err := send(ctx, prompt, p.Answer)
			answers <- answer{first, last, err}
		}()
	}
	var errs []error
	for range prompts {
		a := <-answers
		ttft += a.first / float64(p.Batch)
		if p.Answer > 1 {
			tpot += (a.last - a.first) / float64(p.Answer-1) / float64(p.Batch)
		}
		if a.err != nil && len(errs) < 3 {
			errs = append(errs, a.err)
		}
	}
	return ttft, tpot, errors.Join(errs...)
}

// random is a prompt of ids that every tokenizer has, and that are no special ones in those we know.
func random(rng *rand.Rand, n int) []uint32 {
	ids := make([]uint32, n)
	for i := range ids {
		ids[i] = 300 + rng.Uint32N(1000)
	}
	return ids
}

// predict is what the model makes of the probe: as TTFT and TPOT of Measure.
func (p Probe) predict(profile fleet.Profile) (ttft, tpot float64, err error) {
	run := Run{}
	for range p.Batch {
		run.Arrivals = append(run.Arrivals, 0)
		run.Requests = append(run.Requests, fleet.Request{Hashes: []uint64{}, PromptTokens: p.Prompt, MaxTokens: p.Answer})
	}
	profile.KVBlocks = p.Batch * ((p.Prompt+p.Answer)/profile.BlockSize + 2) // no more: making a large memory takes longer than the rest
	profile.MaxModelLen = min(profile.MaxModelLen, profile.KVTokens())
	done, _, err := run.Replay(profile)
	for _, d := range done {
		ttft += float64(d.First-d.Queued) / 1e9 / float64(p.Batch)
		if p.Answer > 1 {
			tpot += float64(d.Final-d.First) / 1e9 / float64(p.Answer-1) / float64(p.Batch)
		}
	}
	return ttft, tpot, err
}

// Probes fits p to measured probes. All times count alike, by the absolute logarithm of their ratio.
func Probes(p fleet.Profile, measured []Probe, source string) (*Fitted, error) {
	residuals := func(p fleet.Profile) ([]Residual, error) {
		var all []Residual
		for _, m := range measured {
			ttft, tpot, err := m.predict(p)
			if err != nil {
				return nil, err
			}
			name := fmt.Sprintf("%d × %d tokens", m.Batch, m.Prompt)
			all = append(all, Residual{Name: name + ", first token, ms", Measured: 1e3 * m.TTFT, Model: 1e3 * ttft, Fitted: true})
			if m.Answer > 1 {
				all = append(all, Residual{Name: name + ", each further, ms", Measured: 1e3 * m.TPOT, Model: 1e3 * tpot, Fitted: true})
			}
		}
		return all, nil
	}
	f, err := Fit(p, source, func(p fleet.Profile) (float64, error) {
		all, err := residuals(p)
		return spread(all), err
	})
	if err != nil {
		return nil, err
	}
	if f.Residuals, err = residuals(f.Profile); err != nil {
		return nil, err
	}
	return f, f.setError(max(.03, spread(f.Residuals)), "mean residual of the probes, at least 0.03; "+source)
}

// spread is the mean absolute logarithm of model ÷ measured.
func spread(all []Residual) float64 {
	sum := 0.0
	for _, r := range all {
		sum += math.Abs(math.Log(r.Model / r.Measured))
	}
	return sum / float64(max(1, len(all)))
}
