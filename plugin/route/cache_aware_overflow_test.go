package route

import (
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/decision"
	"warmroute/plugin/exposition"
	"warmroute/plugin/queue"
	"warmroute/plugin/traffic"
)

// In a pool of which memory holds far too little, a new prompt goes to an endpoint that has memory to spare, and where none
// has, to the fullest where it does not wait longer than memory has been short. Where conversations do not come back, or find little of what
// they left, the cost decides. A prompt of which several hold half goes to one of these that has memory
// to spare, or else by cost.
func TestOverflowIsKeptTogether(t *testing.T) {
	const room = 1000 // tokens
	for _, c := range []struct {
		name      string
		short     float64   // for so long memory is, in tokens that could be computed
		used      []float64 // share of the memory
		queue     []float64 // tokens
		returning float64   // share of tokens that one endpoint alone holds
		lost      float64   // likewise, that none holds any more
		held, of  int       // turns that the first two endpoints hold, of the prompt's
		want      int
	}{
		{"one has memory to spare", 1e6, []float64{1, 0.1, 1}, []float64{2500, 200, 300}, 0.5, 0, 0, 0, 1},
		{"none has", 1e6, []float64{1, 1, 0.8}, []float64{300, 2500, 200}, 0.5, 0, 0, 0, 1},
		{"the fullest has more to do", 1000, []float64{1, 1, 0.8}, []float64{300, 2500, 200}, 0.5, 0, 0, 0, 0},
		{"each has more to do", 100, []float64{1, 1, 0.8}, []float64{300, 2500, 200}, 0.5, 0, 0, 0, 2},
		{"nobody comes back", 1e6, []float64{1, 1, 0.8}, []float64{300, 2500, 200}, 0.1, 0, 0, 0, 2},
		{"most is still held", 1e6, []float64{1, 1, 0.8}, []float64{300, 2500, 200}, 0.5, 0.2, 0, 0, 1},
		{"much is evicted before it comes back", 1e6, []float64{1, 1, 0.8}, []float64{300, 2500, 200}, 0.5, 0.4, 0, 0, 2},
		{"less is too much", 1e6, []float64{1, 1, 0.8}, []float64{100, 500, 200}, 0.5, 0, 0, 0, 0}, // by cost
		{"several hold little of it", 1e6, []float64{1, 1, 0.8}, []float64{300, 2500, 200}, 0.5, 0, 1, 6, 1},
		{"several hold most of it", 1e6, []float64{1, 1, 0.8}, []float64{300, 2500, 200}, 0.5, 0, 5, 6, 0},
		{"several hold most of it, and one has memory to spare", 1e6, []float64{1, 0.1, 1}, []float64{2500, 200, 300}, 0.5, 0, 5, 6, 1},
		{"several hold most of it, and another one has memory to spare", 1e6, []float64{1, 1, 0.1}, []float64{300, 2500, 200}, 0.5, 0, 5, 6, 0},
	} {
		r := newRig(setup{policy: config.PolicyCacheAware, replicas: len(c.used)}.config(), 1)
		for i := range c.used {
			r.ApplyMetrics(i, 1, &exposition.Load{Has: tellsMemory, KVTokens: room, KVUsage: c.used[i]})
			r.SetWorkers(i, 20, c.queue[i], queue.Line{Queued: c.queue[i]})
		}
		r.view.pool.Returns.Note(traffic.Returning{All: 1e6, Found: 1e6 * c.returning}, 1e6*(c.returning+c.lost))
		d := new(decision.Decision)
		if c.held > 0 {
			r.Prepare(&d.Flight, chat(1, c.held), nil, 0)
			for i := range 2 {
				r.view.pool.Index.Insert(i, &d.Flight.Chain, 1)
			}
		}
		r.view.hold.short = 2 - int64(c.short*r.view.pool.Usual()*1e9)
		r.Pick(&decision.Request{Prompt: chat(1, max(2, c.of)), Now: 2}, d)
		if d.Order[0] != c.want {
			t.Errorf("%s: %d by %v, want %d", c.name, d.Order[0], d.Reason, c.want)
		}
	}
}

// Where other gateways share nothing with this one, a prompt that is new here is hardly new: it goes where all gateways look for it, or by cost.
func TestOverflowAmongOtherGateways(t *testing.T) {
	for _, others := range []float64{0, 40} {
		waits := []float64{300, 2500, 200}
		r := newRig(setup{policy: config.PolicyCacheAware, replicas: len(waits)}.config(), 1)
		for i := range waits {
			r.SetWorkers(i, 20, waits[i], queue.Line{Queued: waits[i]})
			r.ApplyMetrics(i, 1, &exposition.Load{Has: tellsMemory | exposition.HasRunning, KVTokens: 1000, KVUsage: 1, Running: 20 + others})
		}
		r.view.pool.Tick(1)
		r.view.pool.Returns.Note(traffic.Returning{All: 1e6, Found: 0.5e6}, 0.5e6)
		r.view.hold.short = 2 - int64(1e6*r.view.pool.Usual()*1e9)
		d := new(decision.Decision)
		r.Pick(&decision.Request{Prompt: chat(1, 2), Now: 2}, d)
		if share, known := r.view.pool.OthersShare(); d.Order[0] == 1 != (others == 0) || (known && share > .1) != (others > 0) {
			t.Errorf("%v requests of others at each: %d by %v; share %v, %v", others, d.Order[0], d.Reason, share, known)
		}
	}
}

// A worker that starts in a pool whose memory is short does not know since when, and one whose clock is set back begins anew: the cost
// decides, and not for how long the clock says.
func TestOverflowSinceUnknown(t *testing.T) {
	const now = 1.7e18
	for name, short := range map[string]int64{"the first decision": 0, "the clock was set back": now + 1e12} {
		waits := []float64{300, 2500, 200}
		r := newRig(setup{policy: config.PolicyCacheAware, replicas: len(waits)}.config(), 1)
		for i := range waits {
			r.ApplyMetrics(i, now, &exposition.Load{Has: tellsMemory, KVTokens: 1000, KVUsage: 1})
			r.SetWorkers(i, 20, waits[i], queue.Line{Queued: waits[i]})
		}
		r.view.pool.Returns.Note(traffic.Returning{All: 1e6, Found: 0.5e6}, 0.5e6)
		r.view.hold.short = short
		d := new(decision.Decision)
		r.Pick(&decision.Request{Prompt: chat(1, 2), Now: now}, d)
		if d.Order[0] != 2 || r.view.hold.short != now {
			t.Errorf("%s: %d by %v, short since %d; want 2, and %d", name, d.Order[0], d.Reason, r.view.hold.short, int64(now))
		}
	}
}

func TestReturning(t *testing.T) {
	v := view{class: []class{well, well, down, well}, depth: []int32{2, 7, 9, 4}}
	if most, second := v.holders(); most != 7 || second != 4 {
		t.Errorf("held %d and %d blocks, want 7 and 4", most, second)
	}
	v.depth[3] = 7
	if most, second := v.holders(); most != 7 || second != 7 {
		t.Errorf("held %d and %d blocks, want 7 and 7", most, second)
	}
}
