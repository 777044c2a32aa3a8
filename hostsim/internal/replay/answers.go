package replay

import (
	"slices"

	"warmroute/hostsim/internal/render"
	"warmroute/hostsim/internal/trace"
	"warmroute/hostsim/internal/vllm"
)

// answers lets replicas keep the tokens of answers, as vLLM does: its KVCacheManager caches every full block, whether its
// tokens were read or generated. What an answer was is known by the next prompt (trace.Trace.Kept). One that no prompt repeats takes
// room while it is written, and none afterwards.
type answers struct {
	trace  *trace.Trace
	kept   *trace.Trace         // of block ids
	next   []int                // of bodies: the request that waits for each one's answer; 0: none
	parsed map[int]vllm.Request // bodies that were read before their time
}

// newAnswers is nil where replicas keep none.
func newAnswers(t *trace.Trace) *answers {
	if !t.Answers {
		return nil
	}
	return &answers{trace: t, kept: t.Kept(), next: t.Next(), parsed: map[int]vllm.Request{}}
}

// parse reads request i's body; the answer's tokens follow the prompt's, as far as they are known.
func (a *answers) parse(i int, path string, body []byte) (vllm.Request, error) {
	output := a.trace.Requests[i].OutputTokens
	work, ok := a.parsed[i]
	if !ok {
		var err error
		if work, err = render.Request(path, body, output); err != nil {
			return work, err
		}
	}
	delete(a.parsed, i)
	later := &a.trace.Requests[a.next[i]]
	if a.next[i] == 0 || later.Body == nil {
		return work, nil
	}
	next, err := render.Request(later.Path, later.Body, later.OutputTokens)
	if err != nil {
		return work, nil // it is refused when it comes
	}
	a.parsed[a.next[i]] = next
	prompt := work.Tokens[:work.PromptTokens]
	if n := len(prompt) + output; next.Seed == work.Seed && next.PromptTokens >= n && slices.Equal(next.Tokens[:len(prompt)], prompt) {
		work.Tokens = next.Tokens[:n]
	}
	return work, nil
}
