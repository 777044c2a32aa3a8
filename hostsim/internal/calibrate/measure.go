package calibrate

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// Prompt is token ids, or text if there are none.
type Prompt struct {
	IDs  []uint32
	Text string
}

// Times are what a server did with a prompt.
type Times struct {
	First, Last float64 // s from sending to the first and to the last token
	Tokens      int     // of the prompt, by the server's usage
}

// Target sends one prompt, and asks for so many tokens.
type Target func(ctx context.Context, prompt Prompt, answer int) (Times, error)

// Measure runs the plan in order on an idle server. No probe begins after the budget; the errors of a server, and fewer
// than four probes, end it. progress may be nil.
func Measure(ctx context.Context, plan []Probe, send Target, budget time.Duration, progress func(Probe)) ([]Probe, error) {
	rng := rand.New(rand.NewPCG(20, uint64(time.Now().UnixNano()))) // a cache from an earlier run must not help
	began := time.Now()
	if _, err := send(ctx, Prompt{IDs: random(rng, 32)}, 4); err != nil { // the first request pays for compilation
		return nil, err
	}
	var done []Probe
	for _, p := range plan {
		if time.Since(began) > budget {
			break
		}
		var ttft, tpot []float64
		sent := 0
		for range p.Repeats {
			first, gap, tokens, err := batch(ctx, p, send, rng)
			if err != nil {
				return nil, fmt.Errorf("%v: %w", p, err)
			}
			ttft, tpot = append(ttft, first), append(tpot, gap)
			sent += tokens
		}
		p.TTFT, p.TPOT = percentile(ttft, 50), percentile(tpot, 50)
		if p.Text {
			p.Prompt = sent / p.Repeats
		}
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

// batch sends p's requests at once; cached ones once before, one after another.
func batch(ctx context.Context, p Probe, send Target, rng *rand.Rand) (ttft, tpot float64, tokens int, err error) {
	prompts := make([]Prompt, p.Batch)
	for i := range prompts {
		if !p.Text {
			prompts[i].IDs = random(rng, p.Prompt)
			continue
		}
		prompts[i].Text = text(rng, p.Prompt)
		if _, err := send(ctx, prompts[i], 1); err != nil {
			return 0, 0, 0, err
		}
	}
	type answer struct {
		Times
		err error
	}
	answers := make(chan answer, p.Batch)
	for _, prompt := range prompts {
		go func() {
			times, err := send(ctx, prompt, p.Answer)
			answers <- answer{times, err}
		}()
	}
	var errs []error
	for range prompts {
		a := <-answers
		ttft += a.First / float64(p.Batch)
		if p.Answer > 1 {
			tpot += (a.Last - a.First) / float64(p.Answer-1) / float64(p.Batch)
		}
		if tokens = a.Tokens; a.err == nil && tokens < 1 {
			a.err = errors.New("the server does not say how many tokens a prompt has: no usage in its stream")
		}
		if a.err != nil && len(errs) < 3 {
			errs = append(errs, a.err)
		}
	}
	return ttft, tpot, tokens, errors.Join(errs...)
}

// random is a prompt of ids that every tokenizer has, and that are no special ones in those we know.
func random(rng *rand.Rand, n int) []uint32 {
	ids := make([]uint32, n)
	for i := range ids {
		ids[i] = 300 + rng.Uint32N(1000)
	}
	return ids
}

// text is n words; most tokenizers have a token for each.
func text(rng *rand.Rand, n int) string {
	chosen := make([]string, n)
	for i := range chosen {
		chosen[i] = words[rng.IntN(len(words))]
	}
	return strings.Join(chosen, " ")
}

var words = strings.Fields(`about after again all also and any around back because been before between both came come could day down each even
	every far few first found from get give good great group had has have head help her here high him his home house how into just know
	large last left life like line little long look made make man many may men might more most much must name never new next night no
	not number off old one only open other our out over own part people place play put read right run said same saw say school see set
	she should show side small so some something sound still such take tell than that the their them then there these they thing think
	this those thought three through time together too took tree turn two under until up upon use very want was water way well went were
	what when where which while white who why will with without word work world would write year you young your`)
