package exposition

import "warmroute/plugin/bytestr"

// server is the kind of server whose page it is.
type server uint8

const (
	unknown server = iota
	vLLM
	sgLang
	tgi
)

// sum is where the values of a metric's series are added up.
type sum uint8

const (
	sumRunning sum = iota
	sumWaiting
	sumSwapped
	sumUsage
	sumUsageFormer
	sumQueries
	sumQueriesFormer
	sumHits
	sumHitsFormer
	sumExternalHits
	sumExternalQueries
	sumStored // of sumExternalHits those in a store behind the host's memory
	sumBlockTokens
	sumBlocks
	sumCapacity
	sumCapacityFormer
	sumTier
	sumUnsized  // tiers of no known size: their number
	sums        // their number
	cacheInfo   // not a sum: its labels fill those from sumBlockTokens to sumTier
	offloadInfo // nor this: its labels fill sumTier and sumUnsized
	loraInfo    // nor this: its labels name adapters
)

// metric is one metric that is read.
type metric struct {
	name    string // without the server's prefix; a counter's without _total
	to      sum
	counter bool
}

// Metrics of vLLM, by its documentation of 0.6 to 0.32, pages of 0.32 and sources of 0.33. Names with gpu_ are those of 0.4 to 0.10; a
// server of the versions between shows both.
var vLLMMetrics = [...]metric{
	{"num_requests_running", sumRunning, false},
	{"num_requests_waiting", sumWaiting, false},
	{"num_requests_swapped", sumSwapped, false},
	{"kv_cache_usage_perc", sumUsage, false},
	{"gpu_cache_usage_perc", sumUsageFormer, false},
	{"prefix_cache_queries", sumQueries, true},
	{"gpu_prefix_cache_queries", sumQueriesFormer, true},
	{"prefix_cache_hits", sumHits, true},
	{"gpu_prefix_cache_hits", sumHitsFormer, true},
	{"external_prefix_cache_hits", sumExternalHits, true},       // in what a KV connector keeps, such as the host's memory
	{"external_prefix_cache_queries", sumExternalQueries, true}, // 0 without a connector
	{"cache_config_info", cacheInfo, false},
	{"kv_offload_config_info", offloadInfo, false}, // from 0.33 on: a series for each tier of --kv-offloading-size, from the first step on
	{"lora_requests_info", loraInfo, false},
}

const adaptersMetric = len(vLLMMetrics) - 1

// Metrics of SGLang, by docs.sglang.io, "Production Metrics", and the collector's source (0.5.23). The capacity moved from labels
// of cache_config_info to gauges in 0.5.11.
var sgLangMetrics = [...]metric{
	{"num_running_reqs", sumRunning, false},
	{"num_queue_reqs", sumWaiting, false},
	{"token_usage", sumUsage, false},
	{"prompt_tokens", sumQueries, true},
	{"cached_tokens", sumHits, true}, // of all tiers, by a label
	{"hicache_host_total_tokens", sumTier, false},
	{"page_size", sumBlockTokens, false},
	{"num_pages", sumBlocks, false},
	{"max_total_num_tokens", sumCapacity, false},
	{"cache_config_info", cacheInfo, false},
}

// Metrics of TGI, by huggingface.co/docs/text-generation-inference, "Metrics".
var tgiMetrics = [...]metric{
	{"batch_current_size", sumRunning, false},
	{"queue_size", sumWaiting, false},
}

// begins is the first letters of the metrics of vLLM that are read, behind its prefix: nearly all lines of its pages are
// buckets of other ones.
var begins = func() (t [256]bool) {
	for _, m := range vLLMMetrics {
		t[m.name[0]] = true
	}
	return t
}()

// mayBeRead is false for most lines that lookup would find no metric for.
func mayBeRead(line []byte) bool {
	return len(line) < 6 || line[0] != 'v' || begins[line[5]]
}

// lookup finds a metric by its whole name among those of all servers or, once the server is known, among its own.
func lookup(name []byte, only server) (server, *metric) {
	var of server
	var metrics []metric
	switch { // a proxy that merges pages may write _ for the colon
	case bytestr.HasPrefix(name, "vllm:") || bytestr.HasPrefix(name, "vllm_"):
		of, metrics, name = vLLM, vLLMMetrics[:], name[len("vllm:"):]
	case bytestr.HasPrefix(name, "sglang:") || bytestr.HasPrefix(name, "sglang_"):
		of, metrics, name = sgLang, sgLangMetrics[:], name[len("sglang:"):]
	case bytestr.HasPrefix(name, "tgi_"):
		of, metrics, name = tgi, tgiMetrics[:], name[len("tgi_"):]
	default:
		return unknown, nil
	}
	if only != unknown && only != of {
		return unknown, nil
	}
	short := name
	if bytestr.HasSuffix(name, "_total") {
		short = name[:len(name)-len("_total")]
	}
	for i := range metrics {
		m := &metrics[i]
		if bytestr.Equal(name, m.name) || m.counter && bytestr.Equal(short, m.name) {
			return of, m
		}
	}
	return unknown, nil
}

// named is where the labels begin of a line of vLLM's whose metric it is; 0: it is another's, or to be looked up.
func (m *metric) named(line []byte) int {
	end := len("vllm:") + len(m.name)
	if len(line) <= end || !bytestr.HasPrefix(line, "vllm") || !bytestr.Equal(line[len("vllm:"):end], m.name) || isNameByte(line[end]) {
		return 0
	}
	return end
}

// fills is the sums [from, to) that a metric's series fill.
func (m *metric) fills() (from, to sum) {
	switch m.to {
	case cacheInfo:
		return sumBlockTokens, sumTier + 1
	case offloadInfo:
		return sumTier, sumUnsized + 1
	case loraInfo:
		return 0, 0
	}
	return m.to, m.to + 1
}
