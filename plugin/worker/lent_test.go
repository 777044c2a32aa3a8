package worker

import (
	"bytes"
	"slices"
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/inspect"
	"warmroute/plugin/share/memstore"
)

// lending is a store that puts what it returns where a request's body was put, as the module's does once it has lent enough.
type lending struct {
	*memstore.Store
	lent []byte
}

func (l *lending) Get(key string) ([]byte, uint32, bool) {
	copy(l.lent, bytes.Repeat([]byte{'x'}, len(l.lent)))
	return l.Store.Get(key)
}

// A part of a body lies in memory that the next reads of shared data write over, and a long prompt has those read between two of its
// blocks: it must not be read on from there.
func TestWhatIsReadBetweenBlocksSpoilsNoPrompt(t *testing.T) {
	cfg, err := config.Parse([]byte(`{"seed":5,"scrape":{"path":""},"endpoints":["10.0.0.1:80","10.0.0.2:80","10.0.0.3:80"]}`))
	if err != nil {
		t.Fatal(err)
	}
	var chains [][]uint64
	for _, spoils := range []bool{false, true} {
		store := &lending{Store: memstore.New()}
		w, err := New(&cfg, store, nil, cfg.Seed, second)
		if err != nil {
			t.Fatal(err)
		}
		x, body := long(w, inspect.Head{}, 300)
		for n := 0; n < len(body); {
			part := slices.Clone(body[n:min(n+min(40<<10, x.Room()), len(body))])
			if spoils {
				store.lent = part
			}
			x.Write(part)
			n += len(part)
		}
		if code := x.Decide(true, 2*second); code != "" {
			t.Fatal(code)
		}
		chains = append(chains, slices.Clone(x.decision.Chain.Hash))
	}
	if !slices.Equal(chains[0], chains[1]) {
		t.Errorf("%d blocks of the prompt, and %d of it where its body was written over", len(chains[0]), len(chains[1]))
	}
}
