package pool

import (
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/health"
)

// What the response to a request from before shows of a cache is not true of the endpoint that has come to that place since.
func TestResponsesFromBeforeAnEndpointJoined(t *testing.T) {
	p, now := believing(20)
	p.Place(1, config.Endpoint{Address: "10.0.0.1:80", Weight: 1}, now)
	send(p, 1, fresh(40_000), now)
	f, lost := send(p, 0, numbered(3), now), send(p, 0, fresh(40_000), now)
	if f.Matched == 0 {
		t.Fatal("nothing was believed to be cached")
	}
	p.Remove(0)
	p.Place(0, config.Endpoint{Address: "10.0.0.9:80", Weight: 1}, now)
	_, had := p.OwnWork(0, now)
	p.End(lost, now, Outcome{Ending: health.Cancelled, Lost: true})
	if _, has := p.OwnWork(0, now); has != had || had == 0 {
		t.Errorf("%v tokens of work are taken for given to it, and then %v", had, has)
	}
	p.End(f, now+second, cachedOf(0))
	if held := p.Index.Held(0); held != 0 {
		t.Errorf("%d bytes are believed to be in a cache to which nothing was sent", held)
	}
	if got := p.Residence(0); p.ends[0].memory.residence != p.ends[1].memory.residence {
		t.Errorf("requests stay for %v s where none was", got)
	}
	if lost := p.Lost.Own(0, now+second); lost != 0 {
		t.Errorf("it has lost %v of its time", lost)
	}
	if p.ends[0].cache != (cache{}) {
		t.Errorf("it is taken to tell its hits, as %+v", p.ends[0].cache)
	}
}
