package load

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files of testdata anew")

const metricsDir = "../../testdata/metrics"

func metricPages(tb testing.TB) map[string][]byte { return readPages(tb, metricsDir, "*.txt") }

func readPages(tb testing.TB, dir, pattern string) map[string][]byte {
	paths, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(paths) == 0 {
		tb.Fatalf("no %s in %s: %v", pattern, dir, err)
	}
	pages := make(map[string][]byte)
	for _, path := range paths {
		page, err := os.ReadFile(path)
		if err != nil {
			tb.Fatal(err)
		}
		pages[filepath.Base(path)] = page
	}
	return pages
}

// golden compares got with the file, or writes it.
func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s:\ngot\n%s\nwant\n%s", path, got, want)
	}
}

func readPage(page []byte, cut bool, step int) Sample {
	var r Scrape
	for len(page) > 0 {
		n := min(step, len(page))
		r.Write(page[:n])
		page = page[n:]
	}
	return *r.Close(cut)
}

// fields is what a sample holds, by name.
func fields(s *Sample) map[string]string {
	m := map[string]string{"kind": s.Kind.String()}
	put := func(bit Fields, name string, value any) {
		if s.Has&bit != 0 {
			m[name] = fmt.Sprint(value)
		}
	}
	put(HasRunning, "running", s.Running)
	put(HasRunning, "engines", s.Engines)
	put(HasWaiting, "waiting", s.Waiting)
	put(HasKVUsage, "kv_usage", s.KVUsage)
	put(HasCacheTokens, "cache_queries", s.CacheQueries)
	put(HasCacheTokens, "cache_hits", s.CacheHits)
	put(HasHitRate, "hit_rate", s.HitRate)
	put(HasBlockTokens, "block_tokens", s.BlockTokens)
	put(HasBlocks, "blocks", s.Blocks)
	put(HasKVTokens, "kv_tokens", s.KVTokens)
	put(HasTTFT, "ttft", fmt.Sprint(s.TTFTSum, " / ", s.TTFTCount))
	put(HasPrefill, "prefill", fmt.Sprint(s.PrefillSum, " / ", s.PrefillCount))
	put(HasLoRA, "lora", fmt.Sprintf("%d running %s waiting %s", s.MaxLoRA, s.RunningLoRA, s.WaitingLoRA))
	put(HasAwake, "awake", s.Awake)
	return m
}

func show(s *Sample) string {
	m := fields(s)
	var b strings.Builder
	for _, name := range []string{"kind", "running", "engines", "waiting", "kv_usage", "cache_queries", "cache_hits", "hit_rate",
		"block_tokens", "blocks", "kv_tokens", "ttft", "prefill", "lora", "awake"} {
		if v, ok := m[name]; ok {
			fmt.Fprintf(&b, "%s %s\n", name, v)
		}
	}
	fmt.Fprintf(&b, "bad %d\ncut %v\n", s.Bad, s.Cut)
	return b.String()
}

func TestScrapeGolden(t *testing.T) {
	for name, page := range metricPages(t) {
		s := readPage(page, false, len(page))
		golden(t, filepath.Join(metricsDir, strings.TrimSuffix(name, ".txt")+".golden"), show(&s))
	}
}

func TestScrapeAnyPieces(t *testing.T) {
	for name, page := range metricPages(t) {
		whole := readPage(page, false, len(page))
		want := show(&whole)
		for _, step := range []int{1, 2, 3, 7, 64, 1000} {
			if s := readPage(page, false, step); show(&s) != want {
				t.Errorf("%s in pieces of %d: got\n%s\nwant\n%s", name, step, show(&s), want)
			}
		}
	}
}

// What a cut page has is what the whole page has: no sum lacks an engine. (The hit rate may be the server's own until
// the counters are read, and the usage the one by the former name.)
func TestScrapeCutAnywhere(t *testing.T) {
	for name, page := range metricPages(t) {
		whole := readPage(page, false, len(page))
		want := fields(&whole)
		for at := range page {
			s := readPage(page[:at], true, len(page))
			if !s.Cut {
				t.Fatalf("%s cut at %d: not seen as cut", name, at)
			}
			for field, value := range fields(&s) {
				if field == "kind" && value == "unknown" || want[field] == value {
					continue
				}
				t.Errorf("%s cut at %d: %s is %s, want %s or nothing", name, at, field, value, want[field])
			}
		}
	}
}

