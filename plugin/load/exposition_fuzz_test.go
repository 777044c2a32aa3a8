package load

import (
	"bytes"
	"math"
	"strconv"
	"testing"
)

// Whatever the page: no panic, the same answer for any pieces, and values that a router can use.
func FuzzScrape(f *testing.F) {
	for _, page := range metricPages(f) {
		f.Add(page, uint16(100), uint16(7))
		f.Add(page[:len(page)/3], uint16(60000), uint16(1))
	}
	f.Add([]byte("vllm:num_requests_running{a=\"\\"), uint16(9), uint16(2))
	f.Add([]byte("sglang:token_usage{tp_rank=\"0\"} 1e-400\ntgi_queue_size 1e18\n"), uint16(30), uint16(3))
	f.Fuzz(func(t *testing.T, page []byte, cut, step uint16) {
		page = page[:min(len(page), int(cut))]
		whole := readPage(page, false, len(page)+1)
		pieces := readPage(page, false, 1+int(step))
		if show(&whole) != show(&pieces) {
			t.Fatalf("in one piece\n%s\nin pieces of %d\n%s", show(&whole), 1+int(step), show(&pieces))
		}
		s := &whole
		for _, v := range []float64{s.Running, s.Waiting, s.CacheQueries, s.CacheHits, s.BlockTokens, s.Blocks, s.KVTokens, s.TTFTSum, s.TTFTCount, s.PrefillSum, s.PrefillCount} {
			if !(v >= 0) || math.IsInf(v, 0) {
				t.Fatalf("a value no load can have:\n%s", show(s))
			}
		}
		if !(s.KVUsage >= 0 && s.KVUsage <= 1 && s.HitRate >= 0 && s.HitRate <= 1) {
			t.Fatalf("a share outside of 0…1:\n%s", show(s))
		}
		if s.Has != 0 && s.Kind == Unknown || s.Bad > bytes.Count(page, []byte("\n")) || len(s.RunningLoRA) > maxAdapterBytes {
			t.Fatalf("no server, too many bad lines or adapters:\n%s", show(s))
		}
	})
}

func FuzzNumber(f *testing.F) {
	for _, seed := range []string{"0", "1.5", "+2e3", "1e-7", "NaN", "+Inf", "0x1p3", "1_0", "123456789012345678901234567890.5e-20", "."} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, ok := number(text)
		want, err := strconv.ParseFloat(string(text), 64)
		if ok && (err != nil || math.Abs(got-want) > want*1e-15+math.SmallestNonzeroFloat64*4 && want > 1e-290) {
			t.Fatalf("%q: got %v, want %v %v", text, got, want, err)
		}
		plain := len(bytes.Trim(text, "0123456789.eE+-")) == 0 && !bytes.HasPrefix(text, []byte("-"))
		if !ok && err == nil && plain && want <= maxValue*(1-1e-12) {
			t.Fatalf("%q: refused, want %v", text, want)
		}
	})
}

// largePage is as long as a page of vLLM 0.32: 51 KB, nearly all of it buckets.
func largePage() []byte {
	var b bytes.Buffer
	for i := 0; b.Len() < 46_000; i++ {
		name := "vllm:request_time_" + strconv.Itoa(i/20) + "_seconds"
		if i%20 == 0 {
			b.WriteString("# HELP " + name + " Histogram of the time that a request spends somewhere, in seconds.\n# TYPE " + name + " histogram\n")
		}
		b.WriteString(name + "_bucket{engine=\"0\",le=\"" + strconv.Itoa(i%20) + ".0\",model_name=\"tiny\"} 14.0\n")
	}
	b.Write(sharedPage)
	return b.Bytes()
}

var sharedPage []byte

func BenchmarkScrape(b *testing.B) {
	sharedPage = metricPages(b)["vllm.txt"]
	page := largePage()
	b.SetBytes(int64(len(page)))
	b.ReportAllocs()
	var r Scrape
	for b.Loop() {
		r.Reset()
		r.Write(page)
		if s := r.Close(false); s.Running != 5 {
			b.Fatal(show(s))
		}
	}
}
