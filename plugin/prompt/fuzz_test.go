package prompt

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func addRequests(f *testing.F) {
	for i, r := range loadRequests(f) {
		f.Add(r.body, uint8(r.format), uint16(64+i*13), []byte{byte(i), 7})
	}
}

// fuzzPointers are the pointers that the fuzz targets use.
var fuzzPointers = []string{"/request/body/text", "/request/body/1/text", "", "/a", "/model", "/0", "/a/~1~0/0"}

// FuzzOracle: the scanner of whole bodies and the oracle agree on every body, with every cap, under any chunking.
func FuzzOracle(f *testing.F) {
	addRequests(f)
	f.Fuzz(func(t *testing.T, body []byte, format uint8, limit uint16, sizes []byte) {
		pointer := fuzzPointers[int(limit)%len(fuzzPointers)]
		checkOracle(t, Chat+Format(format)%Pointer, pointer, body, int(limit), sizes...)
	})
}

// FuzzDecision: with the decision made as soon as it can be, it is the same under any chunking; it never waits longer
// than its bounds; and where the cap was not in the way it is the oracle's. Bodies are as given, or made by the grammar.
func FuzzDecision(f *testing.F) {
	addRequests(f)
	for seed := range uint64(64) {
		f.Add(randomChoices(seed, 300), uint8(128), uint16(64+seed*7), []byte{byte(seed), 3})
	}
	f.Fuzz(func(t *testing.T, body []byte, format uint8, limit uint16, sizes []byte) {
		kind := Chat + Format(format)%Pointer
		if format >= 128 {
			kind, body = generateBody(body)
		}
		pointer := fuzzPointers[int(limit)%len(fuzzPointers)]
		o := Options{KeepBytes: int(limit % 1000), BlockBytes: 16, HoldBytes: -1}
		if limit&2 != 0 {
			o.HoldBytes = int(limit / 16)
		}
		one, other := NewScanner(o), NewScanner(o)
		whole, status := scan(t, one, kind, pointer, body)
		cut, again := scan(t, other, kind, pointer, body, sizes...)
		if status != again || one.Why() != other.Why() {
			t.Fatalf("%v %q in one chunk, %v %q in chunks of %v\n%q", status, one.Why(), again, other.Why(), sizes, body)
		}
		if status == More {
			t.Fatalf("no decision at the end of the body")
		}
		if len(whole.Text) > one.keep || whole.SystemLen > len(whole.Text) || whole.BodyBytes > len(body) {
			t.Fatalf("out of bounds: %+v", visible(whole))
		}
		if status != Ready {
			return
		}
		if diff := cmp.Diff(visible(whole), visible(cut)); diff != "" {
			t.Fatalf("in one chunk (-) and in chunks of %v (+):\n%s\n%q", sizes, diff, body)
		}
		if !whole.Truncated && whole.BodyBytes == len(body) {
			checkOracle(t, kind, pointer, body, one.keep, sizes...)
		}
		if a, b := chainOf(whole), chainOf(cut); !slices.Equal(a, b) {
			t.Fatalf("in chunks of %v the chain is another: %x, %x\n%q", sizes, a, b, body)
		}
		for n := range 40 {
			if p, q := whole.Prefix(n), whole.Prefix(n+1); len(p) > len(q) || string(q[:len(p)]) != string(p) {
				t.Fatalf("Prefix(%d) = %q is not the beginning of Prefix(%d) = %q", n, p, n+1, q)
			}
		}
	})
}
