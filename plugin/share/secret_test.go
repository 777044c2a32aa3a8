package share_test

import (
	"testing"

	"warmroute/plugin/share"
	"warmroute/plugin/share/memstore"
)

// TestSecretIsOneForAllWorkers: the first draws it, and others take it, even one that draws at the same time.
func TestSecretIsOneForAllWorkers(t *testing.T) {
	m, next := memstore.New(), uint64(41)
	draw := func() uint64 { next++; return next }
	if a, b := share.Secret(m, draw), share.Secret(m, draw); a != 42 || b != 42 {
		t.Errorf("the workers have %d and %d, want 42", a, b)
	}
	m = memstore.New()
	first := share.Secret(m, func() uint64 { return share.Secret(m, draw) + 1 })
	if again := share.Secret(m, draw); again != first {
		t.Errorf("after two drew at once, one has %d and another %d", first, again)
	}

	// One that has found none goes on when another has drawn, written and read its own.
	m = memstore.New()
	other := uint64(0)
	m.AfterGet = func(string) {
		m.AfterGet = nil
		other = share.Secret(m, draw)
	}
	if one := share.Secret(m, draw); one != other {
		t.Errorf("one has %d, and another that was faster %d", one, other)
	}
}
