package ring

import (
	"testing"

	"github.com/cespare/xxhash/v2"
)

func BenchmarkFirst(b *testing.B) {
	r := build(64, 256)
	b.ReportAllocs()
	key := uint64(1)
	for b.Loop() {
		key = key*6364136223846793005 + 1442695040888963407 // Knuth's MMIX generator
		w := r.From(key)
		w.Next()
	}
}

func BenchmarkFirstThree(b *testing.B) {
	r := build(64, 256)
	b.ReportAllocs()
	key := uint64(1)
	for b.Loop() {
		key = key*6364136223846793005 + 1442695040888963407
		w := r.From(key)
		for range 3 {
			w.Next()
		}
	}
}

func BenchmarkWalkAll(b *testing.B) {
	r := build(64, 256)
	b.ReportAllocs()
	key := xxhash.Sum64String("k")
	for b.Loop() {
		w := r.From(key)
		for _, ok := w.Next(); ok; _, ok = w.Next() {
		}
	}
}

func BenchmarkAddRemove(b *testing.B) {
	r := build(64, 256)
	b.ReportAllocs()
	for b.Loop() {
		r.Add(64, "new", 1)
		r.settle()
		r.Remove(64)
		r.settle()
	}
}
