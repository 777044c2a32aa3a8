package traffic

import (
	"math"
	"testing"
)

// A beginning that comes often stays counted, however many come once.
func TestDemandKeepsWhatIsOften(t *testing.T) {
	var d Demand
	for i := range uint64(200_000) {
		now := int64(i) * int64(1e9) / 1000
		d.AddPrompt(now)
		if i%20 == 0 {
			d.Add(7, 100, now)
		} else {
			d.Add(i*0x9e3779b97f4a7c15, 50, now)
		}
	}
	if share, _ := d.Of(7, false, 200*int64(1e9)); math.Abs(share-0.05) > 0.005 {
		t.Errorf("a beginning of every twentieth prompt has a share of %.3f", share)
	}
}

func TestDemandMean(t *testing.T) {
	var d Demand
	if share, tokens := d.Mean(7, 0); share != 0 || tokens != 0 {
		t.Errorf("before any prompt: %v, %v", share, tokens)
	}
	now := int64(1e9)
	for _, tokens := range []float64{100, 300} {
		d.AddPrompt(now)
		d.Add(7, tokens, now)
	}
	for range 6 {
		d.AddPrompt(now)
		d.Add(9, 5000, now)
	}
	for _, later := range []int64{0, 20e9} { // all fade alike
		if share, tokens := d.Mean(7, now+later); math.Abs(share-0.25) > 1e-9 || math.Abs(tokens-200) > 1e-9 {
			t.Errorf("%d ns later: %v of the prompts, of %v tokens, want .25 and 200", later, share, tokens)
		}
	}
}
