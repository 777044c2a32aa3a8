package prefix

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"
)

func words(s string) []byte { return []byte(strings.Repeat(s, 100)) }

func TestFixedIsXXH64OfEachBlock(t *testing.T) {
	text := words("pear apple quince ")
	for _, block := range []int{1, 7, 16, 31, 32, 33, 64, 256, 1799, 1800, 1801} {
		got := Fixed(nil, 9, text, block)
		if len(got) != len(text)/block {
			t.Fatalf("%d hashes of blocks of %d, want %d", len(got), block, len(text)/block)
		}
		seed := uint64(9)
		for i := range got {
			d := xxhash.NewWithSeed(seed)
			d.Write(text[i*block : (i+1)*block])
			if seed = d.Sum64(); got[i] != seed {
				t.Fatalf("block %d of %d bytes: %x, want %x", i, block, got[i], seed)
			}
		}
	}
	for _, block := range []int{0, -1} {
		if got := Fixed([]uint64{5}, 1, text, block); len(got) != 1 {
			t.Errorf("blocks of %d: %v", block, got)
		}
	}
}

func TestFixedAllocatesNothing(t *testing.T) {
	text, dst := words("pear"), make([]uint64, 0, 25)
	if n := testing.AllocsPerRun(10, func() {
		dst = Fixed(dst[:0], Seed([]byte("m"), nil, []byte("s"), nil), text, 16)
	}); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}

func TestAnyEarlierByteChangesEveryLaterBlock(t *testing.T) {
	text := words("quince ")
	const block = 32
	want := Fixed(nil, 1, text, block)
	for at := range text {
		changed := bytes.Clone(text)
		changed[at] ^= 1
		got := Fixed(nil, 1, changed, block)
		for i := range got {
			if (got[i] == want[i]) != (i < at/block) {
				t.Fatalf("byte %d changed: block %d is the same: %v", at, i, got[i] == want[i])
			}
		}
	}
}

func TestEqualBlocksDoNotCancel(t *testing.T) {
	seen := map[uint64]bool{}
	for _, hash := range Fixed(nil, 1, bytes.Repeat([]byte("sixteen bytes ok"), 1000), 16) {
		if seen[hash] {
			t.Fatal("two blocks of a chain of equal blocks have the same hash")
		}
		seen[hash] = true
	}
}

func TestSeedsOfDifferentTuplesDiffer(t *testing.T) {
	parts := []string{"", "a", "b", "ab", "a\x00", "\x01\x00\x00\x00\x00\x00\x00\x00a", strings.Repeat("a", 100)}
	seen := map[uint64][4]string{}
	for _, model := range parts {
		for _, adapter := range parts {
			for _, salt := range parts {
				for _, tenant := range parts {
					seed := Seed([]byte(model), []byte(adapter), []byte(salt), []byte(tenant))
					tuple := [4]string{model, adapter, salt, tenant}
					if other, found := seen[seed]; found {
						t.Fatalf("%q and %q have the same seed", tuple, other)
					}
					seen[seed] = tuple
				}
			}
		}
	}
	if Seed(nil, nil, nil, nil) != Seed([]byte{}, []byte{}, []byte{}, []byte{}) {
		t.Error("nil and empty differ")
	}
}

// FuzzFixed: the chains of two texts agree on their common whole blocks and nowhere after, and what dst had stays.
func FuzzFixed(f *testing.F) {
	f.Add([]byte("one text and"), []byte("one text or"), uint64(1), uint16(4))
	f.Add(words("a"), words("a")[:77], uint64(0), uint16(16))
	f.Fuzz(func(t *testing.T, a, b []byte, seed uint64, size uint16) {
		block := int(size)
		x, y := Fixed([]uint64{7}, seed, a, block), Fixed(nil, seed, b, block)
		if x[0] != 7 {
			t.Fatal("dst was overwritten")
		}
		x = x[1:]
		if block == 0 {
			if len(x)+len(y) != 0 {
				t.Fatal("hashes of no block")
			}
			return
		}
		if len(x) != len(a)/block {
			t.Fatalf("%d hashes, want %d", len(x), len(a)/block)
		}
		same := 0
		for same < min(len(a), len(b)) && a[same] == b[same] {
			same++
		}
		for i := range min(len(x), len(y)) {
			if (x[i] == y[i]) != (i < same/block) {
				t.Fatalf("%d equal bytes in blocks of %d, but block %d is the same: %v", same, block, i, x[i] == y[i])
			}
		}
		if cut := len(x) / 2; !slices.Equal(Fixed(slices.Clone(x[:cut]), lastOf(x[:cut], seed), a[cut*block:], block), x) {
			t.Fatal("a chain that is taken up again differs")
		}
	})
}

func lastOf(x []uint64, seed uint64) uint64 {
	if len(x) == 0 {
		return seed
	}
	return x[len(x)-1]
}

// BenchmarkFixed: 64 KB in blocks of each size.
func BenchmarkFixed(b *testing.B) {
	text := words(strings.Repeat("x", 656))[:64<<10]
	for _, block := range []int{64, 128, 256, 512, 1024} {
		b.Run(strconv.Itoa(block), func(b *testing.B) {
			dst := make([]uint64, 0, 1024)
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				dst = Fixed(dst[:0], 1, text, block)
			}
		})
	}
}
