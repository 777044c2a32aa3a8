package worker

import (
	"testing"

	"warmroute/plugin/models"
	"warmroute/plugin/share/memstore"
)

// Where replicas of one pool serve different models, and the memory of one model's is full, its new prompts wait, and no other model's.
func TestModelsHoldApart(t *testing.T) {
	w := workerOf(t, `{"endpoints":["10.0.0.1:80","10.0.0.2:80","10.0.0.3:80","10.0.0.4:80"],"seed":5,"scrape":{"path":""},"hold_limit":"10s"}`, memstore.New())
	known := w.pools[0].known
	for i := range 4 {
		known.SetModels(i, []models.Model{models.Of([]byte{"ab"[i/2]}, false)})
	}
	talk(t, w, "a")
	talk(t, w, "b")
	last := func(from, to int64, b float64) {
		for now := from; now <= to; now += second {
			fill(w.pools[0], now, 1, 1, b, b)
			for _, model := range []string{"b", "a"} {
				bring(w, model, int(900+now/second), 100).tryAndLeave(now)
				answer(t, w, model, 0, now)
			}
		}
	}
	last(4*second, 10*second, 0.05)
	hold := func(id uint32, model string, now int64) bool { return bring(w, model, int(1000+id), 100).Hold(id, now) }
	if !hold(1, "a", 10*second) {
		t.Fatal("a request for the model whose memory is short does not wait")
	}
	answer(t, w, "b", 0, 10*second)
	if hold(2, "b", 10*second) {
		t.Error("a request for the other model waits")
	}
	if !hold(3, "a", 10*second) {
		t.Error("after one for the other model, the next for the model whose memory is short does not wait")
	}
	last(11*second, 17*second, 1)
	if !bring(w, "b", 1004, 200).Hold(4, 17*second) { // it needs more than those that wait for the first
		t.Fatal("a request for the other model does not wait, whose memory is full, too")
	}
	fill(w.pools[0], 18*second, 1, 1, 0.05, 0.05)
	if id, _ := w.Due(18 * second); id != 4 {
		t.Errorf("there is room for the other model: request %d goes, want 4", id)
	}
	fill(w.pools[0], 18*second, 0.05, 0.05, 0.05, 0.05)
	if id, due := w.Due(18 * second); due {
		t.Errorf("request %d goes, for which there was no room at this tick: its endpoints were looked at twice", id)
	}
	if id, _ := w.Due(18*second + 1); id != 1 {
		t.Errorf("at the next tick request %d goes, want 1", id)
	}
}
