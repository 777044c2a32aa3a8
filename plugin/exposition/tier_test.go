package exposition

import (
	"fmt"
	"testing"
)

// What a page says of KV that is kept beyond the memory of its engines.
func TestTier(t *testing.T) {
	const vllm = "vllm:prefix_cache_queries_total{engine=\"0\"} 1000\nvllm:prefix_cache_hits_total{engine=\"0\"} 300\n"
	const sglang = "sglang:prompt_tokens_total{tp_rank=\"0\"} 1000\nsglang:max_total_num_tokens{tp_rank=\"0\"} 5000\n"
	for _, c := range []struct {
		what, page   string
		hits, tokens float64
		tier         bool
	}{
		{"vLLM without a connector", vllm + "vllm:external_prefix_cache_queries_total{engine=\"0\"} 0\nvllm:external_prefix_cache_hits_total{engine=\"0\"} 0\n", 300, 0, false},
		{"vLLM that asked one", vllm + "vllm:external_prefix_cache_queries_total{engine=\"0\"} 700\nvllm:external_prefix_cache_hits_total{engine=\"0\"} 0\n", 300, 0, true},
		{"vLLM that asked one in vain for as long", vllm + "vllm:external_prefix_cache_queries_total{engine=\"0\"} 6500\nvllm:external_prefix_cache_hits_total{engine=\"0\"} 0\n" +
			"vllm:cache_config_info{block_size=\"16\",num_gpu_blocks=\"100\"} 1\n", 300, 0, false},
		{"vLLM that asked a little less", vllm + "vllm:external_prefix_cache_queries_total{engine=\"0\"} 6300\nvllm:external_prefix_cache_hits_total{engine=\"0\"} 0\n" +
			"vllm:cache_config_info{block_size=\"16\",num_gpu_blocks=\"100\"} 1\n", 300, 0, true},
		{"vLLM that found something", vllm + "vllm:external_prefix_cache_queries_total{engine=\"0\"} 700\nvllm:external_prefix_cache_hits_total{engine=\"0\"} 500\n", 800, 0, true},
		{"vLLM that says how many blocks", vllm + "vllm:cache_config_info{block_size=\"16\",num_gpu_blocks=\"100\",simple_cpu_offload_num_blocks=\"400\"} 1\n", 300, 6400, true},
		{"vLLM whose number of blocks is none", vllm + "vllm:cache_config_info{block_size=\"16\",num_gpu_blocks=\"100\",simple_cpu_offload_num_blocks=\"None\"} 1\n", 300, 0, false},
		{"vLLM that says how many tokens", vllm + "vllm:kv_offload_config_info{cpu_blocks_per_chunk=\"1\",cpu_kv_cache_size_bytes=\"9e9\",cpu_kv_cache_size_tokens=\"6400\",cpu_num_chunks=\"400\",engine=\"0\"} 1.0\n", 300, 6400, true},
		{"vLLM whose number of tokens is none", vllm + "vllm:kv_offload_config_info{cpu_kv_cache_size_tokens=\"None\",engine=\"0\"} 1.0\n", 300, 0, false},
		{"vLLM with a tier behind the host's memory", vllm + "vllm:kv_offload_config_info{cpu_kv_cache_size_tokens=\"6400\",engine=\"0\",tier=\"0:primary\"} 1.0\n" +
			"vllm:kv_offload_config_info{cpu_kv_cache_size_tokens=\"\",engine=\"0\",tier=\"1:fs\"} 1.0\n", 300, 0, true},
		{"SGLang without a tier", sglang + "sglang:cached_tokens_total{cache_source=\"device\",tp_rank=\"0\"} 300\n", 300, 0, false},
		{"SGLang of a version without sources", sglang + "sglang:cached_tokens_total{tp_rank=\"0\"} 300\n", 300, 0, false},
		{"SGLang with the host's memory, two ranks of one engine", sglang + "sglang:cached_tokens_total{cache_source=\"device\",tp_rank=\"0\"} 300\nsglang:cached_tokens_total{cache_source=\"host\",tp_rank=\"0\"} 200\n" +
			"sglang:hicache_host_total_tokens{tp_rank=\"0\"} 20000\nsglang:hicache_host_total_tokens{tp_rank=\"1\"} 20000\n", 500, 20_000, true},
		{"SGLang with the host's memory and a store", sglang + "sglang:cached_tokens_total{cache_source=\"storage_mooncake\",tp_rank=\"0\"} 100\n" +
			"sglang:hicache_host_total_tokens{tp_rank=\"0\"} 20000\n", 100, 0, true},
		{"SGLang with a store", sglang + "sglang:cached_tokens_total{cache_source=\"storage\",tp_rank=\"0\"} 100\n", 100, 0, true},
	} {
		for _, step := range []int{1, 7, len(c.page)} {
			if l := readPage([]byte(c.page), step); l.CacheHits != c.hits || l.TierTokens != c.tokens || l.Has&HasTier != 0 != c.tier || l.Has&HasCacheHits == 0 || !l.IsSound() {
				t.Errorf("%s, in pieces of %d: hits %v, a tier %v of %v tokens", c.what, step, l.CacheHits, l.Has&HasTier != 0, l.TierTokens)
			}
		}
	}
}

// A page that broke off within a metric does not say what that metric would be.
func TestTierOfABrokenPage(t *testing.T) {
	l := readPage([]byte("vllm:prefix_cache_queries_total 9\nvllm:prefix_cache_hits_total 3\nvllm:external_prefix_cache_queries_total{engine=\"0\"} 7"), 5)
	if l.Has&HasTier != 0 || !l.Truncated {
		t.Errorf("%+v", l)
	}
}

// Each data-parallel rank has its own tier and hits, and all together have those of all; what hits are multiples of is that of one.
func TestTierOfRanks(t *testing.T) {
	page := ""
	for engine := range 2 {
		for _, line := range []string{
			`vllm:prefix_cache_queries_total{engine="%d"} 9000`, `vllm:prefix_cache_hits_total{engine="%d"} 300`,
			`vllm:external_prefix_cache_queries_total{engine="%d"} 700`, `vllm:external_prefix_cache_hits_total{engine="%d"} 500`,
			`vllm:cache_config_info{engine="%d",block_size="16",cache_hit_alignment_tokens="528",kv_cache_size_tokens="1600",simple_cpu_offload_num_blocks="None"} 1`,
			`vllm:kv_offload_config_info{cpu_kv_cache_size_tokens="6400",engine="%d"} 1`,
		} {
			page += fmt.Sprintf(line+"\n", engine)
		}
	}
	r := Reader{Ranks: EachRank}
	r.Reset()
	r.Write([]byte(page))
	r.Close()
	for i := range 2 {
		if l := r.Rank(i); l.Has&HasTier == 0 || l.CacheHits != 800 || l.TierTokens != 6400 || l.KVTokens != 1600 || l.HitTokens != 528 {
			t.Errorf("rank %d: %+v", i, *l)
		}
	}
	if l := r.Together(); l.Has&HasTier == 0 || l.CacheHits != 1600 || l.TierTokens != 12_800 || l.KVTokens != 3200 || l.HitTokens != 528 {
		t.Errorf("together: %+v", *l)
	}
	if l := readPage([]byte("sglang:page_size{tp_rank=\"0\"} 64\nsglang:page_size{tp_rank=\"1\"} 64\nsglang:num_pages{tp_rank=\"0\"} 10\n"), 9); l.HitTokens != 64 {
		t.Errorf("SGLang: %+v", l)
	}
}
