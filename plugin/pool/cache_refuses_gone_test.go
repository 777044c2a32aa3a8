package pool

import (
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/health"
)

// A prompt that was held for refused, whose endpoint has left meanwhile, is in no cache, nor in that of the one that has its place since.
func TestRefusedPromptOfGoneEndpoint(t *testing.T) {
	for _, replaced := range []bool{false, true} {
		p, now := believing(640)
		p.SetCache(0, 640*1000)
		of, f := textOf(4000*700), new(Flight)
		p.Prepare(f, of, nil, 0)
		p.Match(f)
		p.Expect(f, 0)
		p.Begin(f, 0, now)
		if !f.refused {
			t.Fatal("not refused")
		}
		p.Remove(0)
		if replaced {
			p.Place(0, config.Endpoint{Address: "10.0.0.99:80", Weight: 1}, now)
		}
		p.End(f, now+second, Outcome{Ending: health.Answered})
		if entered := f.Entered().Chain != nil; entered || p.Index.Held(0) > 0 {
			t.Errorf("entered %v, %d bytes held at an endpoint that is gone", entered, p.Index.Held(0))
		}
	}
}
