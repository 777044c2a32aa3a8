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
	if got := p.Keeper(0, []byte("resp_1")); got != -1 {
		t.Errorf("before any response: %d", got)
	}
	v := p.NoteResponse(2, 0, []byte("resp_1"), 5e9)
	other.RecordVisit(2, &v, 6e9)
	for _, p := range []*Pool{p, other} {
		if got := p.Keeper(0, []byte("resp_1")); got != 2 {
			t.Errorf("kept by %d, want 2", got)
		}
		if got := p.Keeper(0, []byte("resp_2")); got != -1 {
			t.Errorf("another one is kept by %d", got)
		}
	}
	plain := New(&cfg, 0) // of a policy without an index
	for _, p := range []*Pool{other, plain} {
		p.EmptyCache(2, 7e9)
		p.RecordVisit(2, &v, 8e9) // comes late
		if got := p.Keeper(0, []byte("resp_1")); got != -1 {
			t.Errorf("after a restart it is kept by %d", got)
		}
	}
	p.Place(2, config.Endpoint{Address: "10.0.0.9:80", Weight: 1}, 9e9)
	if got := p.Keeper(0, []byte("resp_1")); got != -1 {
		t.Errorf("another endpoint at its place keeps it: %d", got)
	}
}

// A response that is named like one that an endpoint keeps changes nothing, as long as the endpoint is there and has not restarted.
func TestTheFirstKeeperStays(t *testing.T) {
	p, other := newPool(3), newPool(3)
	name := []byte("resp_1")
	for i, at := range []int{2, 0, 2, 1} {
		v := p.NoteResponse(at, 0, name, int64(5+i)*1e9)
		other.RecordVisit(at, &v, int64(6+i)*1e9)
		if got, told := p.Keeper(0, name), other.Keeper(0, name); got != 2 || told != 2 {
			t.Errorf("named once more at %d: kept by %d and, for another worker, by %d, want 2", at, got, told)
		}
	}
	p.EmptyCache(2, 10e9)
	p.NoteResponse(1, 0, name, 11e9)
	if got := p.Keeper(0, name); got != 1 {
		t.Errorf("after a restart it is kept by %d, want 1", got)
	}
	p.Place(1, config.Endpoint{Address: "10.0.0.9:80", Weight: 1}, 12e9)
	p.NoteResponse(0, 0, name, 13e9)
	if got := p.Keeper(0, name); got != 0 {
		t.Errorf("with another endpoint at its place it is kept by %d, want 0", got)
	}
}

// Tenants' responses are their own, also where they have one name.
func TestKeeperOfTenants(t *testing.T) {
	p, shadow := newPool(3), newPool(3)
	shadow.KeepersOf(p)
	name := []byte("resp_1")
	for owner := range 3 {
		p.NoteResponse(owner, uint64(owner), name, 5e9)
	}
	for owner, want := range []int{0, 1, 2, -1} {
		if got, its := p.Keeper(uint64(owner), name), shadow.Keeper(uint64(owner), name); got != want || its != want {
			t.Errorf("tenant %d: kept by %d, for a shadow by %d, want %d", owner, got, its, want)
		}
	}
}
