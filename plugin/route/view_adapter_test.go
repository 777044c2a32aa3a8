package route

import (
	"fmt"
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/decision"
	"warmroute/plugin/exposition"
	"warmroute/plugin/prompt"
)

// An adapter's requests prefer where it is loaded, as long as waiting there costs less than loading it elsewhere; one that is
// loaded nowhere is put at one place by the ring, whatever the prompts.
func TestAdapters(t *testing.T) {
	for _, policy := range []string{"cache_aware", "expected_ttft"} {
		cfg, err := config.Parse([]byte(`{"policy":"` + policy + `","adapter_load":"1s","endpoints":["10.0.0.1:80","10.0.0.2:80","10.0.0.3:80","10.0.0.4:80"]}`))
		if err != nil {
			t.Fatal(err)
		}
		r := newRig(&cfg, 1)
		for i := range 4 {
			l := exposition.Load{Has: exposition.HasAdapters, AdapterSlots: 2}
			if i == 2 {
				l.Adapters[0] = exposition.Adapter([]byte("loaded"))
			}
			if i == 3 { // it was there once
				l.Adapters = [exposition.MaxAdapters]uint32{exposition.Adapter([]byte("x")), exposition.Adapter([]byte("y")), exposition.Adapter([]byte("gone"))}
			}
			r.ApplyMetrics(i, second, &l)
		}
		first := func(model string, n int) (int, *decision.Decision) {
			var d decision.Decision
			text := []byte(fmt.Sprintf("%08d", n))
			for len(text) < 4000 {
				text = append(text, text...)
			}
			r.Pick(&decision.Request{Prompt: &prompt.Prompt{Model: []byte(model), Text: text[:4000], Stream: true}, Now: second}, &d)
			return d.Order[0], &d
		}
		gone := map[int]int{}
		for n := range 20 {
			if i, d := first("loaded", n); i != 2 {
				t.Fatalf("%s: prompt %d of an adapter that is loaded at 2 goes to %d: %s", policy, n, i, d.Append(nil, r.Endpoints))
			}
			i, _ := first("gone", n)
			gone[i]++
		}
		if len(gone) != 1 {
			t.Errorf("%s: an adapter that is loaded nowhere is put at %d endpoints: %v", policy, len(gone), gone)
		}
		for n := range 40 { // 40 × 1,000 tokens at 10,000 a second: more than loading takes
			_, d := first("loaded", 1000+n)
			r.Begin(&d.Flight, 2, second)
		}
		if i, d := first("loaded", 1); i == 2 {
			t.Errorf("%s: it waits 4 s where it is loaded, and is loaded elsewhere in 1 s: %s", policy, d.Append(nil, r.Endpoints))
		}
	}
}
