package exposition

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// endless is a page of one metric's lines behind what a page says first.
func endless(size int, line func(i int) string) string {
	var b strings.Builder
	b.WriteString("vllm:num_requests_running 7\nvllm:num_requests_waiting 2\n")
	for i := 0; b.Len() < size; i++ {
		b.WriteString(line(i))
	}
	return b.String()
}

// However long a page, and whatever is repeated on it, so much of it is read and no more; what it says first counts.
func TestPagesAreReadSoFar(t *testing.T) {
	long := strings.Repeat("x", maxLine-100)
	for name, line := range map[string]string{
		"buckets":         `vllm:time_to_first_token_seconds_bucket{engine="0",le="0.5",model_name="m"} 14.0`,
		"short lines":     "vllm:kv_cache_usage_perc 1",
		"no lines":        "",
		"blanks":          strings.Repeat(" ", maxLine/2),
		"blanks within":   "vllm:kv_cache_usage_perc" + strings.Repeat(" ", maxLine/2) + "1",
		"labels":          "vllm:kv_cache_usage_perc{" + strings.Repeat(`a="",`, 1000) + "} 1",
		"a label":         `vllm:kv_cache_usage_perc{a="` + long + `"} 1`,
		"a name":          "vllm:kv" + long + " 1",
		"adapters":        `vllm:lora_requests_info{running_lora_adapters="` + strings.Repeat("a,", 3000) + `"} 1`,
		"adapters, times": `vllm:lora_requests_info{running_lora_adapters="` + strings.Repeat("a,", 3000) + `"} 1 2`,
		"no line feed":    long + long,
	} {
		page := []byte(endless(2*MaxPage, func(int) string { return line + "\n" }))
		for _, step := range []int{64 << 10, 1000, len(page)} {
			var r Reader
			r.Reset()
			for rest := page; len(rest) > 0; rest = rest[min(step, len(rest)):] {
				r.Write(rest[:min(step, len(rest))])
			}
			l := r.Close()
			if want := HasRunning | HasWaiting; l.Has != want || l.Running != 7 || l.Waiting != 2 || l.Truncated || !r.IsTruncated() {
				t.Errorf("%s in pieces of %d: %+v", name, step, *l)
			}
			if r.bytes > MaxPage || r.work > maxWork+2*maxLine {
				t.Errorf("%s in pieces of %d: %d bytes are read, %d work", name, step, r.bytes, r.work)
			}
			r.Reset()
			r.Write([]byte("vllm:num_requests_running 3\n"))
			if l := r.Close(); l.Running != 3 || r.IsTruncated() {
				t.Errorf("%s: the next page has %+v", name, *l)
			}
		}
	}
}

// So it does of a server whose ranks are learned, and of each rank.
func TestPagesOfRanksAreReadSoFar(t *testing.T) {
	page := strings.Repeat("vllm:other 1\n", 2*maxWork)
	for engine := range 2 {
		for _, name := range []string{"waiting", "running"} {
			page = fmt.Sprintf("vllm:num_requests_%s{engine=\"%d\"} %d\n", name, engine, engine+3) + page
		}
	}
	r := Reader{Ranks: EachRank}
	r.Reset()
	r.Write([]byte(page))
	r.Close()
	if l := r.Rank(1); r.Named() != 2 || l.Running != 4 || l.Truncated {
		t.Errorf("of %d ranks the second has %+v", r.Named(), *l)
	}
	if l := r.Together(); l.Running != 7 || l.Waiting != 7 || l.Truncated || !r.IsTruncated() {
		t.Errorf("together %+v", *l)
	}
}

// A page that says nothing of what waits before it is left is truncated: what runs is not taken for all there is.
func TestWhatComesTooLateIsUnknown(t *testing.T) {
	page := "vllm:num_requests_running 7\n" + strings.Repeat("#\n", MaxPage/2) + "vllm:num_requests_waiting 2\n"
	if l := readPage([]byte(page), 64<<10); !l.Truncated || l.Has != HasRunning {
		t.Errorf("%+v", l)
	}
}

// A page of a server with 64 engines is read to its end: 3.3 MB, nearly all of it buckets.
func TestLargestRealPage(t *testing.T) {
	var b strings.Builder
	for _, name := range []string{"num_requests_running", "num_requests_waiting", "num_requests_swapped", "kv_cache_usage_perc", "prefix_cache_queries_total",
		"prefix_cache_hits_total", "external_prefix_cache_queries_total", "external_prefix_cache_hits_total"} {
		for engine := range MaxRanks {
			fmt.Fprintf(&b, "vllm:%s{engine=\"%d\",model_name=\"meta-llama/Llama-3.1-70B-Instruct\"} 1.0\n", name, engine)
		}
	}
	for i := range 550 * MaxRanks {
		fmt.Fprintf(&b, "vllm:time_to_first_token_seconds_%d_bucket{engine=\"%d\",le=\"0.5\",model_name=\"meta-llama/Llama-3.1-70B-Instruct\"} 14.0\n", i/MaxRanks/20, i%MaxRanks)
	}
	for engine := range MaxRanks {
		fmt.Fprintf(&b, "vllm:cache_config_info{%sengine=\"%d\",kv_cache_size_tokens=\"1000\"} 1.0\n", strings.Repeat(`some_setting="None",`, 50), engine)
	}
	r := Reader{Ranks: EachRank}
	r.Reset()
	r.Write([]byte(b.String()))
	if r.Close(); r.Named() != MaxRanks || r.IsTruncated() || r.Rank(63).KVTokens != 1000 || r.Rank(63).Running != 1 {
		t.Errorf("of %d bytes: %d ranks, the last has %+v; %d work", b.Len(), r.Named(), *r.Rank(63), r.work)
	}
	t.Logf("%d bytes, %d work", b.Len(), r.work)
}

