package route

import (
	"fmt"
	"math"
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/decision"
	"warmroute/plugin/exposition"
	"warmroute/plugin/health"
	"warmroute/plugin/models"
	"warmroute/plugin/pool"
	"warmroute/plugin/queue"
	"warmroute/plugin/recent"
	"warmroute/plugin/traffic"
)

// Where memory is full, and prompts have waited for a while, a prompt that nobody holds waits until an endpoint has memory to spare, as
// much as is lost for want of it; one that an endpoint holds alone goes at once. Nothing waits where one of these is not so.
func TestNewPromptsAreHeld(t *testing.T) {
	const room = 1000 // tokens
	for _, c := range []struct {
		name      string
		used      []float64 // share of the memory
		returning float64   // share of tokens that one endpoint alone holds
		lost      float64   // s of the first second that are lost, of each endpoint
		stays     float64   // s that a request holds its memory
		holds     int       // so many endpoints hold the prompt
		policy    config.Policy
		waits     bool
	}{
		{"memory is short", []float64{0.9, 1, 1}, 0.5, 0.5, 30, 0, config.PolicyCacheAware, true},
		{"one endpoint has room", []float64{1, 1, 1, 1, 1, 1, 1, 1, 1, 0.1}, 0.5, 0.5, 30, 0, config.PolicyCacheAware, false},
		{"little is lost, so that little of the memory need be free", []float64{1, 1, 1, 1, 1, 1, 1, 1, 1, 0.55}, 0.5, 0.15, 30, 0, config.PolicyCacheAware, false},
		{"much is lost", []float64{1, 1, 1, 1, 1, 1, 1, 1, 1, 0.55}, 0.5, 0.6, 30, 0, config.PolicyCacheAware, true},
		{"it is held", []float64{0.9, 1, 1}, 0.5, 0.5, 30, 1, config.PolicyCacheAware, false},
		{"all hold it", []float64{0.9, 1, 1}, 0.5, 0.5, 30, 3, config.PolicyCacheAware, false},
		{"nearly all is evicted before it comes back", []float64{0.9, 1, 1}, 0.1, 0.5, 30, 0, config.PolicyCacheAware, true},
		{"nothing is lost", []float64{0.9, 1, 1}, 0.5, 0, 30, 0, config.PolicyCacheAware, true},
		{"nothing is lost, and one endpoint has some room", []float64{1, 1, 1, 1, 1, 1, 1, 1, 1, 0.6}, 0.5, 0, 30, 0, config.PolicyCacheAware, false},
		{"nobody waits for long, and little is lost", []float64{0.9, 1, 1}, 0.5, 0.05, 3, 0, config.PolicyCacheAware, false},
		{"nobody waits for long, and much is lost", []float64{0.9, 1, 1}, 0.5, 0.5, 3, 0, config.PolicyCacheAware, true},
		{"there is memory", []float64{0.6, 0.6, 0.6}, 0.5, 0.5, 30, 0, config.PolicyCacheAware, false},
		{"one endpoint", []float64{1}, 0.5, 0.5, 30, 0, config.PolicyCacheAware, false},
		{"another policy", []float64{0.9, 1, 1}, 0.5, 0.5, 30, 0, config.PolicyExpectedTTFT, false},
	} {
		r := newRig(setup{policy: c.policy, replicas: len(c.used)}.config(), 1)
		apply := func(used []float64) {
			for i := range used {
				r.ApplyMetrics(i, 1, &exposition.Load{Has: tellsMemory, KVTokens: room, KVUsage: used[i]})
				r.SetWorkers(i, 20, 0, queue.Line{})
			}
		}
		apply(c.used)
		r.view.pool.Returns.Note(traffic.Returning{All: 1e6, Found: 1e6 * c.returning}, 1e6*c.returning)
		first, now := new(decision.Decision), int64(1)
		f := new(pool.Flight)
		r.Begin(f, 0, now)
		r.End(f, int64(c.stays*1e9), pool.Outcome{Ending: health.Answered})
		r.Lost.Note(0, 0, now)
		for _, now = range []int64{1e9, 6e9} { // it lasts
			for i := range c.used {
				r.Lost.Note(i, c.lost*float64(now)/1e9, now)
			}
			apply(c.used)
			r.Pick(&decision.Request{Prompt: chat(1, 2), Now: now}, first)
			r.Crowded(0, &Waits{Here: 0})
		}
		prompt := chat(2, 2)
		if c.holds > 0 {
			prompt = chat(1, 2)
			first.Order[0] = 0
			r.begin(first, now)
			for i := 1; i < c.holds; i++ {
				r.view.pool.Index.Insert(i, &first.Flight.Chain, 1)
			}
		}
		d, req := new(decision.Decision), &decision.Request{Prompt: prompt, Now: now}
		waits, tokens := r.Crowded(0, &Waits{Here: 0}), 0.0
		if waits {
			tokens, waits = r.Holds(req, d, &Waits{})
		}
		if waits != c.waits {
			t.Errorf("%s: waits %v, want %v", c.name, waits, c.waits)
			continue
		}
		if !waits {
			continue
		}
		if r.Rooms(req, d, tokens, &Waits{Here: 1}, 1) > 0 {
			t.Errorf("%s: it may go though nothing has changed", c.name)
		}
		c.used[1] = 0.1
		apply(c.used)
		if r.Rooms(req, d, tokens, &Waits{Here: 1}, 9) != 1 {
			t.Errorf("%s: one endpoint has room, and it may not go", c.name)
		}
		if r.Pick(req, d); d.Order[0] != 1 {
			t.Errorf("%s: it goes to %d, want to the one that has room", c.name, d.Order[0])
		}
		apply(make([]float64, len(c.used)))
		if r.Crowded(0, &Waits{Here: 1}); !r.view.hold.on {
			t.Errorf("%s: nothing is held any more though one waits", c.name)
		}
		for _, after := range []int64{0, lasting} { // it has to last
			apply(make([]float64, len(c.used)))
			r.Pick(&decision.Request{Prompt: chat(3, 2), Now: now + after}, d)
			if on := r.Crowded(0, &Waits{Here: 0}); on != (after == 0) {
				t.Errorf("%s: there is room again since %d s: new prompts are held: %v", c.name, after/second, on)
			}
		}
	}
}

