package ours

import (
	"fmt"
	"strings"
	"testing"

	"warmroute/hostsim/internal/router"
)

// The module's memory grows with the endpoints, not with the pools over them.
func TestMemoryOfPools(t *testing.T) {
	const requests = 600
	var sizes [3]int
	for k, pools := range [...]int{1, 10, 100} {
		var addresses, list []string
		for i := range 64 {
			addresses = append(addresses, fmt.Sprintf("%q", fmt.Sprintf("10.0.0.%d:8000", i+1)))
		}
		for i := range pools {
			list = append(list, fmt.Sprintf(`{"name": "p%d", "match": {"models": ["m%d"]}, "steer": {"cluster": "c%d"}, "endpoints": [%s]}`, i, i, i, strings.Join(addresses, ",")))
		}
		w, err := NewWasm(t.Context(), module, fmt.Appendf(nil, `{"seed": 1, "scrape": {"path": ""}, "pools": [%s]}`, strings.Join(list, ",")), 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		start := w.Proxy().VM(0).Used()
		for i := range requests {
			body := fmt.Appendf(nil, `{"model": "m%d", "prompt": "%d %s"}`, i%pools, i, strings.Repeat("and so on ", 400))
			ticket, err := w.Begin(0, &router.Request{Path: "/v1/completions", Body: body})
			if err != nil {
				t.Fatal(err)
			}
			router.Answer(ticket, ticket.Endpoints()[0], 200, "application/json", []byte(`{"usage":{"prompt_tokens":9}}`))
		}
		sizes[k] = w.Proxy().VM(0).Used()
		t.Logf("%3d pools over 64 endpoints: memory used %5d KB at the start, %5d KB after %d requests", pools, start>>10, sizes[k]>>10, requests)
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}
	if each := (sizes[2] - sizes[0]) / 99; each > 512<<10 {
		t.Errorf("each pool of 64 endpoints takes %d KB, want at most 512", each>>10)
	}
}
