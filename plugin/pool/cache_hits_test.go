package pool

import "testing"

func TestTrueHit(t *testing.T) {
	p := newPool(2)
	for i, c := range []struct {
		endpoint, prompt int
		told, want       bool
	}{
		{0, 100, false, false}, // it may be a server that never tells
		{0, 100, true, true},
		{0, 100, false, true}, // it tells, so there was nothing to tell
		{0, 0, false, false},  // no usage at all
		{1, 100, false, false},
	} {
		if got := p.TrueHit(c.endpoint, c.prompt, c.told); got != c.want {
			t.Errorf("answer %d: known is %v, want %v", i, got, c.want)
		}
	}
}