// Where clients that go past the gateway queue at the replicas, nothing is held: what becomes free would be theirs.
func TestNothingIsHeldBehindStrangers(t *testing.T) {
	for _, queued := range []float64{0, 8} {
		r := routerOf(config.PolicyCacheAware, 2)
		for now := int64(second); now < 120*second; now += second {
			for i := range 2 {
				r.ApplyMetrics(i, now, &exposition.Load{Has: tellsMemory, Running: 40, Waiting: queued, KVTokens: 1000, KVUsage: 1})
			}
			r.Tick(now)
		}
		for _, after := range []int64{0, lasting} { // it has to last
			r.Pick(&decision.Request{Prompt: chat(1, 2), Now: 120*second + after}, new(decision.Decision))
			r.view.hold.on = true
			if got := r.Crowded(0, &Waits{Here: 1}); got != (queued == 0 || after == 0) {
				t.Errorf("with %v prompts of others in each queue, %d s later: new prompts are held: %v", queued, after/second, got)
			}
		}
	}
}

// A prompt that needs more memory than is ever left waits no longer than until an endpoint has nothing else to do.
func TestHugePromptGoesToIdleEndpoint(t *testing.T) {
	r := routerOf(config.PolicyCacheAware, 2)
	for _, others := range []int{20, 0} {
		for i := range 2 {
			r.ApplyMetrics(i, 1, &exposition.Load{Has: tellsMemory, KVTokens: 1000, KVUsage: 0.5})
			r.SetWorkers(i, others, 0, queue.Line{})
		}
		r.Pick(&decision.Request{Prompt: chat(1, 2), Now: second}, new(decision.Decision))
		r.view.hold.on = true
		if got := r.Rooms(&decision.Request{Prompt: chat(2, 2), Now: second}, new(decision.Decision), 900, &Waits{Here: 1}, 1) > 0; got != (others == 0) {
			t.Errorf("with %d requests at each endpoint a prompt of 900 of 1,000 tokens may go: %v", others, got)
		}
	}
}

