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
			d.Add(7, now)
		} else {
			d.Add(i*0x9e3779b97f4a7c15, now)
		}
	}
	if share, _ := d.Of(7, 200*int64(1e9)); math.Abs(share-0.05) > 0.005 {
		t.Errorf("a beginning of every twentieth prompt has a share of %.3f", share)
	}
}
