package load

import (
	"fmt"
	"math/rand"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// An independent reading of the same rules: whole lines by regular expressions, every series kept, sums by query.

var (
	naiveLine  = regexp.MustCompile(`^\s*([a-zA-Z_:][a-zA-Z0-9_:]*)\s*(?:\{((?:[^"]|"(?:[^"\\]|\\.)*")*?)\})?\s*(\S+)`)
	naiveLabel = regexp.MustCompile(`([a-zA-Z0-9_]+)\s*=\s*"((?:[^"\\]|\\.)*)"`)
)

type naiveSeries struct {
	labels map[string]string
	value  float64
}

type naivePage map[string][]naiveSeries

func readNaive(page string) naivePage {
	p := naivePage{}
	for _, line := range strings.Split(page, "\n") {
		m := naiveLine.FindStringSubmatch(line)
		if m == nil || strings.HasPrefix(line, "#") {
			continue
		}
		v, err := strconv.ParseFloat(m[3], 64)
		if err != nil || !(v >= 0 && v <= 1e18) {
			continue
		}
		s := naiveSeries{map[string]string{}, v}
		for _, l := range naiveLabel.FindAllStringSubmatch(m[2], -1) {
			s.labels[l[1]] = l[2]
		}
		p[m[1]] = append(p[m[1]], s)
	}
	return p
}

// sum adds up the first of these metrics that is on the page.
func (p naivePage) sum(names ...string) (sum float64, n int) {
	for _, name := range names {
		seen := map[string]bool{}
		for _, s := range p[name] {
			if strings.HasPrefix(name, "sglang") {
				if s.labels["priority"] != "" || s.labels["cache_source"] == "total" && len(p[name]) > 1 {
					continue
				}
				key := s.labels["model_name"] + "/" + s.labels["dp_rank"]
				if _, ranked := s.labels["tp_rank"]; ranked && seen[key] {
					continue
				}
				seen[key] = true
			}
			sum += s.value
			n++
		}
		if n > 0 {
			return sum, n
		}
	}
	return 0, 0
}

func (p naivePage) check(got *Sample) error {
	same := func(what string, bit Fields, got1, want float64, n int) error {
		if n == 0 && got.Has&bit != 0 || n > 0 && (got.Has&bit == 0 || got1 < want*(1-1e-12) || got1 > want*(1+1e-12)) {
			return fmt.Errorf("%s: got %v (%v), want %v of %d series", what, got1, got.Has&bit != 0, want, n)
		}
		return nil
	}
	sum, n := p.sum("vllm:num_requests_running", "sglang:num_running_reqs", "tgi_batch_current_size")
	err := same("running", HasRunning, got.Running, sum, n)
	if err == nil {
		sum, n = p.sum("vllm:num_requests_waiting", "sglang:num_queue_reqs", "tgi_queue_size")
		swapped, _ := p.sum("vllm:num_requests_swapped")
		err = same("waiting", HasWaiting, got.Waiting, sum+swapped, n)
	}
	if err == nil {
		sum, n = p.sum("vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc", "sglang:token_usage")
		err = same("usage", HasKVUsage, got.KVUsage, min(1, sum/float64(max(n, 1))), n)
	}
	if err == nil {
		q, n := p.sum("vllm:prefix_cache_queries_total", "vllm:gpu_prefix_cache_queries_total", "sglang:prompt_tokens_total")
		h, m := p.sum("vllm:prefix_cache_hits_total", "vllm:gpu_prefix_cache_hits_total", "sglang:cached_tokens_total")
		if err = same("queries", HasCacheTokens, got.CacheQueries, q, min(n, m)); err == nil {
			err = same("hits", HasCacheTokens, got.CacheHits, h, min(n, m))
		}
	}
	if err == nil {
		s, n := p.sum("vllm:time_to_first_token_seconds_sum", "sglang:time_to_first_token_seconds_sum")
		c, m := p.sum("vllm:time_to_first_token_seconds_count", "sglang:time_to_first_token_seconds_count")
		if err = same("ttft sum", HasTTFT, got.TTFTSum, s, min(n, m)); err == nil {
			err = same("ttft count", HasTTFT, got.TTFTCount, c, min(n, m))
		}
	}
	if err == nil {
		s, n := p.sum("vllm:request_prefill_kv_computed_tokens_sum")
		_, m := p.sum("vllm:request_prefill_kv_computed_tokens_count")
		err = same("prefill", HasPrefill, got.PrefillSum, s, min(n, m))
	}
	return err
}

func TestScrapeAgainstNaive(t *testing.T) {
	for name, page := range metricPages(t) {
		s := readPage(page, false, 999)
		if err := readNaive(string(page)).check(&s); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	random := rand.New(rand.NewSource(1))
	for range 3000 {
		page := randomPage(random)
		s := readPage([]byte(page), false, 1+random.Intn(300))
		if err := readNaive(page).check(&s); err != nil {
			t.Fatalf("%v\n%s", err, page)
		}
	}
}

// randomPage is a page of one server with metrics, engines, labels and values by chance.
func randomPage(random *rand.Rand) string {
	var b strings.Builder
	prefix, names := "vllm:", vllmNames[:]
	if random.Intn(3) == 0 {
		prefix, names = "sglang:", sglangNames[:]
	}
	values := []string{"0", "1", "3.0", "0.5", "1e3", "NaN", "-1", "17.25", "1.5e-2", "+Inf", "123456789.125", "x", "1e30"}
	for _, i := range random.Perm(len(names)) {
		m := names[i]
		if random.Intn(3) == 0 || m.to == tallyCacheInfo || m.to == tallyLoRA || m.to == tallyAwake {
			continue
		}
		name := prefix + m.name
		if m.counter {
			name += "_total"
		}
		fmt.Fprintf(&b, "# HELP %s A help text with a \\\\ and %s 7 in it\n", name, name)
		for engine := range 1 + random.Intn(3) {
			labels := []string{fmt.Sprintf(`dp_rank="%d"`, engine/2), `model_name="a \"b\" } {, = 5 "`, fmt.Sprintf(`engine="%d"`, engine)}[:1+random.Intn(3)]
			if prefix == "sglang:" {
				labels = append(labels[:1], fmt.Sprintf(`tp_rank="%d"`, engine))
			}
			fmt.Fprintf(&b, "%s{%s} %s\n", name, strings.Join(labels, ","), values[random.Intn(len(values))])
		}
	}
	return b.String()
}
