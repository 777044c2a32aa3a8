package scout

import (
	"testing"

	"warmroute/plugin/config"
)

// A server of another kind, or a former version, at the address of one with ranks has the first of them, or those that its page names.
func TestRanksOfAServerThatIsReplaced(t *testing.T) {
	for name, page := range map[string]string{"SGLang": "sglang:num_running_reqs 13\n", "TGI": "tgi_queue_size 3\n", "vLLM without labels": "vllm:num_requests_running 13\n"} {
		w := newWorld(t, `{"endpoints": ["10.0.0.1:80"], "scrape": {"cluster": "vllm"}}`, 2)
		w.metrics["10.0.0.1:80"] = engines(0, 3)
		w.step(3)
		w.metrics["10.0.0.1:80"] = page
		w.step(3)
		for k, worker := range w.workers {
			for i, e := range worker.pool.Endpoints {
				if _, rank := config.SplitRank(e.Address); worker.pool.Present(i) && worker.pool.Health.Down(i) != (rank != "0") {
					t.Errorf("%s, worker %d: %s is down: %v", name, k, e.Address, worker.pool.Health.Down(i))
				}
			}
		}
	}
}

// A page that ends early may leave out the first engines: it says nothing of how many there are.
func TestRanksOfATruncatedPage(t *testing.T) {
	w := newWorld(t, `{"endpoints": ["10.0.0.1:80"], "scrape": {"cluster": "vllm"}}`, 1)
	w.metrics["10.0.0.1:80"] = engines(2, 2) + "# HELP"
	w.step(3)
	if got := w.workers[0].addresses(); got != "1:80" {
		t.Errorf("%s, want the server", got)
	}
	w.metrics["10.0.0.1:80"] = engines(2, 2) + engines(0, 2)
	w.step(3)
	if got, want := w.workers[0].addresses(), "1:80#0 1:80#1 1:80#2 1:80#3"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