func TestScrapeLines(t *testing.T) {
	long := "vllm:num_requests_running{model_name=\"" + strings.Repeat("x", maxLine) + "\"} 1\n"
	for _, c := range []struct {
		name, page string
		want       string
	}{
		{"empty", "", "kind unknown\nbad 0\ncut false\n"},
		{"blank lines", "\n \n\r\n\t\n", "kind unknown\nbad 0\ncut false\n"},
		{"other metrics", "go_info 1\nvllm:other 3\n", "kind unknown\nbad 0\ncut false\n"},
		{"carriage returns", "tgi_queue_size 4\r\n", "kind tgi\nwaiting 4\nbad 0\ncut false\n"},
		{"no line feed at the end", "tgi_queue_size 4", "kind unknown\nbad 0\ncut true\n"},
		{"cut in the next metric's help", "tgi_queue_size 4\n# HEL", "kind tgi\nwaiting 4\nbad 0\ncut true\n"},
		{"cut in the next line", "tgi_queue_size 4\ntgi", "kind tgi\nbad 0\ncut true\n"},
		{"a line too long", long + "vllm:num_requests_waiting 2\n", "kind vllm\nwaiting 2\nbad 1\ncut false\n"},
		{"underscores for colons", "vllm_num_requests_waiting 2\n", "kind vllm\nwaiting 2\nbad 0\ncut false\n"},
		{"another server's metric", "tgi_queue_size 4\nvllm:num_requests_waiting 2\n", "kind tgi\nwaiting 4\nbad 0\ncut false\n"},
		{"usage above one", "sglang:token_usage 1.25\n", "kind sglang\nkv_usage 1\nbad 0\ncut false\n"},
		{"no blank before the value", "tgi_queue_size4\ntgi_queue_size\"4\n", "kind tgi\nbad 1\ncut false\n"},
		{"an open label", "vllm:num_requests_waiting{a=\"b\\\"} 2\n", "kind vllm\nbad 1\ncut false\n"},
		{"asleep", "vllm:engine_sleep_state{sleep_state=\"awake\"} 0\nvllm:engine_sleep_state{sleep_state=\"discard_all\"} 1\n", "kind vllm\nawake false\nbad 0\ncut false\n"},
		{"hits without queries", "vllm:prefix_cache_hits_total 3\n", "kind vllm\nbad 0\ncut false\n"},
		{"an idle cache", "vllm:prefix_cache_queries_total 0\nvllm:prefix_cache_hits_total 0\n", "kind vllm\ncache_queries 0\ncache_hits 0\nbad 0\ncut false\n"},
		{"counters under their OpenMetrics family names", "vllm:prefix_cache_queries 4\nvllm:prefix_cache_hits 1\n", "kind vllm\ncache_queries 4\ncache_hits 1\nhit_rate 0.25\nbad 0\ncut false\n"},
		{"blocks without a size", "vllm:cache_config_info{block_size=\"None\",num_gpu_blocks=\"10\"} 1\n", "kind vllm\nblocks 10\nbad 0\ncut false\n"},
		{"an adapter with escapes", "vllm:lora_requests_info{max_lora=\"1\",running_lora_adapters=\"a\\\\b\",waiting_lora_adapters=\"\\\"c\\\"\"} 1\n", "kind vllm\nlora 1 running a\\b waiting \"c\"\nbad 0\ncut false\n"},
	} {
		if s := readPage([]byte(c.page), false, 5); show(&s) != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, show(&s), c.want)
		}
	}
}

func TestScrapeAgainWithoutAllocation(t *testing.T) {
	for name, page := range metricPages(t) {
		var r Scrape
		read := func() {
			r.Reset()
			r.Write(page[:len(page)/2])
			r.Write(page[len(page)/2:])
			r.Close(false)
		}
		read()
		want := show(r.Close(false))
		if n := testing.AllocsPerRun(20, read); n != 0 {
			t.Errorf("%s: %v allocations a page, want 0", name, n)
		}
		r.Reset()
		r.Write([]byte("tgi_queue_size 4\n"))
		r.Close(false)
		if read(); show(&r.sample) != want {
			t.Errorf("%s after another page: got\n%s\nwant\n%s", name, show(&r.sample), want)
		}
	}
}

func TestAdaptersAreBounded(t *testing.T) {
	names := strings.Repeat("adapter-with-a-name,", 300) + "last"
	s := readPage([]byte("vllm:lora_requests_info{max_lora=\"9e9\",running_lora_adapters=\""+names+"\"} 1\n"), false, 100)
	if len(s.RunningLoRA) > maxAdapterBytes || !bytes.HasSuffix(s.RunningLoRA, []byte("name,")) || s.MaxLoRA != maxAdapters {
		t.Errorf("got %d adapters, %d bytes ending in %q", s.MaxLoRA, len(s.RunningLoRA), s.RunningLoRA[max(0, len(s.RunningLoRA)-9):])
	}
	if HasName(s.RunningLoRA, "last") || HasName(s.RunningLoRA, "") || !HasName(s.RunningLoRA, "adapter-with-a-name") {
		t.Error("HasName sees names that are not there, or not those that are")
	}
	if !HasName([]byte("a, b"), "b") || !HasName([]byte("a"), "a") || HasName([]byte("ab"), "a") || HasName(nil, "a") {
		t.Error("HasName is wrong about a short list")
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
