package exposition

import (
	"bytes"
	"math"
	"strconv"
	"testing"

	"warmroute/testdata/golden"
)

// Whatever the page: no panic, the same result for any pieces, and values that a router can use.
func FuzzReader(f *testing.F) {
	for _, page := range golden.Pages(f, dir+"/*.txt") {
		f.Add(page, uint16(100), uint16(7))
		f.Add(page[:len(page)/3], uint16(60000), uint16(1))
	}
	f.Add([]byte("vllm:num_requests_running{a=\"\\"), uint16(9), uint16(2))
	f.Add([]byte("sglang:num_queue_reqs{tp_rank=\"0\"} 1e-400\ntgi_queue_size 1e18\n"), uint16(30), uint16(3))
	f.Fuzz(func(t *testing.T, page []byte, length, step uint16) {
		page = page[:min(len(page), int(length))]
		l := readPage(page, len(page)+1)
		pieces := readPage(page, 1+int(step))
		if l != pieces {
			t.Fatalf("in one piece\n%s\nin pieces of %d\n%s", show(&l), 1+int(step), show(&pieces))
		}
		for _, v := range []float64{l.Running, l.Waiting, l.CacheQueries, l.KVTokens, l.KVUsage} {
			if !(v >= 0) || math.IsInf(v, 0) {
				t.Fatalf("a value no load can have:\n%s", show(&l))
			}
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

// largePage is as long as a page of vLLM 0.32, 51 KB: nearly all of it is buckets, then comes the given page.
func largePage(page []byte) []byte {
	var b bytes.Buffer
	for i := 0; b.Len() < 46_000; i++ {
		name := "vllm:request_time_" + strconv.Itoa(i/20) + "_seconds"
		if i%20 == 0 {
			b.WriteString("# HELP " + name + " Histogram of the time that a request spends somewhere, in seconds.\n# TYPE " + name + " histogram\n")
		}
		b.WriteString(name + "_bucket{engine=\"0\",le=\"" + strconv.Itoa(i%20) + ".0\",model_name=\"tiny\"} 14.0\n")
	}
	b.Write(page)
	return b.Bytes()
}

func BenchmarkReader(b *testing.B) {
	page := largePage(golden.Pages(b, dir+"/*.txt")["vllm.txt"])
	b.SetBytes(int64(len(page)))
	b.ReportAllocs()
	var r Reader
	for b.Loop() {
		r.Reset()
		r.Write(page)
		if l := r.Close(); l.Running != 5 {
			b.Fatal(show(l))
		}
	}
}