// A prompt goes to an endpoint that has memory to spare once it would hardly wait there for the prompts before it.
func TestQueueIsNoRoom(t *testing.T) {
	r := routerOf(config.PolicyCacheAware, 2)
	for _, c := range []struct {
		queue float64 // s
		goes  bool
	}{{2 * queued, false}, {queued / 2, true}} {
		for i, used := range []float64{1, 0.1} {
			waits := c.queue / r.view.pool.PerToken(i)
			r.ApplyMetrics(i, 1, &exposition.Load{Has: tellsMemory, KVTokens: 1_000_000, KVUsage: used})
			r.SetWorkers(i, 20, waits, queue.Line{Queued: waits})
		}
		r.Pick(&decision.Request{Prompt: chat(1, 2), Now: second}, new(decision.Decision))
		r.view.hold.on = true
		if got := r.Rooms(&decision.Request{Prompt: chat(1, 2), Now: second}, new(decision.Decision), 1000, &Waits{Here: 1}, 1) > 0; got != c.goes {
			t.Errorf("behind a queue of %v s: it goes: %v, want %v", c.queue, got, c.goes)
		}
	}
}

// Where prompts wait for those before them alone, and hardly any memory is live, it is not for memory, and holding ends.
func TestQueueAloneHoldsNothing(t *testing.T) {
	r := routerOf(config.PolicyCacheAware, 2)
	for _, c := range []struct {
		used float64
		on   bool
	}{{0.5, true}, {0.1, false}} {
		r.Pick(&decision.Request{Prompt: chat(1, 2), Now: second}, new(decision.Decision))
		*r.view.hold = hold{on: true}
		for now := int64(second); now <= 10*second; now += second {
			for i := range 2 {
				waits := 2 * queued / r.view.pool.PerToken(i)
				r.ApplyMetrics(i, now, &exposition.Load{Has: tellsMemory, KVTokens: 10_000_000, KVUsage: c.used})
				r.SetWorkers(i, 20, waits, queue.Line{Queued: waits})
			}
			if r.Rooms(&decision.Request{Prompt: chat(1, 2), Now: now}, new(decision.Decision), 1000, &Waits{Here: 1}, 1) > 0 && r.view.hold.on {
				t.Errorf("with %v of the memory in use: there is room behind a queue", c.used)
			}
		}
		if r.view.hold.on != c.on {
			t.Errorf("with %v of the memory in use and a queue: new prompts are held: %v", c.used, r.view.hold.on)
		}
	}
}

// For how long free memory would keep what is used is told by the tokens that come.
func TestKeeping(t *testing.T) {
	r := routerOf(config.PolicyCacheAware, 2)
	for i := range 2 {
		r.ApplyMetrics(i, 1, &exposition.Load{Has: tellsMemory, KVTokens: 100_000, KVUsage: 0.5})
	}
	keeping := func() float64 {
		r.Pick(&decision.Request{Prompt: chat(1, 2), Now: second}, new(decision.Decision))
		return float64(r.view.keeping()) / 1e9
	}
	if got := keeping(); got != longestKeeping {
		t.Errorf("%v s where hardly a token comes, want %v", got, longestKeeping)
	}
	r.view.sum = 2 * 1000 * recent.Span / 1e9 // a thousand a second at each
	if got := float64(r.view.keeping()) / 1e9; got != (1-calmBelow)*100 {
		t.Errorf("%v s, want %v", got, (1-calmBelow)*100)
	}
}

// Where replicas of one pool serve many models, each at some of them, a decision allocates nothing, though not all groups' states are kept.
func TestManyModelsDoNotAllocate(t *testing.T) {
	const groups = mostParts + 36
	r := routerOf(config.PolicyCacheAware, 12)
	names, served := [groups][]byte{}, make([][]models.Model, 12)
	for g := range names {
		names[g] = fmt.Appendf(nil, "model %d", g)
		for i := range served {
			if (2*g+3)>>i&1 == 1 {
				served[i] = append(served[i], models.Of(names[g], false))
			}
		}
	}
	for i, list := range served {
		r.SetModels(i, list)
	}
	req, d := &decision.Request{Now: second}, new(decision.Decision)
	pick := func() {
		for _, req.Model = range names {
			r.Pick(req, d)
		}
	}
	pick()
	if got := testing.AllocsPerRun(10, pick); got != 0 {
		t.Errorf("%v allocations", got)
	}
}

