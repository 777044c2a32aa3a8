package pool

import (
	"fmt"
	"testing"

	"warmroute/plugin/config"
)

// crowd is a pool that may have up to n endpoints; set makes it have the first of them, by as many calls as it takes.
func crowd(t testing.TB, n int) (p *Pool, set func(n int) (calls int)) {
	cfg, err := config.Parse([]byte(`{"discovery":{"cluster":"vllm"}}`))
	if err != nil {
		t.Fatal(err)
	}
	p = New(&cfg, 1<<20)
	return p, func(present int) (calls int) {
		for more := true; more; calls++ {
			more = p.SetMembers(n, func(i int) (config.Endpoint, bool) {
				return config.Endpoint{Address: fmt.Sprintf("10.0.%d.%d:8000", i/250, i%250), Weight: 1}, i < present
			}, 1)
			p.Ring.From(1)
		}
		return calls
	}
}

// Where many join a pool that has others, no call takes long; a new pool has all of them at once.
func TestManyJoin(t *testing.T) {
	p, set := crowd(t, 500)
	if calls := set(200); calls != 1 || p.Size() != 200 {
		t.Errorf("a new pool has %d endpoints after %d calls, want 200 after 1", p.Size(), calls)
	}
	set(3)
	if calls := set(500); calls != 8 || p.Size() != 500 || p.Ring.Members() != 500 {
		t.Errorf("%d endpoints after %d calls, want 500 after 8", p.Size(), calls)
	}
	if calls := set(3); calls != 1 || p.Size() != 3 {
		t.Errorf("%d endpoints after %d calls, want 3 after 1", p.Size(), calls)
	}
}

// BenchmarkMembers is a pool that grows from 3 endpoints to 500 and back.
func BenchmarkMembers(b *testing.B) {
	_, set := crowd(b, 500)
	for b.Loop() {
		set(3)
		set(500)
	}
}
