// Package timeline makes a trace of the calls that a log tells of: which of a call's times is when it came, in which session it is, what its
// prompt was where that names an earlier answer, and how long its answer was. What the calls do not tell is made up, and the account says so.
//
// It sees calls alone, all of them, and not how a log wrote them.
package timeline

import (
	"cmp"
	"fmt"
	"time"

	"warmroute/hostsim/internal/call"
	"warmroute/hostsim/internal/trace"
)

// Options say how a trace is made of calls. The comments say what zero values mean.
type Options struct {
	Gap          time.Duration                        // between requests of a log without times; 0: 1 s
	OutputTokens int                                  // of an answer whose length is not known; 0: the mean of those known, else DefaultOutput
	Restore      int                                  // bytes of prompts that are put together of earlier turns; 0: none
	Accept       func(path string, body []byte) error // refuses bodies that cannot be replayed; nil: none
}

// DefaultOutput is how long an answer is taken to be if nothing at all is known of any: about the mean of the
// conversations that Azure published (AzureLLMInferenceTrace_conv, 2023: 211 tokens).
const DefaultOutput = 211

// maker makes one trace. Its methods stand in the order in which they are called.
type maker struct {
	calls   []*call.Call
	options Options
	account *Account
}

// Make makes a trace of the calls that a log has, at least one, in the order in which it has them, and changes them. The account gets
// what it says. The error is of a trace that would last longer than trace.MaxSeconds.
func Make(calls []*call.Call, o Options, account *Account) ([]trace.Line, error) {
	m := &maker{calls, o, account}
	m.times()
	order(m.calls)
	m.restore()
	after := link(m.calls, m.account)
	m.outputs()
	began := m.calls[0].At
	if last := m.calls[len(m.calls)-1]; last.At-began > trace.MaxSeconds {
		return nil, fmt.Errorf("%s:%d: its request comes %s after the first one; a trace has %s at most", last.Place.File, last.Place.Line, Lasted(last.At-began), Lasted(trace.MaxSeconds))
	}
	out := make([]trace.Line, len(m.calls))
	names := map[string]bool{}
	for i, r := range m.calls {
		out[i] = trace.Line{T: r.At - began, Session: r.Session, Path: r.Path, Body: r.Body, OutputTokens: r.Answer.Tokens}
		if p := after[i]; p >= 0 {
			out[i].Think = max(0, r.At-m.calls[p].At-m.calls[p].Took)
		}
		names[r.Session] = true
	}
	m.account.Requests, m.account.Sessions, m.account.Span = len(out), len(names), out[len(out)-1].T
	return out, nil
}

// outputs gives a length to the answers of which nothing is known.
func (m *maker) outputs() {
	known, sum := 0, 0
	for _, r := range m.calls {
		if r.Prompt > 0 && r.Prompt <= trace.MaxTokens {
			m.account.PromptTokens, m.account.PromptBytes = m.account.PromptTokens+r.Prompt, m.account.PromptBytes+len(r.Body)
		}
		if r.Answer.Tokens > trace.MaxTokens {
			r.Answer.Tokens, r.Answer.Counted = 0, false
		}
		switch {
		case r.Answer.Tokens == 0:
			continue
		case r.Answer.Counted:
			m.account.Counted++
		default:
			m.account.Measured++
		}
		known, sum = known+1, sum+r.Answer.Tokens
	}
	m.account.Measured -= m.account.NextTurn
	guess := m.options.OutputTokens
	if guess == 0 && known > 0 {
		guess = sum / known
	}
	m.account.Guess = cmp.Or(guess, DefaultOutput)
	for _, r := range m.calls {
		if r.Answer.Tokens > 0 {
			continue
		}
		m.account.Guessed++
		r.Answer.Tokens = m.account.Guess
		body := r.Object()
		for _, name := range []string{"max_tokens", "max_completion_tokens", "max_output_tokens"} {
			if n, ok := body[name].Whole(); ok && n > 0 {
				r.Answer.Tokens = min(r.Answer.Tokens, n)
			}
		}
	}
}
