package route

import (
	"encoding/binary"
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/decision"
	"warmroute/plugin/health"
	"warmroute/plugin/pool"
	"warmroute/plugin/prompt"
)

// Under load of new prompts that all take as long, an endpoint's share of the requests is that of its weight. The default leans
// towards it only: what it weighs is cost, and these endpoints are equally fast. lru_match, an assignment over equal caches, knows no
// weights.
func TestWeights(t *testing.T) {
	weights := []int{1, 1, 2, 4}
	for policy := range config.Policies {
		cfg, err := config.Parse([]byte(`{"policy":"` + policy.String() + `","endpoints":[{"address":"10.0.0.1:80","weight":1},{"address":"10.0.0.2:80","weight":1},
			{"address":"10.0.0.3:80","weight":2},{"address":"10.0.0.4:80","weight":4}]}`))
		if err != nil {
			t.Fatal(err)
		}
		r := newRig(&cfg, 1)
		var under [40]decision.Decision
		var got [4]int
		now := 1000 * second
		for n := range 4000 {
			now += second / 40
			d := &under[n%len(under)]
			if n >= len(under) {
				r.end(d, now, pool.Outcome{Ending: health.Answered})
			}
			*d = decision.Decision{}
			text := make([]byte, 600)
			for i := 0; i < len(text); i += 8 {
				binary.LittleEndian.PutUint64(text[i:], uint64(n*1_000_003+i)*0x9E3779B97F4A7C15)
			}
			if !r.Pick(&decision.Request{Prompt: &prompt.Prompt{Text: text, Session: text[:8], Stream: true}, Now: now}, d) {
				t.Fatal("no endpoint")
			}
			r.begin(d, now)
			r.firstToken(d, now)
			got[d.Order[0]]++
		}
		for i, weight := range weights {
			share, fair := float64(got[i])/4000, float64(weight)/8
			switch policy {
			case config.PolicyLRUMatch:
				fair = 0.25
			case config.PolicyCacheAware:
				fair = (fair + 0.25) / 2
			}
			if share < 0.75*fair || share > 1.3*fair {
				t.Errorf("%v: an endpoint of weight %d gets %.3f of the requests, by weight %.3f", policy, weight, share, fair)
			}
		}
		t.Logf("%v: %v", policy, got)
	}
}
