package replay

import (
	"slices"
	"testing"
	"time"

	"warmroute/hostsim/internal/ours"
)

// Replicas that leave end what they have and get nothing more; one that comes back has an empty cache, and gets requests again. No
// request is lost, and the module does as the native code.
func TestChanges(t *testing.T) {
	o := replayOptions(t, "cache_aware")
	o.Gateways, o.Scrape, o.Detail = 1, time.Second, true
	last := time.Duration(float64(o.Trace.Requests[len(o.Trace.Requests)-1].At) / o.Speed)
	away, back := SettleIn+last/3, SettleIn+last*2/3
	o.Changes = []Change{{Replica: 1, At: back, Joins: true}, {Replica: 1, At: away}} // in any order
	res := result(t, o)
	var before, between, after, cached int
	for _, s := range res.Served {
		switch at := time.Duration(s.Queued); {
		case s.Replica != 1:
		case at < away:
			before++
		case at < back:
			between++
		default:
			if after == 0 {
				cached = s.CachedTokens
			}
			after++
		}
	}
	if before == 0 || between > 0 || after == 0 || cached > 0 || len(res.TTFTs) != len(o.Trace.Requests) {
		t.Errorf("requests %d, %d, %d before, while and after it was away, the first after with %d cached tokens; %d answered", before, between, after, cached, len(res.TTFTs))
	}
	loaded, err := ours.Load(t.Context(), module)
	if err != nil {
		t.Fatal(err)
	}
	defer loaded.Close(t.Context())
	wasmDoes(t, loaded, o, res)
}

func TestChangesAreChecked(t *testing.T) {
	o := replayOptions(t, "cache_aware")
	for _, c := range [][]Change{
		{{Replica: o.Replicas, At: 1}},
		{{Replica: 0}},
		{{Replica: 0, At: 1}, {Replica: 0, At: 2}},
		{{Replica: 0, At: 1, Joins: true}, {Replica: 0, At: 2, Joins: true}},
		slices.Repeat([]Change{{Replica: 0, At: 1}}, 2),
		leaveAll(o.Replicas),
	} {
		o.Changes = c
		if _, err := Run(t.Context(), o); err == nil {
			t.Errorf("%+v is taken", c)
		}
	}
}

func leaveAll(n int) (list []Change) {
	for i := range n {
		list = append(list, Change{Replica: i, At: 1})
	}
	return list
}
