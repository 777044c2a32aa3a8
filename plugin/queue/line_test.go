package queue

import (
	"math"
	"testing"
)

const (
	second = int64(1e9)
	step   = 8192 // tokens
)

// Of what an endpoint computes up to a first token, beside the prompt of that, a line has its part; without streams there is nothing to show.
func TestLineMoves(t *testing.T) {
	const ms = second / 1000
	l := Line{Waiting: 4, Queued: 4000, Begun: 100 * ms, Ended: 200 * ms}
	for _, c := range []struct {
		shown  int64
		all    float64
		tokens float64
		left   int
	}{
		{300 * ms, 8000, 4000, 4}, {400 * ms, 8000, 3500, 4}, {400 * ms, 4000, 3000, 3}, {400 * ms, 0, 3000, 3}, {10_000 * ms, 8000, 0, 0}, {150 * ms, 8000, 4000, 4},
	} {
		if got := l.Moved(c.shown, c.all, 1e-4); math.Abs(got.Queued-c.tokens) > 1e-6 || got.Waiting != c.left || got.Ended != max(l.Ended, c.shown) {
			t.Errorf("at %v ms, of %v tokens: %+v, want %v tokens of %d", c.shown/ms, c.all, got, c.tokens, c.left)
		}
	}
	if got := (Line{Waiting: 1, Begun: 300 * ms}).Moved(300*ms, 0, 1e-4); got.Queued != 0 || got.Waiting != 1 {
		t.Errorf("a prompt without tokens, reported at the moment of a first token: %v", got)
	}
	if got := (Line{Queued: 500}).Moved(300*ms, 500, 1e-4); got.Queued != 500 {
		t.Errorf("of responses that are not streamed %v tokens are left", got.Queued)
	}
}

// A first token is due when all that wait are computed, and what every response takes beside is over.
func TestLate(t *testing.T) {
	const ms = second / 1000
	for name, c := range map[string]struct {
		line Line
		now  int64
		want float64
	}{
		"nobody waits":           {Line{Ended: 1000 * ms, Queued: 500}, 9000 * ms, 0},
		"not due yet":            {Line{Waiting: 1, Queued: 4000, Begun: 1000 * ms}, 1600 * ms, 0}, // 400 ms to compute, 200 beside
		"late":                   {Line{Waiting: 1, Queued: 4000, Begun: 1000 * ms}, 1900 * ms, 3000},
		"since one has left":     {Line{Waiting: 2, Queued: 4000, Begun: 1000 * ms, Ended: 1800 * ms}, 1900 * ms, 0},
		"several in a step":      {Line{Waiting: 4, Queued: 8000, Begun: 1000 * ms}, 2000 * ms, 0}, // 800 ms to compute
		"more than a step":       {Line{Waiting: 10, Queued: 20 * step, Begun: 1000 * ms}, 1200*ms + 1e5*2*step, 0},
		"more than all, late":    {Line{Waiting: 10, Queued: 20 * step, Begun: 1000 * ms}, 1200*ms + 1e5*21*step, step},
		"the clock was set back": {Line{Waiting: 1, Queued: 4000, Begun: 5000 * ms}, 1000 * ms, 0},
	} {
		if got := c.line.Late(c.now, 1e-4, 0.2); math.Abs(got-c.want) > 1e-6 {
			t.Errorf("%s: late by %v tokens, want %v", name, got, c.want)
		}
	}
}
