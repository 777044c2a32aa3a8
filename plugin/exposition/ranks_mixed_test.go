package exposition

import (
	"fmt"
	"testing"
)

// What a page says of all engines together is as if it named none, however the lines are labelled.
func TestRanksTogether(t *testing.T) {
	const page = `vllm:num_requests_running{engine="0"} 3
vllm:num_requests_running{engine="1"} 5
vllm:num_requests_waiting{engine="1"} 7
vllm:num_requests_waiting 1
vllm:kv_cache_usage_perc{engine="0"} 0.25
vllm:kv_cache_usage_perc{engine="1"} 0.75
vllm:cache_config_info{engine="0",block_size="16",num_gpu_blocks="200"} 1.0
vllm:cache_config_info{engine="1",block_size="16",num_gpu_blocks="200"} 1.0
`
	r := Reader{Ranks: EachRank}
	r.Reset()
	r.Write([]byte(page))
	r.Close()
	want := Load{Has: HasRunning | HasWaiting | HasKVTokens | HasKVUsage, Running: 8, Waiting: 8, KVTokens: 3200, HitTokens: 16, KVUsage: .5}
	if got := *r.Together(); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// vLLM names its adapters without an engine: they are those of each.
func TestAdaptersOfRanks(t *testing.T) {
	const page = `vllm:num_requests_running{engine="0"} 3
vllm:num_requests_running{engine="1"} 5
vllm:lora_requests_info{max_lora="4",running_lora_adapters="a,b",waiting_lora_adapters=""} 1.7e+09
`
	for _, ranks := range []int{EachRank, 2} {
		r := Reader{Ranks: ranks}
		r.Reset()
		r.Write([]byte(page))
		r.Close()
		for i, running := range []float64{3, 5} {
			if l := r.Rank(i); l.Running != running || l.AdapterSlots != 4 || l.Adapters[0] != Adapter([]byte("a")) || l.Adapters[1] != Adapter([]byte("b")) {
				t.Errorf("Ranks %d, rank %d: %+v", ranks, i, *l)
			}
		}
	}
}

// From vLLM 0.33 on, whose page has a label that came with it, servers obey ranks in the Responses API, too.
func TestRanksInResponses(t *testing.T) {
	for label, want := range map[string]bool{`,simple_cpu_offload_num_blocks="None"`: true, "": false} {
		r := Reader{Ranks: EachRank}
		r.Reset()
		for e := range 2 {
			r.Write(fmt.Appendf(nil, "vllm:cache_config_info{block_size=\"32\",engine=\"%d\",num_gpu_blocks=\"100\"%s} 1\n", e, label))
		}
		r.Close()
		for rank := range 2 {
			if l := r.Rank(rank); l.Has&RanksInResponses != 0 != want || l.KVTokens != 1600 {
				t.Errorf("%q: rank %d has %v, %v tokens", label, rank, l.Has, l.KVTokens)
			}
		}
	}
}
