package exposition

import (
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"warmroute/testdata/golden"
)

const dir = "../../testdata/metrics"

func readPage(page []byte, step int) Load {
	var r Reader
	for len(page) > 0 {
		n := min(step, len(page))
		r.Write(page[:n])
		page = page[n:]
	}
	return *r.Close()
}

// fields is what a load holds, by name.
func fields(l *Load) map[string]string {
	m := map[string]string{}
	put := func(bit Fields, name string, value float64) {
		if l.Has&bit != 0 {
			m[name] = fmt.Sprint(value)
		}
	}
	put(HasRunning, "running", l.Running)
	put(HasWaiting, "waiting", l.Waiting)
	put(HasCacheQueries, "cache_queries", l.CacheQueries)
	put(HasCacheHits, "cache_hits", l.CacheHits)
	put(HasTier, "tier_tokens", l.TierTokens)
	put(HasKVTokens, "kv_tokens", l.KVTokens)
	put(HasKVUsage, "kv_usage", l.KVUsage)
	return m
}

func show(l *Load) string {
	m := fields(l)
	var b strings.Builder
	for _, name := range []string{"running", "waiting", "cache_queries", "cache_hits", "kv_tokens", "tier_tokens", "kv_usage"} {
		if v, ok := m[name]; ok {
			fmt.Fprintf(&b, "%s %s\n", name, v)
		}
	}
	fmt.Fprintf(&b, "truncated %v\n", l.Truncated)
	return b.String()
}

func TestGolden(t *testing.T) {
	for name, page := range golden.Pages(t, dir+"/*.txt") {
		s := readPage(page, len(page))
		golden.Compare(t, filepath.Join(dir, strings.TrimSuffix(name, ".txt")+".golden"), show(&s))
	}
}

func TestAnyPieces(t *testing.T) {
	for name, page := range golden.Pages(t, dir+"/*.txt") {
		whole := readPage(page, len(page))
		want := show(&whole)
		for _, step := range []int{1, 2, 3, 7, 64, 1000} {
			if s := readPage(page, step); show(&s) != want {
				t.Errorf("%s in pieces of %d: got\n%s\nwant\n%s", name, step, show(&s), want)
			}
		}
	}
}

// A truncated page has fewer fields than the whole page, and no other values: no sum lacks an engine. (Truncation right
// after a line feed cannot be seen.)
func TestTruncatedAnywhere(t *testing.T) {
	for name, page := range golden.Pages(t, dir+"/*.txt") {
		whole := readPage(page, len(page))
		want := fields(&whole)
		for at := 1; at < len(page); at++ {
			l := readPage(page[:at], len(page))
			if wantTruncated := page[at-1] != '\n'; l.Truncated != wantTruncated {
				t.Fatalf("%s until %d: truncated %v, want %v", name, at, l.Truncated, wantTruncated)
			}
			if !l.Truncated {
				continue
			}
			for field, value := range fields(&l) {
				if want[field] != value {
					t.Errorf("%s until %d: %s is %s, want %s or nothing", name, at, field, value, want[field])
				}
			}
		}
	}
}

func TestLines(t *testing.T) {
	long := "vllm:num_requests_running{model_name=\"" + strings.Repeat("x", maxLine) + "\"} 1\n"
	for _, c := range []struct {
		name, page string
		want       string
	}{
		{"empty", "", "truncated false\n"},
		{"blank lines", "\n \n\r\n\t\n", "truncated false\n"},
		{"other metrics", "go_info 1\nvllm:other 3\n", "truncated false\n"},
		{"carriage returns", "tgi_queue_size 4\r\n", "waiting 4\ntruncated false\n"},
		{"no line feed at the end", "tgi_queue_size 4", "truncated true\n"},
		{"cut in the next metric's help", "tgi_queue_size 4\n# HEL", "waiting 4\ntruncated true\n"},
		{"cut in the next line", "tgi_queue_size 4\ntgi", "truncated true\n"},
		{"a line too long", long + "vllm:num_requests_waiting 2\n", "waiting 2\ntruncated false\n"},
		{"underscores for colons", "vllm_num_requests_waiting 2\n", "waiting 2\ntruncated false\n"},
		{"another server's metric", "tgi_queue_size 4\nvllm:num_requests_waiting 2\n", "waiting 4\ntruncated false\n"},
		{"no blank before the value", "tgi_queue_size4\ntgi_queue_size\"4\n", "truncated false\n"},
		{"an open label", "vllm:num_requests_waiting{a=\"b\\\"} 2\n", "truncated false\n"},
		{"hits alone", "vllm:prefix_cache_hits_total 3\n", "cache_hits 3\ntruncated false\n"},
		{"an idle cache", "vllm:prefix_cache_queries_total 0\nvllm:prefix_cache_hits_total 0\n", "cache_queries 0\ncache_hits 0\ntruncated false\n"},
		{"counters under their OpenMetrics family names", "vllm:prefix_cache_queries 4\nvllm:prefix_cache_hits 1\n", "cache_queries 4\ncache_hits 1\ntruncated false\n"},
		{"blocks without a size", "vllm:cache_config_info{block_size=\"None\",num_gpu_blocks=\"10\"} 1\n", "truncated false\n"},
	} {
		if s := readPage([]byte(c.page), 5); show(&s) != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, show(&s), c.want)
		}
	}
}

func TestAgainWithoutAllocation(t *testing.T) {
	for name, page := range golden.Pages(t, dir+"/*.txt") {
		var r Reader
		read := func() {
			r.Reset()
			r.Write(page[:len(page)/2])
			r.Write(page[len(page)/2:])
			r.Close()
		}
		read()
		want := show(r.Close())
		if n := testing.AllocsPerRun(20, read); n != 0 {
			t.Errorf("%s: %v allocations a page, want 0", name, n)
		}
		r.Reset()
		r.Write([]byte("tgi_queue_size 4\n"))
		r.Close()
		if read(); show(&r.sheets[0].load) != want {
			t.Errorf("%s after another page: got\n%s\nwant\n%s", name, show(&r.sheets[0].load), want)
		}
	}
}

func TestNumber(t *testing.T) {
	for _, text := range []string{"0", "0.0", "+3", "5.", ".5", "1e3", "1E+3", "2.5e-3", "16.0", "2.966151475906372", "1.7952290589353423e+09",
		"123456789012345678901", "0.00000000000000000000000123", "1e18", "999999999999999999", "1e-400", "0e99999999999", "1e-99999999999"} {
		want, err := strconv.ParseFloat(text, 64)
		if err != nil && !math.IsInf(want, 0) && want != 0 {
			t.Fatal(err)
		}
		got, ok := number([]byte(text))
		if wantOK := want <= maxValue; ok != wantOK || ok && math.Abs(got-want) > want*1e-15 {
			t.Errorf("%s: got %v %v, want %v %v", text, got, ok, want, wantOK)
		}
	}
	for _, text := range []string{"", "+", "-", ".", "e5", "1e", "1e+", "--1", "-1", "-0.5", "NaN", "nan", "+Inf", "-Inf", "inf", "0x10", "1_000", "1e5.5",
		"1.2.3", "1,5", "two", "1e19", "1e999", "1e99999999999999999999"} {
		if got, ok := number([]byte(text)); ok {
			t.Errorf("%q: got %v, want it refused", text, got)
		}
	}
}
