package pool

import "testing"

func TestHidden(t *testing.T) {
	p := newPool(2)
	if got := p.Hidden(); got != 1 {
		t.Errorf("before any response %v of what is not known is taken to be there, not 1", got)
	}
	for range 300 {
		p.foreign.noteHidden(1000, 250)
	}
	if got := p.Hidden(); got != 0.25 {
		t.Errorf("a quarter was found each time: %v", got)
	}
	for range 300 {
		p.foreign.noteHidden(1000, -80) // less than was known
	}
	if got := p.Hidden(); got < 0 || got > 0.01 {
		t.Errorf("nothing was found for long: %v", got)
	}
	for range 300 {
		p.foreign.noteHidden(500, 900) // the estimate of its bytes is not exact
	}
	if got := p.Hidden(); got < 0.99 || got > 1 {
		t.Errorf("all was found for long: %v", got)
	}
}
