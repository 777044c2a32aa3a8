package cases

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"

	"warmroute/hostsim/internal/loads"
	"warmroute/hostsim/internal/trace"
	"warmroute/hostsim/internal/vllm"
)

// drawnLoad is the requests of a drawn case.
type drawnLoad struct {
	families []family
	file     string // or a cut of a published trace
	skip     int
	limit    int

	load     float64 // share of what the fleet can do, if half of what could be cached is
	bursts   float64 // coefficient of variation of the time between sessions, 1: by chance
	clients  int     // sessions under way at a time; 0: they come as load says
	replicas int
	kvTokens int // of a replica
	secondKV int // of one of the second kind
	slower   []float64
	profile  vllm.Profile
	second   *vllm.Profile

	mostPrompts, mostAnswers int // tokens; 0: drawnPrompts, drawnAnswers

	long     bool                 // answers may be longer than prompts
	stay     bool                 // what they answer, reasoning and all, is part of the next prompt, and its KV is found again
	messages func(t *trace.Trace) // makes prompts of blocks messages; nil: they are texts
}

// A drawn case is small, so that a replay takes about a second.
const (
	drawnRequests = 3000
	drawnPrompts  = 30_000_000 // tokens
	drawnAnswers  = 600_000    // tokens
)

func (l *drawnLoad) drawFamilies(rng *rand.Rand) {
	left := 1.0
	for range oneOf(rng, 0, 0, 0, 1, 1, 2) {
		share := left * (0.2 + 0.6*rng.Float64())
		l.families, left = append(l.families, drawFamily(rng, share)), left-share
	}
	l.families = append(l.families, drawFamily(rng, left))
	for i := range l.families { // what fits eight times into the memory
		f := &l.families[i]
		f.prefix, f.turn = min(f.prefix, l.leastKV()/16), min(f.turn, l.leastKV()/16)
	}
}

func (l *drawnLoad) String() string {
	var text []string
	for i := range l.families {
		text = append(text, l.families[i].String())
	}
	if l.file != "" {
		text = append(text, fmt.Sprintf("%d of %s from %d on", l.limit, strings.SplitN(l.file, ".", 2)[0], l.skip+1))
	}
	if l.stay {
		text = append(text, "answers stay")
	}
	if l.clients > 0 {
		text = append(text, fmt.Sprintf("%d sessions at a time", l.clients))
	} else {
		text = append(text, fmt.Sprintf("load %.2f", l.load))
		if l.bursts > 1 && l.file == "" {
			text[len(text)-1] += fmt.Sprintf(", bursts %g", l.bursts)
		}
	}
	return strings.Join(text, "; ")
}

// trace draws the load with the drawing's seed, and makes it come so fast as its share of the fleet's time asks.
func (l *drawnLoad) trace(d *loads.Drawing) (*trace.Trace, error) {
	t := &trace.Trace{}
	if l.file != "" {
		var err error
		if t, err = trace.Open(filepath.Join(d.Folder, l.file), trace.Options{Skip: l.skip, Limit: l.limit, Model: vllm.DefaultModel, Seed: d.Seed}); err != nil {
			return nil, err
		}
		t = loads.Jitter(t, d.Seed-1, loads.JitterSpan)
		last := &t.Requests[len(t.Requests)-1]
		faster := l.span(t) / max(float64(last.At), 1)
		t = t.Clone()
		for i := range t.Requests {
			r := &t.Requests[i]
			r.At, r.Think = int64(float64(r.At)*faster), int64(float64(r.Think)*faster)
		}
		return t, nil
	}
	rng := rand.New(rand.NewPCG(d.Seed, 13))
	lengths := l.draw(rng, t)
	span := l.span(t)
	think := 1.0 // sessions are to be short against the whole
	for _, length := range lengths {
		think = min(think, span/4/max(length, 1))
	}
	if l.clients > 0 {
		span = 1e9 // all come at once, and wait
	}
	starts, at := make([]int64, t.Sessions), 0.0
	for i := range starts {
		starts[i] = int64(at)
		at += hyperexponential(rng, l.bursts) * span / float64(t.Sessions)
	}
	for i := range t.Requests {
		r := &t.Requests[i]
		r.At, r.Think = int64(float64(r.At)*think), int64(float64(r.Think)*think)
	}
	t.Shift(func(session int) int64 { return starts[session] })
	if l.messages != nil {
		l.messages(t)
	}
	return t, nil
}

