package fleet

import (
	"regexp"
	"strings"
	"testing"

	"warmroute/hostsim/internal/vllm"
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

func TestPythonFloat(t *testing.T) {
	for want, v := range map[string]float64{"0.0": 0, "1.0": 1, "0.001": .001, "7680.0": 7680, "0.25": .25} {
		if got := pythonFloat(v); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// What a profile switches on is on the page: whether prefixes are cached, external hits, and adapters that run and wait.
func TestMetricsPageOfFeatures(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*vllm.Profile)
		want   string
	}{
		"as usual":           {func(*vllm.Profile) {}, `enable_prefix_caching="True"`},
		"no prefix caching":  {func(p *vllm.Profile) { p.PrefixCachingOff = 1 }, `enable_prefix_caching="False"`},
		"host memory":        {func(p *vllm.Profile) { p.HostKVBlocks, p.HostPerKVToken = 100, 2 }, "vllm:external_prefix_cache_hits_total"},
		"more than fit in 2": {func(p *vllm.Profile) { p.MaxLoRAs, p.MaxHostLoRAs = 2, 3 }, `max_lora="2",running_lora_adapters="a,b",waiting_lora_adapters="c"`},
	} {
		p := small(64, 64, 8)
		c.change(&p)
		e, err := vllm.NewEngine(p)
		if err != nil {
			t.Fatal(err)
		}
		for i, adapter := range []string{"a", "b", "c"} {
			r := vllm.Request{ID: uint64(i + 1), Tokens: make([]uint32, 8), PromptTokens: 8, MaxTokens: 3}
			if p.MaxLoRAs > 0 {
				r.LoRA = adapter
			}
			if err := e.Submit(0, r); err != nil {
				t.Fatal(err)
			}
		}
		e.Advance(0)
		if page := string(MetricsPage(e)); !strings.Contains(page, c.want) {
			t.Errorf("%s: the page lacks %s", name, c.want)
		}
	}
}
