package route

import (
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/decision"
	"warmroute/plugin/exposition"
	"warmroute/plugin/health"
	"warmroute/plugin/models"
	"warmroute/plugin/pool"
	"warmroute/plugin/queue"
	"warmroute/plugin/traffic"
)

// modelsRig is a pool of which endpoint 0 serves model a, and the others b: their memory is overfull, as in TestOverflowIsKeptTogether.
func modelsRig(t *testing.T) (r rig, at func(now int64)) {
	t.Helper()
	r = routerOf(config.PolicyCacheAware, 4)
	for i := range 4 {
		r.SetModels(i, []models.Model{models.Of([]byte{"abbb"[i]}, false)})
	}
	return r, func(now int64) {
		for i, used := range []float64{0, 1, 1, 0.8} {
			r.ApplyMetrics(i, now, &exposition.Load{Has: tellsMemory, KVTokens: 1000, KVUsage: used})
			waits := []float64{0, 300, 2500, 200}[i]
			r.SetWorkers(i, 20, waits, queue.Line{Queued: waits})
		}
	}
}

// Since when memory is short is known for each model's replicas, whatever is decided for others in between.
func TestOverflowOfOneModel(t *testing.T) {
	r, at := modelsRig(t)
	r.Returns.Note(traffic.Returning{All: 1e6, Found: 5e5}, 5e5)
	d := new(decision.Decision)
	for now := int64(second); now <= 20*second; now += second {
		at(now)
		for _, model := range []string{"a", "b"} {
			r.Pick(&decision.Request{Model: []byte(model), Prompt: chat(int(now/second), 2), Now: now}, d)
		}
	}
	if d.Order[0] != 2 {
		t.Errorf("it goes to %d by %v, want 2, the fullest", d.Order[0], d.Reason)
	}
}

// What is held for one model ends once its memory is free again, also where only prompts come for it that an endpoint holds, and each after
// one for another model.
func TestHoldOfOneModelEnds(t *testing.T) {
	r, _ := modelsRig(t)
	for i := range 4 {
		r.ApplyMetrics(i, second, &exposition.Load{Has: tellsMemory, KVTokens: 1000})
	}
	d, now := new(decision.Decision), int64(2*second)
	ask := func(model string) {
		req := &decision.Request{Model: []byte(model), Prompt: chat(1, 2), Now: now}
		if group := r.Group(req.Model); r.Crowded(group, &Waits{}) {
			r.Holds(req, d, &Waits{})
		}
		r.Pick(req, d)
		r.begin(d, req.Now)
		r.end(d, req.Now, pool.Outcome{Ending: health.Answered})
	}
	ask("b")
	r.view.hold.on = true
	for range 3 {
		ask("a")
		ask("b")
		now += lasting / 2
	}
	if r.view.hold.on {
		t.Error("it is still on")
	}
}
