package pool

import (
	"fmt"
	"testing"

	"warmroute/plugin/config"
)

// BenchmarkMembers is a pool that grows from 3 endpoints to 500 and back.
func BenchmarkMembers(b *testing.B) {
	cfg, err := config.Parse([]byte(`{"discovery":{"cluster":"vllm"}}`))
	if err != nil {
		b.Fatal(err)
	}
	p := New(&cfg, 32<<20)
	list := make([]config.Endpoint, 500)
	for i := range list {
		list[i] = config.Endpoint{Address: fmt.Sprintf("10.0.%d.%d:8000", i/250, i%250), Weight: 1}
	}
	set := func(n int) {
		p.SetMembers(len(list), func(i int) (config.Endpoint, bool) { return list[i], i < n }, 1)
		p.Ring.From(1)
	}
	set(3)
	for b.Loop() {
		set(500)
		set(3)
	}
}
