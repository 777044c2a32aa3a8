package route

import (
	"fmt"
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/decision"
	"warmroute/plugin/prompt"
)

// zoned is a rig of four endpoints, of which the first two are in the zone of the proxy.
func zoned(t *testing.T, policy, cost string) rig {
	t.Helper()
	cfg, err := config.Parse([]byte(`{"policy":"` + policy + `","zone":"a","cross_zone":"` + cost + `","endpoints":[
		{"address":"10.0.0.1:80","zone":"b"},{"address":"10.0.0.2:80","zone":"a"},{"address":"10.0.0.3:80"},{"address":"10.0.0.4:80","zone":"c"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	return newRig(&cfg, 1)
}

func (r rig) first(n int) (int, *decision.Decision) {
	var d decision.Decision
	text := []byte(fmt.Sprintf("%08d", n))
	for len(text) < 4000 {
		text = append(text, text...)
	}
	r.Pick(&decision.Request{Prompt: &prompt.Prompt{Text: text[:4000], Stream: true}, Now: second}, &d)
	return d.Order[0], &d
}

// Of endpoints that cost the same, those in the proxy's zone, or whose zone is not known, are chosen.
func TestOwnZoneAtEqualCost(t *testing.T) {
	for _, policy := range []string{"cache_aware", "expected_ttft", "join_shortest_queue"} {
		r := zoned(t, policy, "0s")
		got := map[int]int{}
		for n := range 100 {
			i, _ := r.first(n)
			got[i]++
		}
		if got[0]+got[3] > 0 || got[1] < 20 || got[2] < 20 {
			t.Errorf("%s: of 100 prompts the endpoints got %v", policy, got)
		}
		r.add(1, 30)
		r.add(2, 30)
		if i, d := r.first(1); i == 1 || i == 2 {
			t.Errorf("%s: 30 requests in the own zone, none in others: %s", policy, d.Append(nil, r.Endpoints))
		}
	}
	r := zoned(t, "power_of_two", "0s")
	for n := range 100 {
		if i, d := r.first(n); (i == 0 || i == 3) && (d.Order[1] == 1 || d.Order[1] == 2) {
			t.Fatalf("power_of_two: equal loads, and not the own zone: %s", d.Append(nil, r.Endpoints))
		}
	}
	for n := range 2 {
		var d decision.Decision
		if r.Pick(&decision.Request{Now: second}, &d); d.Order[0] != 1 && d.Order[0] != 2 {
			t.Errorf("request %d without a prompt: %s", n, d.Append(nil, r.Endpoints))
		}
	}
}

// Crossing costs as much time as the configuration says: 10,000 tokens a second are assumed.
func TestCrossZoneCost(t *testing.T) {
	for _, policy := range []string{"cache_aware", "expected_ttft"} {
		for _, c := range []struct {
			cost string
			away bool // with 20 prompts of 1,000 tokens queued at each endpoint of the own zone: 2 s of waiting
		}{{"0s", true}, {"200ms", true}, {"30s", false}} {
			r := zoned(t, policy, c.cost)
			for n := range 40 {
				_, d := r.first(1000 + n)
				r.Begin(&d.Flight, 1+n%2, second)
			}
			i, d := r.first(1)
			if got := i == 0 || i == 3; got != c.away {
				t.Errorf("%s, crossing costs %s, the own zone waits 2 s: %s", policy, c.cost, d.Append(nil, r.Endpoints))
			}
		}
	}
}