// Of thousands of series those that are latest say which adapters were used last, in whatever order they come.
func TestLatestAdapters(t *testing.T) {
	const n = 20_000
	series := func(i int) string {
		return fmt.Sprintf("vllm:lora_requests_info{max_lora=\"4\",running_lora_adapters=\"a-%d,b-%d\",waiting_lora_adapters=\"\"} 1.79%05de+09\n", i, i%3, i)
	}
	var want []string
	for i := n - 1; len(want) < MaxAdapters; i-- {
		if want = append(want, fmt.Sprintf("a-%d", i)); i >= n-3 {
			want = append(want, fmt.Sprintf("b-%d", i%3))
		}
	}
	for name, order := range map[string]func(i int) int{
		"as they came up": func(i int) int { return i },
		"backward":        func(i int) int { return n - 1 - i },
		"shuffled":        func(i int) int { return i * 7919 % n },
		"two processes'":  func(i int) int { return i%(n/2)*2 + i/(n/2) },
	} {
		page := endless(0, nil)
		var b strings.Builder
		for i := range n {
			b.WriteString(series(order(i)))
		}
		page += b.String() + "vllm:cache_config_info{kv_cache_size_tokens=\"1000\"} 1.0\n"
		l := readPage([]byte(page), 64<<10)
		if got := adaptersOf(&l); l.AdapterSlots != 4 || l.KVTokens != 1000 || l.Truncated || !slices.Equal(got, keysOf(want...)) {
			t.Errorf("%s: %d adapters of %d slots, %v tokens; want %v", name, len(got), l.AdapterSlots, l.KVTokens, want)
		}
	}
}

// Lines about adapters in any form; of a page that is too long to show which were used last, none are taken.
func TestAdapterLines(t *testing.T) {
	const labels = `{max_lora="4",running_lora_adapters="a",waiting_lora_adapters=""}`
	for _, c := range []struct {
		name, line string
		has        bool
	}{
		{"no blank", labels + "5", true},
		{"tabs", "\t" + labels + "\t5\t", true},
		{"a time", labels + " 5 1795493093000", true},
		{"an exemplar", labels + ` 5 # {trace_id="x"} 1`, true},
		{"no number", labels + " NaN", false},
		{"no value", labels, false},
		{"no labels", " 5", false},
		{"half of the labels", "} 5", false},
		{"nothing else", "5", false},
		{"a broken label", `{max_lora="4} 5`, false},
	} {
		l := readPage([]byte("vllm:lora_requests_info"+c.line+"\n"), 7)
		if got := l.Has&HasAdapters != 0 && len(adaptersOf(&l)) == 1; got != c.has {
			t.Errorf("%s: %v adapters", c.name, adaptersOf(&l))
		}
	}
	for _, value := range []string{"5", "5 1"} {
		l := readPage([]byte(endless(MaxPage, func(int) string { return "vllm:lora_requests_info" + labels + value + "\n" })), 64<<10)
		if l.Has != HasRunning|HasWaiting {
			t.Errorf("of a page that ends among the adapters: %+v", l)
		}
	}
}

// Pages of 4 MB of lines that all are read.
func BenchmarkLongPages(b *testing.B) {
	for _, c := range []struct {
		name string
		line func(i int) string
	}{
		{"running", func(int) string { return "vllm:num_requests_running{engine=\"0\",model_name=\"llama\"} 5.0\n" }},
		{"adapters", func(i int) string {
			return fmt.Sprintf("vllm:lora_requests_info{max_lora=\"4\",running_lora_adapters=\"sql-%d,chat-%d,law-%d\",waiting_lora_adapters=\"team-%d\"} 1.79522%08d92962e+09\n",
				i%97, i%89, i%83, i%7, i)
		}},
		{"labels", func(int) string { return "vllm:num_requests_running{" + strings.Repeat(`a="",`, 300) + "} 5.0\n" }},
		{"blank", func(int) string { return "\n" }},
	} {
		page := []byte(endless(4<<20, c.line))
		b.Run(c.name, func(b *testing.B) {
			var r Reader
			for b.Loop() {
				r.Reset()
				r.Write(page)
				r.Close()
			}
		})
	}
}
