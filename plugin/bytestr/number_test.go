package bytestr

import (
	"bytes"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

// AppendNumber writes what strconv does, halves between two numbers included.
func TestAppendNumber(t *testing.T) {
	check := func(v float64) {
		if got, want := string(AppendNumber(nil, v)), strconv.FormatFloat(v, 'g', 6, 64); got != want {
			t.Fatalf("%b: got %s, want %s", v, got, want)
		}
	}
	for _, v := range []float64{0, 1, 10, 5, 0.5, 1e5, 123456, 999999, 999999.4, 999999.5, 999999.6, 1e6, 1e7, 1e-4, 0.00012345, 9.9999996e-5, 0.1, 0.001,
		99999.95, 0.99999951, 0.99999949, 123456.5, 123457.5, 0.125, 1234.5625, math.Inf(1), math.NaN(), -1, -0.25, -1e9, 1e-300} {
		check(v)
		check(math.Nextafter(v, 1e9))
		check(math.Nextafter(v, 0))
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 200_000 {
		check(math.Pow(10, random.Float64()*12-5))
		check(float64(random.IntN(1<<22)) / 16) // halves at the sixth digit
		check(float64(random.IntN(1<<20)) / 1024)
	}
	buffer := make([]byte, 0, 16)
	if n := testing.AllocsPerRun(100, func() { buffer = AppendNumber(buffer[:0], 1234.5) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkAppendNumber(b *testing.B) {
	var buffer []byte
	for b.Loop() {
		buffer = AppendNumber(buffer[:0], 1234.5678)
	}
}

func TestIndexByte(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 20_000 {
		b := make([]byte, random.IntN(40))
		for i := range b {
			b[i] = byte(random.IntN(4))*85 + byte(random.IntN(2))
		}
		c := byte(random.IntN(4))*85 + byte(random.IntN(2))
		if got, want := IndexByte(b, c), bytes.IndexByte(b, c); got != want {
			t.Fatalf("%d in %v: got %d, want %d", c, b, got, want)
		}
	}
}
