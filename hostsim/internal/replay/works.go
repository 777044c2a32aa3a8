package replay

import (
	"sync"

	"warmroute/hostsim/internal/bound"
	"warmroute/hostsim/internal/render"
	"warmroute/hostsim/internal/router"
	"warmroute/hostsim/internal/trace"
	"warmroute/hostsim/internal/vllm"
)

// works makes what is shown of a trace's requests and what replicas have to do for them: once for all runs that go on together, if
// they take a request soon after each other.
type works struct {
	trace    *trace.Trace
	whole    bool // no answer is streamed
	maker    trace.Maker
	plan     *plan
	answers  *answers // or nil: replicas keep none
	runs     int
	taken    []int32        // by request: by how many runs
	infinite func() float64 // what a cache that never forgets would hit of the trace's blocks; 0 of one of bodies
	made     map[int]*made
	room     int     // bytes of bodies that may be in made
	bytes    int     // of the bodies in made
	spare    []*made // whose bodies are written over
}

// made is one request.
type made struct {
	index int
	shown router.Request // without what runs show differently
	work  vllm.Request   // the prompt's full blocks are cached, and the answer's where the trace has them
}

// keptBytes of bodies are kept for further runs.
const keptBytes = 256 << 20

func newWorks(o *Options, p *plan) *works {
	return &works{
		infinite: sync.OnceValue(func() float64 {
			if o.Trace.BlockSize == 0 {
				return 0
			}
			hit, _ := bound.Infinite(o.Trace) // fails only on bodies
			return hit
		}),
		trace: o.Trace, whole: o.Whole, maker: trace.Maker{Model: vllm.DefaultModel, Whole: o.Whole}, plan: p,
		answers: newAnswers(o.Trace), runs: 1, taken: make([]int32, len(o.Trace.Requests)), made: map[int]*made{}, room: keptBytes,
	}
}

// take is request i for one more run, which takes it once and gives it back once it has shown it. Error: a body that a replica would
// not take.
func (w *works) take(i int) (*made, error) {
	w.taken[i]++
	if m := w.made[i]; m != nil {
		return m, nil
	}
	m := &made{}
	if n := len(w.spare); n > 0 {
		m, w.spare = w.spare[n-1], w.spare[:n-1]
	}
	if err := w.make(m, i); err != nil {
		return nil, err
	}
	if w.lasts(m) && w.bytes < w.room {
		m.shown.Memo = new(any)
		w.made[i], w.bytes = m, w.bytes+len(m.shown.Body)
	}
	return m, nil
}

// lasts says whether further runs will take m.
func (w *works) lasts(m *made) bool { return int(w.taken[m.index]) < w.runs }

// give takes a request back.
func (w *works) give(m *made) {
	switch {
	case w.made[m.index] != m:
	case w.lasts(m):
		return
	default:
		delete(w.made, m.index)
		w.bytes -= len(m.shown.Body)
	}
	w.spare = append(w.spare, m)
}

func (w *works) make(m *made, i int) (err error) {
	req, maker, of := &w.trace.Requests[i], &w.maker, served{}
	if to := w.plan.of(req); to != nil {
		maker, of = to.maker, *to
	}
	body, path := maker.Append(m.shown.Body[:0], w.trace, req)
	*m = made{index: i, shown: router.Request{Path: path, Body: body}}
	switch {
	case req.Body == nil:
		kept := req
		if w.answers != nil {
			kept = &w.answers.kept.Requests[i]
		}
		m.work = vllm.Request{LoRA: of.adapter, PromptTokens: req.InputTokens, MaxTokens: req.OutputTokens}
		m.work.Hashes, err = trace.AppendHashes(make([]uint64, 0, kept.Blocks.Len()), w.trace, kept, of.seed, w.trace.BlockSize)
	case w.answers != nil:
		m.work, err = w.answers.parse(i, path, body)
	default:
		m.work, err = render.Request(path, body, req.OutputTokens)
	}
	m.work.Whole = m.work.Whole || w.whole
	return err
}
