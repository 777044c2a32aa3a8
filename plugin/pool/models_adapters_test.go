package pool

import (
	"fmt"
	"testing"

	"warmroute/plugin/exposition"
	"warmroute/plugin/prompt"
	"warmroute/plugin/speed"
)

// page is metrics that name adapters, the last used first.
func adaptersPage(slots int, names ...string) *exposition.Load {
	l := &exposition.Load{Has: exposition.HasAdapters, AdapterSlots: slots}
	for i, name := range names {
		l.Adapters[i] = exposition.Adapter([]byte(name))
	}
	return l
}

func asks(model string) *prompt.Prompt {
	of := textOf(4000)
	of.Model = []byte(model)
	return of
}

// Which adapters an endpoint holds is believed from its metrics, and from what was sent there since.
func TestAdaptersHeld(t *testing.T) {
	p := newPool(2)
	tokens := func(model string, i int, now int64) float64 {
		f := new(Flight)
		p.Prepare(f, asks(model), nil, 0)
		return p.LoadTokens(f, i, now)
	}
	if got := tokens("a", 0, second); got != 0 {
		t.Errorf("before any page loading takes %v tokens", got)
	}
	p.ApplyMetrics(0, second, adaptersPage(2, "a", "b", "c"))
	p.ApplyMetrics(1, second, adaptersPage(2, "c"))
	load := 0.5 / speed.AssumedPerToken
	for _, c := range []struct {
		model string
		i     int
		least float64
		most  float64
	}{
		{"a", 0, 0, 0}, {"b", 0, 0, 0}, {"c", 1, 0, 0}, {"base", 0, 0, 0},
		{"c", 0, 1.9 * load, 2 * load}, // another one must go that was used just now
		{"a", 1, load, load},           // there is room
	} {
		if got := tokens(c.model, c.i, second); got < c.least || got > c.most {
			t.Errorf("%s at %d: %v tokens, want %v to %v", c.model, c.i, got, c.least, c.most)
		}
	}
	if got := tokens("c", 0, 10*60*second); got > 1.01*load {
		t.Errorf("the one that must go was not used for ten minutes, but counts: %v", got)
	}
	send(p, 1, asks("a"), 2*second)
	send(p, 1, asks("b"), 3*second)
	if tokens("a", 1, 3*second) != 0 || tokens("b", 1, 3*second) != 0 || tokens("c", 1, 3*second) == 0 {
		t.Error("the two that were sent there last are to be held, and no other")
	}
	p.ApplyMetrics(1, 4*second, adaptersPage(2, "c"))
	if tokens("b", 1, 4*second) != 0 {
		t.Error("a page that came right after a request drops its adapter")
	}
	p.ApplyMetrics(1, 20*second, adaptersPage(2, "c", "a"))
	if tokens("b", 1, 20*second) == 0 || tokens("a", 1, 20*second) != 0 {
		t.Error("the metrics show two others as used later, but b is still believed to be held")
	}
	p.ApplyMetrics(0, 21*second, &exposition.Load{Has: exposition.HasCacheQueries, CacheQueries: 9})
	p.ApplyMetrics(0, 22*second, &exposition.Load{Has: exposition.HasCacheQueries, CacheQueries: 1})
	if tokens("a", 0, 22*second) == 0 {
		t.Error("a replica that has restarted is believed to hold an adapter")
	}
}

func TestNewAdapter(t *testing.T) {
	p := newPool(2)
	is := func(model string) bool {
		f := new(Flight)
		p.Prepare(f, asks(model), nil, 0)
		_, is := p.NewAdapter(f)
		return is
	}
	p.ApplyMetrics(0, second, adaptersPage(1, "a", "b"))
	if is("a") || !is("b") || is("base") {
		t.Errorf("new: a %v, b %v, base %v; only b is loaded nowhere", is("a"), is("b"), is("base"))
	}
}

// An endpoint whose pages name new adapters all the time does not use up what all have room for.
func TestOneEndpointsAdaptersLeaveRoom(t *testing.T) {
	p := newPool(2)
	now := int64(second)
	p.ApplyMetrics(1, now, adaptersPage(2, "old"))
	for n := range 8192 / exposition.MaxAdapters { // twice as many as are known at most
		var names []string
		for k := range exposition.MaxAdapters {
			names = append(names, fmt.Sprint("junk ", n, k))
		}
		now += 6 * second
		p.ApplyMetrics(0, now, adaptersPage(2, names...))
		p.Tick(now)
	}
	for range 20 {
		now += second
		p.ApplyMetrics(1, now, adaptersPage(2, "new"))
		p.Tick(now)
	}
	for _, name := range []string{"old", "new"} {
		if p.adapters.Key(nil, []byte(name)) == 0 {
			t.Errorf("%s is not known as an adapter", name)
		}
	}
}

// After the clock was set back, what was sent before does not count as used later than what metrics show.
func TestAdaptersWhenTheClockIsSetBack(t *testing.T) {
	p := newPool(1)
	p.ApplyMetrics(0, 7200*second, adaptersPage(2, "a", "b"))
	send(p, 0, asks("a"), 7200*second)
	send(p, 0, asks("b"), 7200*second)
	p.ApplyMetrics(0, 3660*second, adaptersPage(2, "c", "d"))
	for model, held := range map[string]bool{"a": false, "b": false, "c": true, "d": true} {
		f := new(Flight)
		p.Prepare(f, asks(model), nil, 0)
		if got := p.LoadTokens(f, 0, 3660*second) == 0; got != held {
			t.Errorf("%s is held: %v, want %v", model, got, held)
		}
	}
}
