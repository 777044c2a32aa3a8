package exposition

import (
	"fmt"
	"strings"
	"testing"

	"warmroute/testdata/golden"
)

// Each data-parallel rank has a load of its own, by the engine's number, whatever the order; a line of none belongs to none.
func TestRanks(t *testing.T) {
	vllm := `vllm:num_requests_running{engine="4",model_name="m"} 3
vllm:num_requests_running{engine="5",model_name="m"} 1
vllm:num_requests_running{engine="6",model_name="m"} 9
vllm:num_requests_waiting{engine="4",model_name="m"} 0
vllm:num_requests_waiting{engine="5",model_name="m"} 7
vllm:num_requests_waiting{model_name="m"} 100
vllm:kv_cache_usage_perc{engine="5",model_name="m"} 0.5
vllm:cache_config_info{engine="5",block_size="16",num_gpu_blocks="200"} 1.0
vllm:prefix_cache_queries_total{engine="5",model_name="m"} 1234
`
	sglang := `sglang:num_running_reqs{dp_rank="0",tp_rank="0"} 3
sglang:num_running_reqs{dp_rank="0",tp_rank="1"} 3
sglang:num_running_reqs{dp_rank="1",tp_rank="0"} 1
sglang:num_queue_reqs{dp_rank="0",tp_rank="0"} 0
sglang:num_queue_reqs{dp_rank="1",tp_rank="0"} 7
sglang:token_usage{dp_rank="1",tp_rank="0"} 0.5
sglang:max_total_num_tokens{dp_rank="1",tp_rank="0"} 1600
sglang:prompt_tokens_total{dp_rank="1",tp_rank="0"} 1234
`
	r := Reader{Ranks: 2}
	for name, page := range map[string]string{"vLLM": vllm, "SGLang": sglang} {
		for range 2 { // again after Reset
			r.Reset()
			for _, piece := range strings.SplitAfter(page, "=") {
				r.Write([]byte(piece))
			}
			first, second := r.Close(), r.Rank(1)
			if first.Running != 3 || first.Waiting != 0 || first.Has != HasRunning|HasWaiting {
				t.Errorf("%s: rank 0 has %+v", name, first)
			}
			want := Load{Has: HasRunning | HasWaiting | HasKVTokens | HasKVUsage | HasCacheQueries, Running: 1, Waiting: 7, KVTokens: 1600, KVUsage: .5, CacheQueries: 1234}
			if name == "vLLM" {
				want.HitTokens = 16
			}
			if *second != want {
				t.Errorf("%s: rank 1 has %+v, want %+v", name, *second, want)
			}
		}
	}
	r.Reset()
	r.Write([]byte("sglang:num_running_reqs{dp_rank=\"1\"} 3\nsglang:num_running_reqs{dp_rank=\"2\"} 5\n")) // rank 0 has had no request yet
	if r.Close(); r.Rank(0).Has != 0 || r.Rank(1).Running != 3 || r.NamesAllRanks() {
		t.Errorf("of SGLang's rank 1 alone: %+v, %+v", *r.Rank(0), *r.Rank(1))
	}
	r.Reset()
	r.Write([]byte("vllm:num_requests_running 3\n"))
	if r.Close(); r.Rank(0).Has != 0 || r.Rank(1).Has != 0 {
		t.Error("a page that names no engine tells of some")
	}
	r.Reset()
	r.Write([]byte(vllm[:strings.Index(vllm, "} 1\n")]))
	if r.Close(); r.Rank(0).Has != 0 {
		t.Error("a metric of which not all ranks have come counts for some")
	}
}

// A page that several processes have written names engines in any order, and leaves some out of a metric.
func TestRanksInAnyOrder(t *testing.T) {
	for _, c := range []struct {
		name, page string
		want       [3]float64 // running; -1: nothing is known
	}{
		{"another order", `vllm:num_requests_running{engine="2"} 7
vllm:num_requests_running{engine="0"} 5
vllm:num_requests_running{engine="1"} 6
`, [3]float64{5, 6, 7}},
		{"one that has not run", `vllm:num_requests_running{engine="1"} 6
vllm:num_requests_running{engine="2"} 7
`, [3]float64{-1, 6, 7}},
		{"those of the second of two nodes", `vllm:num_requests_running{engine="5"} 7
vllm:num_requests_running{engine="3"} 5
vllm:num_requests_running{engine="4"} 6
`, [3]float64{5, 6, 7}},
		{"no number", `vllm:num_requests_running{engine="a"} 5
vllm:num_requests_running{engine=""} 5
vllm:num_requests_running{engine="0.5"} 5
`, [3]float64{-1, -1, -1}},
	} {
		r := Reader{Ranks: 3}
		r.Reset()
		r.Write([]byte(c.page))
		r.Close()
		for i, want := range c.want {
			load := r.Rank(i)
			if load.Has&HasRunning == 0 && want >= 0 || load.Has&HasRunning != 0 && load.Running != want {
				t.Errorf("%s: rank %d has %+v, want %v running", c.name, i, *load, want)
			}
		}
	}
}

// Pages of vLLM 0.32 with --data-parallel-size 2 (examples/vllm-cpu: RANKS=2 pool.sh start): with requests at both ranks, and of a server that has
// had one request, at rank 1. Their num_gpu_blocks is of both engines together.
func TestRanksOfVLLM(t *testing.T) {
	for name, page := range golden.Pages(t, dir+"/vllm_ranks*.txt") {
		r := Reader{Ranks: 2}
		r.Reset()
		r.Write(page)
		r.Close()
		for i := range r.Ranks {
			golden.Compare(t, fmt.Sprintf("%s/%s.%d.golden", dir, strings.TrimSuffix(name, ".txt"), i), show(r.Rank(i)))
		}
	}
}
