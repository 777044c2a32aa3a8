package loads

import (
	"testing"

	"warmroute/hostsim/internal/vllm"
)

// The load asked for is the load that is made.
func TestMadeLoad(t *testing.T) {
	p, err := vllm.LoadProfile("h100-8b")
	if err != nil {
		t.Fatal(err)
	}
	for _, load := range []float64{0.3, 1} {
		m := Usual
		m.Load, m.Think = load, 0.1
		tr := m.Trace(3, 8, p)
		work := 0.0
		for _, r := range tr.Requests {
			work += float64(p.PrefillTime(0, r.InputTokens))
		}
		span := float64(tr.Requests[len(tr.Requests)-1].At)
		if got := work / 8 / span; got < load*0.9 || got > load*1.1 {
			t.Errorf("load %v, want %v", got, load)
		}
	}
}
