package metrics

import (
	"testing"

	"warmroute/plugin/worker"
)

// The counter never falls and shows the net: what is lost is made up first, and parts of a whole are kept.
func TestGain(t *testing.T) {
	host := fake{}
	proxy = host
	g := newGain("shadow", "round_robin", "")
	for _, c := range []struct {
		saved           float64
		tokens, seconds int64
	}{{100, 100, 1}, {-80, 100, 1}, {50, 100, 1}, {40.5, 110, 1}, {0.5, 111, 1}, {-5, 111, 1}, {889, 995, 9}} {
		g.save(c.saved, 0.01)
		g.flush()
		for name, want := range map[string]int64{"tokens_saved_total": c.tokens, "prefill_saved_seconds_total": c.seconds} {
			if got := host.value("baseline=.=shadow;.;policy=.=round_robin;.;warmroute_" + name); got != want {
				t.Errorf("after %v more %s is %d, want %d", c.saved, name, got, want)
			}
		}
	}
}

// The live arm's answers wait until the other's share is known, and are then measured by it.
func TestBaseline(t *testing.T) {
	var b baseline
	b.answered(worker.Live, 1000, 100)
	if got := b.compare(); got != 0 {
		t.Errorf("%v tokens are saved against nothing", got)
	}
	for range leastAnswers * 2 {
		b.answered(worker.Experimental, 500, 250)
	}
	if got := b.compare(); got < 399.9 || got > 400.1 { // half of 1,000 less 100
		t.Errorf("%v tokens are saved, want 400", got)
	}
	if got := b.compare(); got != 0 {
		t.Errorf("%v tokens are saved twice", got)
	}
	b.answered(worker.Live, 1000, 900)
	if got := b.compare(); got > -399.9 || got < -400.1 {
		t.Errorf("%v tokens are saved, want -400", got)
	}
}
