package fleet

import (
	"regexp"
	"strings"
	"testing"
)

// onThePage are families of a /metrics page of vLLM 0.32, as their # TYPE lines have them.
var onThePage = map[string]string{
	"vllm:num_requests_running":               "gauge",
	"vllm:num_requests_waiting":               "gauge",
	"vllm:kv_cache_usage_perc":                "gauge",
	"vllm:prefix_cache_queries_total":         "counter",
	"vllm:prefix_cache_hits_total":            "counter",
	"vllm:num_preemptions_total":              "counter",
	"vllm:prompt_tokens_total":                "counter",
	"vllm:generation_tokens_total":            "counter",
	"vllm:request_success_total":              "counter",
	"vllm:time_to_first_token_seconds":        "histogram",
	"vllm:inter_token_latency_seconds":        "histogram",
	"vllm:e2e_request_latency_seconds":        "histogram",
	"vllm:request_queue_time_seconds":         "histogram",
	"vllm:request_prefill_kv_computed_tokens": "histogram",
	"vllm:cache_config_info":                  "gauge",
}

func TestMetricsPage(t *testing.T) {
	f := start(t, 1, fast)
	url := f.Replicas[0].URL()
	for range 2 { // 4 × 64 tokens
		send(t, "POST", url+"/v1/completions", `{"prompt":"`+strings.Repeat("abcd", 128)+`","max_tokens":4}`)
	}
	_, data := send(t, "GET", url+"/metrics", "")
	page := string(data)
	types := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^# TYPE (\S+) (\S+)$`).FindAllStringSubmatch(page, -1) {
		types[m[1]] = m[2]
	}
	for name, kind := range onThePage {
		if types[name] != kind {
			t.Errorf("%s is a %q, want a %s", name, types[name], kind)
		}
	}
	if len(types) != len(onThePage) {
		t.Errorf("%d families, want %d: %v", len(types), len(onThePage), types)
	}
	const labels = `{engine="0",model_name="tiny"} `
	for _, line := range []string{
		"vllm:num_requests_running" + labels + "0.0",
		"vllm:kv_cache_usage_perc" + labels + "0.0",
		"vllm:prefix_cache_queries_total" + labels + "256.0",
		"vllm:prefix_cache_hits_total" + labels + "96.0",
		"vllm:prompt_tokens_total" + labels + "256.0",
		"vllm:generation_tokens_total" + labels + "8.0",
		`vllm:request_success_total{engine="0",finished_reason="length",model_name="tiny"} 2.0`,
		`vllm:time_to_first_token_seconds_bucket{engine="0",le="+Inf",model_name="tiny"} 2.0`,
		`vllm:time_to_first_token_seconds_bucket{engine="0",le="0.001",model_name="tiny"} `,
		"vllm:inter_token_latency_seconds_count" + labels + "6.0",
		"vllm:e2e_request_latency_seconds_count" + labels + "2.0",
		"vllm:request_queue_time_seconds_count" + labels + "2.0",
		"vllm:request_prefill_kv_computed_tokens_sum" + labels + "160.0",
		`vllm:request_prefill_kv_computed_tokens_bucket{engine="0",le="50.0",model_name="tiny"} 1.0`,
		`vllm:cache_config_info{block_size="32",cache_dtype="auto",enable_prefix_caching="True",engine="0",kv_cache_size_tokens="32736",num_gpu_blocks="1024"} 1.0`,
	} {
		if !strings.Contains(page, "\n"+line) {
			t.Errorf("no line %s", line)
		}
	}
	sample := regexp.MustCompile(`^[a-z_:0-9A-Z]+\{([a-z_]+="[^"]*",?)+\} (\d+(\.\d+)?(e[-+]\d+)?|\+Inf)$`)
	for line := range strings.Lines(page) {
		if line = strings.TrimSuffix(line, "\n"); !strings.HasPrefix(line, "# ") && !sample.MatchString(line) {
			t.Errorf("line %q is not a sample", line)
		}
	}
}
