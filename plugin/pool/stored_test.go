package pool

import (
	"testing"

	"warmroute/plugin/config"
)

func TestKeeper(t *testing.T) {
	cfg, err := config.Parse([]byte(`{"endpoints":["10.0.0.1:80","10.0.0.2:80","10.0.0.3:80"]}`))
	if err != nil {
		t.Fatal(err)
	}
	p, other := New(&cfg, 1<<20), New(&cfg, 1<<20)
	if got := p.Keeper([]byte("resp_1")); got != -1 {
		t.Errorf("before any response: %d", got)
	}
	v := p.NoteResponse(2, []byte("resp_1"), 5e9)
	other.RecordVisit(2, &v, 6e9)
	for _, p := range []*Pool{p, other} {
		if got := p.Keeper([]byte("resp_1")); got != 2 {
			t.Errorf("kept by %d, want 2", got)
		}
		if got := p.Keeper([]byte("resp_2")); got != -1 {
			t.Errorf("another one is kept by %d", got)
		}
	}
	plain := New(&cfg, 0) // of a policy without an index
	for _, p := range []*Pool{other, plain} {
		p.EmptyCache(2, 7e9)
		p.RecordVisit(2, &v, 8e9) // comes late
		if got := p.Keeper([]byte("resp_1")); got != -1 {
			t.Errorf("after a restart it is kept by %d", got)
		}
	}
	p.Place(2, config.Endpoint{Address: "10.0.0.9:80", Weight: 1}, 9e9)
	if got := p.Keeper([]byte("resp_1")); got != -1 {
		t.Errorf("another endpoint at its place keeps it: %d", got)
	}
}
