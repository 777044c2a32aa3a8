package share

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"warmroute/plugin/share/memstore"
)

// breaks are ways in which a value may be broken.
var breaks = map[string]func([]byte) []byte{
	"missing":               func([]byte) []byte { return nil },
	"cut in half":           func(v []byte) []byte { return v[:len(v)/2] },
	"cut by one":            func(v []byte) []byte { return v[:max(len(v)-1, 0)] },
	"shifted":               func(v []byte) []byte { return append([]byte{255}, v...) },
	"longer by 8":           func(v []byte) []byte { return append(slices.Clone(v), 1, 2, 3, 4, 5, 6, 7, 8) },
	"cut within the counts": func(v []byte) []byte { return v[:min(headSize+inFlightHead+2, len(v)*2/5)] },
	"renumbered":            func(v []byte) []byte { return with(v, 0) },
	"of other endpoints":    func(v []byte) []byte { return with(v, 8) },
	"a page of others":      func(v []byte) []byte { return with(v, sizeBytes+8) },
	"a page renumbered":     func(v []byte) []byte { return with(v, sizeBytes) },
	"zeros":                 func(v []byte) []byte { return make([]byte, len(v)) },
	"all bits set":          func(v []byte) []byte { return slices.Repeat([]byte{255}, len(v)) },
}

// with changes one byte, where there is one.
func with(v []byte, at int) []byte {
	if v = slices.Clone(v); at < len(v) {
		v[at]++
	}
	return v
}

// tails are ways that leave a slot's head and counts whole: some of the page behind them is left out, the log is as long or ends
// in an entry that was never written.
var tails = []string{"cut in half", "cut by one", "longer by 8", "renumbered"}

// Whatever stands in shared data, nothing is believed but what was published: of the prompts whose page is broken some or none, of
// all others everything, and where the peer's slot is broken, neither its log nor its counts. Once the value is whole again, all is.
func TestGarbage(t *testing.T) {
	const routed = pageEntries + 1 // on two pages
	world := func() (*memstore.Store, worker, worker) {
		m := memstore.New()
		a, b := newWorker(t, m, two, 0), newWorker(t, m, two, 0)
		a.Tick(0)
		for n := range routed {
			a.begin(0, 0)
			a.RecordRouted(0, sent(chainOf(n), 0), 0)
		}
		return m, a, b
	}
	m, a, b := world()
	slot, log := a.peers[a.slot].slotKey, a.peers[a.slot].slotKey+"."
	for _, key := range m.Keys() {
		if value, _, _ := m.Get(key); len(value) == 0 && !strings.HasSuffix(key, ".2") {
			continue // one free slot is like another
		}
		for how, broken := range breaks {
			if strings.HasPrefix(how, "a page") && !strings.HasPrefix(key, log) {
				continue
			}
			m, a, b = world()
			whole, _, _ := m.Get(key)
			whole = slices.Clone(whole)
			m.Set(key, broken(whole), 0)
			if len(whole) == 0 && len(broken(whole)) > 0 {
				continue // it would be another worker's slot
			}
			believed, counted := routed, routed
			var onPage []int
			switch {
			case key == slot && !slices.Contains(tails, how):
				believed, counted = 0, 0
			case key == slot && strings.HasPrefix(how, "cut"):
				onPage = requestsOn(lastPageOf(whole))
			case strings.HasPrefix(key, log) && how != "longer by 8": // there the entries are whole
				onPage = requestsOn(whole)
			}
			for _, again := range []bool{false, true} {
				if again {
					believed, counted, onPage = routed, routed, nil
					m.Set(key, whole, 0)
					b.peers[a.slot].read = 0
				}
				b.Sync(0)
				b.Tick(0)
				lost := 0
				for n := range routed {
					got, want := b.matched(0, chainOf(n)), min(believed, 3)
					if slices.Contains(onPage, n) && got == 0 {
						want = 0
						lost++
					}
					if got != want {
						t.Errorf("%s %s (whole again: %v): b believes in %d blocks of request %d, want %d", key, how, again, got, n, want)
					}
					if got := b.matched(1, chainOf(n)); got != 0 {
						t.Errorf("%s %s (whole again: %v): b believes in %d blocks of request %d where it never was", key, how, again, got, n)
					}
				}
				if len(onPage) > 0 && lost == 0 {
					t.Errorf("%s %s: all of the page is believed", key, how)
				}
				if at0, at1 := b.pool.InFlight(0), b.pool.InFlight(1); at0 != counted || at1 != 0 {
					t.Errorf("%s %s (whole again: %v): b counts %d and %d in flight, want %d and 0", key, how, again, at0, at1, counted)
				}
			}
		}
	}
}

// requestsOn are the requests on a page: they are numbered from 1.
func requestsOn(page []byte) (all []int) {
	for n := range pageEntries * 2 {
		if entryOf(page, uint64(n+1)) != nil {
			all = append(all, n)
		}
	}
	return all
}

// A log whose next entry is the last number that there is has no end that can be reached by counting.
func TestLogOfTheLastNumber(t *testing.T) {
	m := memstore.New()
	a, b := newWorker(t, m, two, 0), newWorker(t, m, two, 0)
	a.Tick(0)
	key := a.peers[a.slot].slotKey
	value, _, _ := m.Get(key)
	value = slices.Clone(value)
	binary.LittleEndian.PutUint64(value, 1<<64-1)
	m.Set(key, value, 0)
	b.Tick(0)
	b.Sync(0) // without an end, if it counts over
	b.Tick(maxAge + 1e9)
	late := newWorker(t, m, two, maxAge+2e9)
	late.RecordRouted(1, sent(chainOf(5), maxAge+2e9), maxAge+2e9)
	b.Tick(maxAge + 3e9)
	b.Sync(maxAge + 3e9)
	if got := b.matched(1, chainOf(5)); late.slot != a.slot || got != 3 {
		t.Errorf("of the slot's next owner, at %d, another worker believes %d blocks, want 3 of %d", late.slot, got, a.slot)
	}
}
