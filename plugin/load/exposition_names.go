package load

// tally is where a value is summed up.
type tally uint8

const (
	tallyRunning tally = iota
	tallyWaiting
	tallySwapped
	tallyUsage
	tallyUsageFormer
	tallyQueries
	tallyQueriesFormer
	tallyHits
	tallyHitsFormer
	tallyHitRate
	tallyHitRateFormer
	tallyTTFTSum
	tallyTTFTCount
	tallyPrefillSum
	tallyPrefillCount
	tallyBlockTokens
	tallyBlocks
	tallyCapacity
	tallyCapacityFormer
	tallyAwake
	tallyLoRA
	tallies // how many there are; those below sum up nothing of their own
	tallyCacheInfo
	tallyTTFTBucket
	tallyPrefillBucket
)

// known is one metric that routing reads. Where a page is cut inside of a metric's family (its engines, or the lines
// of a histogram), the tallies are too small: so buckets are known, too.
type known struct {
	name    string // without the server's prefix, a counter's without _total
	to      tally
	counter bool
}

// Names of vLLM: its own documentation of 0.6 to 0.32, pages of 0.32. The gpu_ names are those of 0.4 to 0.10; a
// server of the time between shows both. Before the counters there was a rate; -1 in it says that there is no cache.
var vllmNames = [...]known{
	{"num_requests_running", tallyRunning, false},
	{"num_requests_waiting", tallyWaiting, false},
	{"num_requests_swapped", tallySwapped, false},
	{"kv_cache_usage_perc", tallyUsage, false},
	{"gpu_cache_usage_perc", tallyUsageFormer, false},
	{"prefix_cache_queries", tallyQueries, true},
	{"gpu_prefix_cache_queries", tallyQueriesFormer, true},
	{"prefix_cache_hits", tallyHits, true},
	{"gpu_prefix_cache_hits", tallyHitsFormer, true},
	{"prefix_cache_hit_rate", tallyHitRate, false},
	{"gpu_prefix_cache_hit_rate", tallyHitRateFormer, false},
	{"time_to_first_token_seconds_bucket", tallyTTFTBucket, false},
	{"time_to_first_token_seconds_sum", tallyTTFTSum, false},
	{"time_to_first_token_seconds_count", tallyTTFTCount, false},
	{"request_prefill_kv_computed_tokens_bucket", tallyPrefillBucket, false},
	{"request_prefill_kv_computed_tokens_sum", tallyPrefillSum, false},
	{"request_prefill_kv_computed_tokens_count", tallyPrefillCount, false},
	{"engine_sleep_state", tallyAwake, false},
	{"cache_config_info", tallyCacheInfo, false},
	{"lora_requests_info", tallyLoRA, false},
}

// Names of SGLang: docs.sglang.io, "Production Metrics", and the collector's source. The capacity moved from labels of
// cache_config_info to gauges in 0.5.11.
var sglangNames = [...]known{
	{"num_running_reqs", tallyRunning, false},
	{"num_queue_reqs", tallyWaiting, false},
	{"token_usage", tallyUsage, false},
	{"prompt_tokens", tallyQueries, true},
	{"cached_tokens", tallyHits, true},
	{"cache_hit_rate", tallyHitRate, false},
	{"time_to_first_token_seconds_bucket", tallyTTFTBucket, false},
	{"time_to_first_token_seconds_sum", tallyTTFTSum, false},
	{"time_to_first_token_seconds_count", tallyTTFTCount, false},
	{"page_size", tallyBlockTokens, false},
	{"num_pages", tallyBlocks, false},
	{"max_total_num_tokens", tallyCapacity, false},
	{"cache_config_info", tallyCacheInfo, false},
}

// Names of TGI: huggingface.co/docs/text-generation-inference, "Metrics".
var tgiNames = [...]known{
	{"batch_current_size", tallyRunning, false},
	{"queue_size", tallyWaiting, false},
}

// lookup finds a metric by its whole name, among all servers' or, once one is known, among its own.
func lookup(name []byte, only Kind) (Kind, *known) {
	var kind Kind
	var names []known
	switch { // a proxy that joins pages may put _ for the colon
	case hasPrefix(name, "vllm:") || hasPrefix(name, "vllm_"):
		kind, names, name = VLLM, vllmNames[:], name[len("vllm:"):]
	case hasPrefix(name, "sglang:") || hasPrefix(name, "sglang_"):
		kind, names, name = SGLang, sglangNames[:], name[len("sglang:"):]
	case hasPrefix(name, "tgi_"):
		kind, names, name = TGI, tgiNames[:], name[len("tgi_"):]
	default:
		return Unknown, nil
	}
	if only != Unknown && only != kind {
		return Unknown, nil
	}
	short := name
	if hasSuffix(name, "_total") {
		short = name[:len(name)-len("_total")]
	}
	for i := range names {
		k := &names[i]
		if same(name, k.name) || k.counter && same(short, k.name) {
			return kind, k
		}
	}
	return Unknown, nil
}

// family is the tallies [from, to) that a metric's series fill.
func (k *known) family() (from, to tally) {
	switch k.to {
	case tallyTTFTBucket, tallyTTFTSum, tallyTTFTCount:
		return tallyTTFTSum, tallyTTFTCount + 1
	case tallyPrefillBucket, tallyPrefillSum, tallyPrefillCount:
		return tallyPrefillSum, tallyPrefillCount + 1
	case tallyCacheInfo:
		return tallyBlockTokens, tallyCapacityFormer + 1
	}
	return k.to, k.to + 1
}
