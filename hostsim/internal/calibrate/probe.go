package calibrate

import (
	"fmt"
	"math"
	"slices"

	"warmroute/hostsim/internal/vllm"
)

// Probe is one step of the active run: Batch requests at once, on an idle server, of prompts that share nothing.
type Probe struct {
	Batch, Prompt, Answer int // requests; tokens of each. Of text: words, and tokens once it is measured
	Repeats               int
	Text                  bool    // prompts are text, which the server has in its cache; else token ids, which it has not
	TTFT, TPOT            float64 // measured: s, mean over the batch, median over the repeats; TPOT 0 for one token
}

// String names the probe in tables.
func (p Probe) String() string {
	name := fmt.Sprintf("%d × %d tokens", p.Batch, p.Prompt)
	if p.Text {
		name += " of cached text"
	}
	return name
}

// Plan is what Probe sends. With one token to answer: prompts of 1 token and up alone, small prompts together, whose time is mostly the
// server's front end's, and cached text, whose time is mostly the tokenizer's. Then batches of 1, 4, 16 and 64 prompts of 128 and 1,024 tokens that
// decode 32 tokens together. Cheap ones come first. Nothing in it is longer than the profile's context or wider than its batch.
func Plan(p vllm.Profile) []Probe {
	var plan []Probe
	add := func(longest int, probe Probe) {
		if longest+probe.Answer <= p.MaxModelLen && probe.Batch <= p.MaxNumSeqs && probe.Batch*(longest+probe.Answer) <= p.KVTokens() {
			plan = append(plan, probe)
		}
	}
	for _, prompt := range []int{1, 64, 256, 1024, 4096} {
		add(prompt, Probe{Batch: 1, Prompt: prompt, Answer: 1, Repeats: 3})
	}
	for _, batch := range []int{4, 16, 64} {
		add(16, Probe{Batch: batch, Prompt: 16, Answer: 1, Repeats: 3})
	}
	for _, words := range []int{500, 2000, 4000} {
		add(2*words, Probe{Batch: 1, Prompt: words, Answer: 1, Repeats: 3, Text: true}) // a word is seldom more than two tokens
	}
	for _, prompt := range []int{128, 1024} {
		for _, batch := range []int{1, 4, 16, 64} {
			add(prompt, Probe{Batch: batch, Prompt: prompt, Answer: 33, Repeats: 1})
		}
	}
	slices.SortStableFunc(plan, func(a, b Probe) int { return a.cost() - b.cost() })
	return plan
}

// cost is what a probe sends and gets, in tokens; one of an answer counts as much as 32 of a prompt.
func (p Probe) cost() int { return p.Repeats * p.Batch * (p.Prompt + 32*p.Answer) }

// predict is what the model makes of the probe: as TTFT and TPOT of Measure.
func (p Probe) predict(profile vllm.Profile) (ttft, tpot float64, err error) {
	run, warm := Run{}, 0
	add := func(at int64, answer int) {
		for i := range p.Batch {
			request := vllm.Request{Hashes: []uint64{}, PromptTokens: p.Prompt, MaxTokens: answer, Tokenized: !p.Text}
			for block := range p.Prompt / profile.BlockSize {
				request.Hashes = append(request.Hashes, uint64(1+i+block*p.Batch))
			}
			run.Arrivals, run.Requests = append(run.Arrivals, at), append(run.Requests, request)
		}
	}
	if p.Text {
		add(0, 1)
		warm = p.Batch
	}
	add(int64(warm)*minute, p.Answer)
	profile.KVBlocks = p.Batch * ((p.Prompt+p.Answer)/profile.BlockSize + 2) // no more: making a large memory takes longer than the rest
	profile.MaxModelLen = min(profile.MaxModelLen, profile.KVTokens())
	done, _, err := run.Replay(profile)
	if err != nil {
		return 0, 0, err
	}
	for _, d := range done[warm:] {
		ttft += float64(d.First-d.Queued) / 1e9 / float64(p.Batch)
		if p.Answer > 1 {
			tpot += float64(d.Final-d.First) / 1e9 / float64(p.Answer-1) / float64(p.Batch)
		}
	}
	return ttft, tpot, nil
}

const minute = int64(60e9) // ns

// Probes fits p to measured probes. All times count alike, by the absolute logarithm of their ratio.
func Probes(p vllm.Profile, measured []Probe, source string) (*Fitted, error) {
	residuals := func(p vllm.Profile) ([]Residual, error) {
		var all []Residual
		for _, m := range measured {
			ttft, tpot, err := m.predict(p)
			if err != nil {
				return nil, err
			}
			all = append(all, Residual{Name: m.String() + ", first token, ms", Measured: 1e3 * m.TTFT, Model: 1e3 * ttft, Fitted: true})
			if m.Answer > 1 {
				all = append(all, Residual{Name: m.String() + ", each further, ms", Measured: 1e3 * m.TPOT, Model: 1e3 * tpot, Fitted: true})
			}
		}
		return all, nil
	}
	begin, err := outside(p, measured)
	if err != nil {
		return nil, err
	}
	f, err := Fit(begin, source, func(p vllm.Profile) (float64, error) {
		all, err := residuals(p)
		return spread(all), err
	})
	if err != nil {
		return nil, err
	}
	before, err := residuals(p)
	if err != nil {
		return nil, err
	}
	f.Without = spread(before)
	if f.Residuals, err = residuals(f.Profile); err != nil {
		return nil, err
	}
	return f, f.setError(max(.03, spread(f.Residuals)), "mean residual of the probes, at least 0.03; "+source)
}

// outside is p with a first guess of what takes time outside the GPU, from the smallest prompt that came alone, where p has nothing of it.
// Text alone shows the tokenizer.
func outside(p vllm.Profile, measured []Probe) (vllm.Profile, error) {
	gap, least, text := 0.0, math.MaxInt, false
	for _, m := range measured {
		text = text || m.Text
		if m.Batch == 1 && m.Prompt < least && !m.Text {
			ttft, _, err := m.predict(p)
			if err != nil {
				return p, err
			}
			gap, least = 1e9*(m.TTFT-ttft), m.Prompt
		}
	}
	for name, guess := range map[string]float64{"launch_ns": max(gap, 2e5), "frontend_ns": max(gap/4, 1e5), "frontend_ns_per_token": 1000} {
		if v, _ := p.Value(name); v != 0 || name == "frontend_ns_per_token" && !text {
			continue
		}
		if err := p.Set(name, guess, firstGuess); err != nil {
			return p, err
		}
	}
	return p, nil
}

// spread is the mean absolute logarithm of model ÷ measured.
func spread(all []Residual) float64 {
	sum := 0.0
	for _, r := range all {
		sum += math.Abs(math.Log(r.Model / r.Measured))
	}
	return sum / float64(max(1, len(all)))
}
