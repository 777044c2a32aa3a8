package faults

import (
	"strconv"
	"strings"
	"testing"
)

// BenchmarkLongHeaders is a request with 2 MB in a header, after one with 30,000 headers. Envoy lets
// through 60 KB and 100 headers unless max_request_headers_kb and max_headers_count say more.
func BenchmarkLongHeaders(b *testing.B) {
	w := start(b, module(b), Options{Replicas: 1, CacheTokens: 400_000})
	send := func(headers ...string) {
		w.Open(0, chats, 0, headers...).Stop()
	}
	var many []string
	for n := range 30_000 {
		many = append(many, "x-"+strconv.Itoa(n), strings.Repeat("a", 50))
	}
	long := strings.Repeat("a", 2<<20)
	for range 2 {
		send("x-a", long)
		send(many...)
	}
	for b.Loop() {
		send("x-a", long)
	}
}
