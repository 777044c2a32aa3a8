package exposition

import (
	"fmt"
	"math/rand"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"warmroute/testdata/golden"
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
				if s.labels["priority"] != "" {
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

func (p naivePage) check(got *Load) error {
	same := func(what string, bit Fields, got1, want float64, n int) error {
		if n == 0 && got.Has&bit != 0 || n > 0 && (got.Has&bit == 0 || got1 < want*(1-1e-12) || got1 > want*(1+1e-12)) {
			return fmt.Errorf("%s: got %v (%v), want %v of %d series", what, got1, got.Has&bit != 0, want, n)
		}
		return nil
	}
	running, n := p.sum("vllm:num_requests_running", "sglang:num_running_reqs", "tgi_batch_current_size")
	err := same("running", HasRunning, got.Running, running, n)
	if err == nil {
		waiting, n := p.sum("vllm:num_requests_waiting", "sglang:num_queue_reqs", "tgi_queue_size")
		swapped, _ := p.sum("vllm:num_requests_swapped")
		err = same("waiting", HasWaiting, got.Waiting, waiting+swapped, n)
	}
	if err == nil {
		queries, n := p.sum("vllm:prefix_cache_queries_total", "vllm:gpu_prefix_cache_queries_total", "sglang:prompt_tokens_total")
		err = same("queries", HasCacheQueries, got.CacheQueries, queries, n)
	}
	if err == nil {
		hits, n := p.sum("vllm:prefix_cache_hits_total", "vllm:gpu_prefix_cache_hits_total", "sglang:cached_tokens_total")
		elsewhere, _ := p.sum("vllm:external_prefix_cache_hits_total")
		err = same("hits", HasCacheHits, got.CacheHits, hits+elsewhere, n)
	}
	return err
}

func TestAgainstNaive(t *testing.T) {
	for name, page := range golden.Pages(t, dir+"/*.txt") {
		l := readPage(page, 999)
		if err := readNaive(string(page)).check(&l); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	random := rand.New(rand.NewSource(1))
	for range 3000 {
		page := randomPage(random)
		l := readPage([]byte(page), 1+random.Intn(300))
		if err := readNaive(page).check(&l); err != nil {
			t.Fatalf("%v\n%s", err, page)
		}
	}
}

// randomPage is a page of one server with metrics, engines, labels and values by chance.
func randomPage(random *rand.Rand) string {
	var b strings.Builder
	prefix, names := "vllm:", vLLMMetrics[:]
	if random.Intn(3) == 0 {
		prefix, names = "sglang:", sgLangMetrics[:]
	}
	values := []string{"0", "1", "3.0", "0.5", "1e3", "NaN", "-1", "17.25", "1.5e-2", "+Inf", "123456789.125", "x", "1e30"}
	for _, i := range random.Perm(len(names)) {
		m := names[i]
		if random.Intn(3) == 0 || m.to == cacheInfo {
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