// routerOfOne has two endpoints, and has had one answer; typical is the tokens of its prompt.
func routerOfOne() (r rig, d *decision.Decision, typical float64) {
	r = routerOf(config.PolicyCacheAware, 2)
	d = new(decision.Decision)
	r.Pick(&decision.Request{Prompt: chat(1, 2), Now: 1}, d)
	r.begin(d, 1)
	r.end(d, 2, pool.Outcome{Ending: health.Answered})
	return r, d, r.Stays.MeanTokens()
}

// From a fifth of the time lost on, what is left free grows four times as fast, where an endpoint's memory holds several prompts. Where it holds
// few, nothing is left free until then.
func TestRoomyWhereLossesGrow(t *testing.T) {
	for _, c := range []struct{ lost, prompts, want float64 }{
		{0, 20, 0.9}, {0.1, 20, 0.81}, {0.2, 20, 0.72}, {0.22, 20, 0.63}, {0.3, 20, leastRoomy}, {1, 20, leastRoomy},
		{0, 4, 0.9}, {0.1, 4, 0.9}, {0.19, 4, 0.9}, {0.25, 4, 0.675}, {0.5, 4, leastRoomy}, {1, 4, leastRoomy},
	} {
		r, d, typical := routerOfOne()
		for i := range 2 {
			r.ApplyMetrics(i, 1, &exposition.Load{Has: tellsMemory, KVTokens: c.prompts * typical, KVUsage: 1})
		}
		for i := range 2 {
			r.Lost.Note(i, 0, 1)
			r.Lost.Note(i, c.lost, second)
		}
		r.Pick(&decision.Request{Prompt: chat(1, 2), Now: second}, d)
		if got := r.view.roomy(); math.Abs(got-c.want) > 0.01 {
			t.Errorf("%.2f of the time is lost, memory for %v prompts: up to %.3f of it, want %.3f", c.lost, c.prompts, got, c.want)
		}
	}
}

// Where memory holds few prompts and little is lost, one that is held goes once the whole memory has room for it, and not nine tenths of it. Where
// caches keep little of what comes back besides, one may wait at the endpoint.
func TestWholeMemoryWhereFewPromptsFit(t *testing.T) {
	for _, c := range []struct {
		prompts, used, lost, kept float64
		rooms                     int
	}{
		{6, 0.82, 0, 0.8, 2}, {6, 0.82, 0.1, 0.8, 2}, {6, 0.86, 0, 0.8, 0}, {6, 0.82, 0.4, 0.8, 0}, {20, 0.96, 0, 0.8, 0}, {20, 0.82, 0, 0.8, 2},
		{6, 0.99, 0, 0.4, 2}, {3, 0.7, 0.22, 0.4, 2}, {3, 0.8, 0.22, 0.4, 0}, {6, 0.82, 0.4, 0.4, 0}, {20, 0.96, 0, 0.4, 0},
	} {
		r, d, typical := routerOfOne()
		r.view.pool.Returns.Note(traffic.Returning{All: 1e6, Found: 5e5 * c.kept}, 5e5)
		for i := range 2 {
			r.add(i, 4)
			r.ApplyMetrics(i, second-1, &exposition.Load{Has: tellsMemory | exposition.HasRunning | exposition.HasWaiting, Running: 4, KVTokens: c.prompts * typical, KVUsage: c.used})
			r.Lost.Note(i, 0, 1)
			r.Lost.Note(i, c.lost, second)
		}
		r.Pick(&decision.Request{Prompt: chat(1, 2), Now: second}, d)
		if got := r.view.rooms(typical, 2); got != c.rooms {
			t.Errorf("memory for %v prompts, %.2f of it in use, %.2f of the time lost, %.1f kept: %d endpoints have room for one more, want %d", c.prompts, c.used, c.lost, c.kept, got, c.rooms)
		}
	}
}
