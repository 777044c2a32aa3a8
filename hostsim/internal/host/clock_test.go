package host

import (
	"testing"
)

func TestTicks(t *testing.T) {
	p := run(t, "configure|tick|100\ntick|time", Config{Workers: 2})
	if at, found := p.NextEvent(); !found || at != start+100e6 {
		t.Errorf("next event at %d, %v", at, found)
	}
	p.Advance(start + 250e6)
	wantSaid(t, p, `
		tick(100) = ok
		tick(100) = ok
		on tick 1
		time() = 1000100000000
		on tick 1
		time() = 1000100000000
		on tick 1
		time() = 1000200000000
		on tick 1
		time() = 1000200000000`)
	for i, e := range p.Logs() {
		if e.Message == "on tick 1" && i%2 == 0 && e.At != start+100e6 && e.At != start+200e6 {
			t.Errorf("tick logged at %d", e.At)
		}
	}
	if p.Now() != start+250e6 {
		t.Errorf("now %d", p.Now())
	}
	p.Advance(start)
	if p.Now() != start+250e6 {
		t.Errorf("time went back to %d", p.Now())
	}
}

func TestTickChanged(t *testing.T) {
	p := run(t, "configure|tick|100\nconfigure|tick|300\ntick|tick|0", Config{})
	p.Advance(start + 299e6)
	if got := said(p); len(got) != 2 {
		t.Errorf("ticked early: %q", got)
	}
	p.Advance(start + 10e9)
	wantSaid(t, p, "tick(100) = ok\ntick(300) = ok\non tick 1\ntick(0) = ok")
	if _, found := p.NextEvent(); found {
		t.Error("something is due after the tick was switched off")
	}
}

func TestTimeStandsStill(t *testing.T) {
	p := run(t, "request_headers|time\nrequest_headers|clock|0\nrequest_headers|clock|1\nrequest_headers|clock|2", Config{})
	p.Advance(start + 7)
	p.NewStream(0).RequestHeaders(get("/"), true)
	wantSaid(t, p, `
		on request_headers 2 3 1
		time() = 1000000000007
		clock(0) = 1000000000007
		clock(1) = 1000000007
		clock(2) = status 58`)
}
