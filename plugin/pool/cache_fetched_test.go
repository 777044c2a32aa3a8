package pool

import (
	"fmt"
	"testing"

	"warmroute/plugin/exposition"
	"warmroute/plugin/health"
	"warmroute/plugin/prompt"
)

// What lies at a prompt's URLs may be another medium each time, and its server then computes all anew: that says nothing of what its
// cache holds of others' prompts, nor that it lost anything.
func TestFetchedMediaRefuteNothing(t *testing.T) {
	p := newPool(1)
	p.ApplyMetrics(0, second, &exposition.Load{Has: exposition.HasRunning | exposition.HasWaiting | exposition.HasKVTokens | exposition.HasKVUsage, KVTokens: 1e6})
	text := func(of string) *prompt.Prompt {
		return &prompt.Prompt{Model: []byte("m"), Text: append([]byte(of), textOf(20_000).Text...), Stream: true}
	}
	var others []*Flight
	for n := range 50 {
		f := send(p, 0, text(fmt.Sprint(n)), second+int64(n))
		p.FirstToken(f, 2*second)
		p.End(f, 3*second, Outcome{Ending: health.Answered, Usage: true, PromptTokens: 5000})
		others = append(others, f)
	}
	for k := range 4 {
		now := int64(10+13*k) * second
		of, f := text("mine"), new(Flight)
		of.Media, of.Fetched = true, true
		p.Prepare(f, of, nil, 0)
		p.Return(f, int(p.Match(f)[0]), 0, now-600*second)
		p.Match(f)
		p.Expect(f, 0)
		p.Begin(f, 0, now)
		p.FirstToken(f, now+second)
		p.End(f, now+2*second, Outcome{Ending: health.Answered, Usage: true, PromptTokens: 5000})
	}
	for n, f := range others {
		if held := int(p.Match(f)[0]); held != f.Total {
			t.Fatalf("of conversation %d %d of %d blocks are still taken to be held", n, held, f.Total)
		}
	}
	if lost := p.Lost.Time(nil, 51*second); lost > 0 {
		t.Errorf("it seems to have lost %.2f of its time", lost)
	}
}