// draw appends sessions to t, each from 0 on, and returns how long those of each family last on average, in ns.
func (l *drawnLoad) draw(rng *rand.Rand, t *trace.Trace) []float64 {
	b := &loads.Builder{Trace: t}
	t.BlockSize = loads.BlockTokens
	shared, weights := make([][]loads.Conversation, len(l.families)), make([][]float64, len(l.families))
	lengths := make([]float64, len(l.families))
	longest := l.leastKV() / 2
	for i := range l.families {
		f := &l.families[i]
		lengths[i] = (f.turns - 1) * f.think * 1e9
		for k := range f.prefixes {
			shared[i], weights[i] = append(shared[i], b.Conversation(f.prefix)), append(weights[i], math.Pow(float64(k+1), -f.skew))
		}
	}
	t.Answers = l.stay
	prompts, mostPrompts, answers, mostAnswers := 0, cmp.Or(l.mostPrompts, drawnPrompts), 0, cmp.Or(l.mostAnswers, drawnAnswers)
	for len(t.Requests) < drawnRequests && prompts < mostPrompts && answers < mostAnswers {
		of, u := 0, rng.Float64()
		for of < len(l.families)-1 && u >= l.families[of].share {
			u -= l.families[of].share
			of++
		}
		f := &l.families[of]
		head := trace.Blocks{{First: b.Next, N: uint32(f.prefix/loads.BlockTokens + 1)}}
		if rng.Float64() < f.reuse {
			head[0].First = shared[of][draw(rng, weights[of])].First
		} else {
			b.Next += head[0].N
		}
		after, at, said := -1, 0.0, 0
		for turn := 0; turn == 0 || rng.Float64() >= 1/f.turns; turn++ {
			new := uint32((said+min(loads.Spread(rng, float64(f.turn)), 8*f.turn))/loads.BlockTokens + 1)
			head = append(append(trace.Blocks{}, head...), trace.Span{First: b.Next, N: new})
			b.Next += new
			tokens, answer := head.Len()*loads.BlockTokens, min(loads.Spread(rng, float64(f.answer)), 8*f.answer)
			if l.long && turn == 0 {
				answer = max(min(answer, longest-tokens), 1)
			}
			if tokens+answer > longest && turn > 0 {
				break
			}
			if l.stay {
				said = answer
			}
			think := rng.ExpFloat64() * f.think * 1e9
			if turn > 0 {
				at += think
			}
			t.Requests = append(t.Requests, trace.Request{
				At: int64(at), Session: t.Sessions, After: after, Think: int64(think), Blocks: head, InputTokens: tokens, OutputTokens: answer,
			})
			after, prompts, answers = len(t.Requests)-1, prompts+tokens, answers+answer
		}
		t.Sessions++
	}
	t.IDs = int(b.Next)
	return lengths
}

// draw is an index, drawn by weight.
func draw(rng *rand.Rand, weights []float64) int {
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	at, k := rng.Float64()*sum, 0
	for k < len(weights)-1 && at >= weights[k] {
		at -= weights[k]
		k++
	}
	return k
}

// hyperexponential is a time of mean 1 whose coefficient of variation is c ≥ 1: of two exponential ones with balanced means
// (Allen, Probability, Statistics, and Queueing Theory, section 3.2.9).
func hyperexponential(rng *rand.Rand, c float64) float64 {
	p := (1 + math.Sqrt((c*c-1)/(c*c+1))) / 2
	if rng.Float64() >= p {
		p = 1 - p
	}
	return rng.ExpFloat64() / (2 * p)
}

// span is the ns in which t is to come: so that the fleet is as busy as asked.
func (l *drawnLoad) span(t *trace.Trace) float64 {
	rate := 0.0 // of the whole load, per ns
	first := l.work(t, &l.profile)
	for i := range l.replicas {
		work := first
		if l.second != nil && i >= l.replicas/2 {
			work = l.work(t, l.second)
		}
		if i < len(l.slower) {
			work *= l.slower[i]
		}
		rate += 1 / work
	}
	return 1 / rate / l.load
}

// work is the ns that a replica would take for all of t: prompts, of which half of what came before is found, and answers, in
// batches that fill half of the memory.
func (l *drawnLoad) work(t *trace.Trace, p *vllm.Profile) float64 {
	seen := make([]bool, t.IDs)
	prompts, context, answers := 0.0, 0.0, 0.0
	var ids []uint32
	for i := range t.Requests {
		r := &t.Requests[i]
		ids = r.Blocks.Append(ids[:0])
		held := 0
		for held < len(ids) && seen[ids[held]] {
			held++
		}
		for _, id := range ids {
			seen[id] = true
		}
		cached := max(min(held*t.BlockSize, r.InputTokens-1), 0)
		prompts += float64(p.PrefillTime(0, r.InputTokens)+p.PrefillTime(cached, r.InputTokens)) / 2
		tokens := float64(r.InputTokens)
		if l.long {
			tokens += float64(r.OutputTokens) / 2
		}
		context += tokens * float64(r.OutputTokens)
		answers += float64(r.OutputTokens)
	}
	context /= answers
	batch := min(max(float64(l.kv(p))/2/context, 1), float64(p.MaxNumSeqs))
	step := p.StepOverhead + max(p.Weights, batch*p.DecodePerSeq) + batch*(p.Sequence+p.TokenOverhead+context*p.DecodePerKVToken)
	return prompts + answers*step/batch
}
