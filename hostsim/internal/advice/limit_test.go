package advice

import (
	"testing"

	"warmroute/hostsim/internal/trace"
)

func TestSkew(t *testing.T) {
	of := func(prompts ...trace.Blocks) *trace.Trace {
		tr := &trace.Trace{BlockSize: 16, IDs: 100}
		for _, b := range prompts {
			tr.Requests = append(tr.Requests, trace.Request{Blocks: b, InputTokens: 16 * b.Len(), After: -1})
		}
		return tr
	}
	hot := trace.Blocks{{First: 0, N: 2}}
	with := func(id uint32) trace.Blocks {
		return append(append(trace.Blocks{}, hot...), trace.Span{First: id, N: 1})
	}
	if got := newSkew(of(with(10), with(11), with(12), trace.Blocks{{First: 20, N: 3}}), 16); got != (Skew{0.75, 32}) {
		t.Errorf("%+v, want 3 of 4 with 32 tokens", got)
	}
	if got := newSkew(of(trace.Blocks{{First: 1, N: 1}}, trace.Blocks{{First: 2, N: 1}}, trace.Blocks{{First: 3, N: 1}}, trace.Blocks{{First: 4, N: 1}}), 16); got != (Skew{}) {
		t.Errorf("%+v of prompts that share nothing", got)
	}
}
