package pool

import (
	"testing"

	"warmroute/plugin/exposition"
	"warmroute/plugin/health"
	"warmroute/plugin/models"
)

// showsUsage applies a page of metrics with requests, and with that use of KV memory.
func showsUsage(p *Pool, i int, now int64, usage float64) {
	p.ApplyMetrics(i, now, &exposition.Load{Has: exposition.HasRunning | exposition.HasWaiting | exposition.HasKVUsage, Running: 1, Waiting: 1, KVUsage: usage})
}

// downAfter lets endpoint 0 have what each does in a second, from that one on, while another answers, and is the second in which
// endpoint 0 goes down; 0: it does not in two hours.
func downAfter(p *Pool, from int64, each func(s int64)) int64 {
	for s := from; s < from+7200; s++ {
		each(s)
		p.FirstToken(begin(p, 1, s*second, 1, true), s*second)
		if p.Tick(s * second); p.Health.Down(0) {
			return s
		}
	}
	return 0
}

// The last blocks that an endpoint took before it stopped are those of the very requests that it does not answer.
func TestItsOwnBlocksDoNotHideAHang(t *testing.T) {
	p := newPool(3)
	at := downAfter(p, 1, func(s int64) {
		usage := 0.1
		if s == 1 {
			for range 20 {
				begin(p, 0, second, 100, true)
			}
		} else {
			usage = 0.2
		}
		showsUsage(p, 0, s*second, usage)
	})
	if at < 60 || at > 70 {
		t.Errorf("down after %d s, want a minute", at)
	}
	// Nor does a change that brings it back forget them.
	showsUsage(p, 0, (at+1)*second, 0.3)
	if p.Health.Down(0) {
		t.Fatal("its memory changes, and it is down")
	}
	again := downAfter(p, at+2, func(s int64) { showsUsage(p, 0, s*second, 0.3) })
	if again < at+60 || again > at+70 {
		t.Errorf("down again after %d s, want a minute after %d", again, at)
	}
}

// Clients whose answers stall, and that leave, say nothing of the requests that came later.
func TestStalledClientsDoNotHideAHang(t *testing.T) {
	p := newPool(3)
	var running []*Flight
	for range 100 {
		f := begin(p, 0, second/2, 1, true)
		p.FirstToken(f, second/2)
		running = append(running, f)
	}
	at := downAfter(p, 1, func(s int64) {
		if s%10 == 0 && len(running) > 0 {
			begin(p, 0, s*second, 1, true)
			end(p, running[0], s*second, health.Cancelled)
			running = running[1:]
		}
	})
	if at < 60 || at > 100 {
		t.Errorf("down after %d s, want about 70", at)
	}
}

// A proxy that sends requests elsewhere, by its own choice, leaves the endpoint with nothing to answer.
func TestWhatTheProxyTookElsewhereIsNotOwed(t *testing.T) {
	p := newPool(3)
	if at := downAfter(p, 1, func(s int64) {
		f := begin(p, 0, s*second, 1, true)
		p.Moved(f, 1, s*second)
		p.FirstToken(f, s*second)
	}); at != 0 {
		t.Errorf("down after %d s, and it was asked nothing", at)
	}
}

// One response, of a prompt that was cached perhaps, is no speed.
func TestOneAnswerShowsNoSpeed(t *testing.T) {
	p := newPool(3)
	f := begin(p, 0, second/2, 8000, true)
	p.FirstToken(f, second/2+second/20)
	p.End(f, second/2+second/20, Outcome{Usage: true, PromptTokens: 8000})
	if at := downAfter(p, 1, func(s int64) {
		if s < 3 {
			begin(p, 0, s*second, 420_000, true)
		}
	}); at < 4000 {
		t.Errorf("down after %d s, which two such prompts may take", at)
	}
}

// What hangs and then refuses is starting anew: it is probed as often as others that refuse.
func TestHungThatRestarts(t *testing.T) {
	for _, how := range []health.Ending{health.Refused, health.Failed} {
		p := newPool(3)
		at := downAfter(p, 1, func(int64) { begin(p, 0, second, 1, true) })
		last, longest := at, int64(0)
		for s := at; s < at+4000; s++ {
			if p.Probe(new(models.Servers), s*second) != 0 {
				continue
			}
			f := begin(p, 0, s*second, 1, true)
			if s > at+1000 {
				end(p, f, s*second, how)
			} else {
				end(p, f, s*second, health.TimedOut)
			}
			if last > at+1900 {
				longest = max(longest, s-last)
			}
			last = s
		}
		if longest > 60 || longest == 0 {
			t.Errorf("ending %d: %d s between two probes, want 60 at most", how, longest)
		}
	}
}

// After the clock was set back an endpoint that refuses need not wait until it is as late again.
func TestProbeAfterTheClockWasSetBack(t *testing.T) {
	p := newPool(2)
	fail(p, 2000*second, 2, health.Refused)
	if !p.Health.Down(0) {
		t.Fatal("it is not down")
	}
	if got := p.Probe(new(models.Servers), 1100*second); got != 0 {
		t.Errorf("probe of %d, want 0", got)
	}
}

// An answer that is not streamed shows, too, that what was taken to hang was slow.
func TestWholeAnswersEndAHang(t *testing.T) {
	p := newPool(3)
	late := begin(p, 0, second, 1, false)
	at := downAfter(p, 1, func(s int64) { begin(p, 0, s*second, 1, true) })
	end(p, begin(p, 0, (at+10)*second, 1, true), (at+10)*second, health.Cancelled)
	if !p.Health.Down(0) {
		t.Fatal("it is not down")
	}
	if end(p, late, (at+20)*second, health.Answered); p.Health.Down(0) {
		t.Error("a request of before is answered, and it is down")
	}
}
