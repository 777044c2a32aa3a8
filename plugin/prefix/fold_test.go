package prefix

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/cespare/xxhash/v2"
)

// chainOf is the chain of a text in one part, written in pieces of the given sizes, used over and over; none: in one.
func chainOf(seed uint64, unit int, text []byte, sizes ...byte) *Chain {
	var f Fold
	f.Reset(unit)
	for i := 0; len(sizes) > 0 && len(text) > 0; i++ {
		n := min(int(sizes[i%len(sizes)]), len(text))
		f.Write(text[:n])
		if text = text[n:]; i > len(sizes) && slices.Max(sizes) == 0 {
			break
		}
	}
	f.Write(text)
	c := new(Chain)
	c.Append(seed, &f, false)
	return c
}

func randomText(seed uint64, n int) []byte {
	random, text := rand.New(rand.NewPCG(seed, 1)), make([]byte, n)
	for i := range text {
		text[i] = byte(random.Uint32())
	}
	return text
}

// TestBlocksGrowWithDepth: how many blocks a prompt has, and where they end.
func TestBlocksGrowWithDepth(t *testing.T) {
	text := randomText(1, 16<<20)
	for size, want := range map[int]int{0: 0, 255: 0, 256: 1, 4 << 10: 16, 32 << 10: 44, 64 << 10: 52, 256 << 10: 100, 400 << 10: 109, 1 << 20: 148, 4 << 20: 340, 16 << 20: MaxBlocks} {
		c := chainOf(1, DefaultBlockBytes, text[:size])
		if c.Len() != want {
			t.Errorf("%d bytes have %d blocks, want %d", size, c.Len(), want)
		}
		for n := range c.Len() {
			block := c.size(n)
			if block > max(c.Covered(n)/4, DefaultBlockBytes) || c.Covered(n+1) > size {
				t.Fatalf("block %d of %d bytes stands behind %d", n, block, c.Covered(n))
			}
			if got := c.Blocks(c.Covered(n)); got != n {
				t.Fatalf("%d bytes hold %d blocks, want %d", c.Covered(n), got, n)
			}
			if got := c.Blocks(c.Covered(n+1) - 1); got != n {
				t.Fatalf("%d bytes hold %d blocks, want %d", c.Covered(n+1)-1, got, n)
			}
		}
	}
}

func TestBlockIsXXH64OfItsSum(t *testing.T) {
	text := randomText(2, 1000)
	c, seed := chainOf(9, 16, text), uint64(9)
	for n := range c.Len() {
		sum := xxhash.Sum64(text[c.Covered(n):c.Covered(n+1)])
		d := xxhash.NewWithSeed(seed)
		for shift := 0; shift < 64; shift += 8 {
			d.Write([]byte{byte(sum >> shift)})
		}
		if seed = d.Sum64(); c.Hash[n] != seed {
			t.Fatalf("block %d: %x, want %x", n, c.Hash[n], seed)
		}
	}
}

// TestParts: the end of a part that another follows is a block of its own, and what follows hangs on it.
func TestParts(t *testing.T) {
	head, turns := randomText(3, 5000), randomText(4, 9000)
	var a, b Fold
	a.Reset(256)
	b.Reset(256)
	a.Write(head)
	b.Write(turns)
	var one, both, other Chain
	one.Append(7, &a, false)
	both.Append(7, &a, true)
	both.Append(7, &b, false)
	if n := one.Len(); !slices.Equal(both.Hash[:n], one.Hash) || both.Covered(n+1) != len(head) || a.Count(true) != n+1 || a.Count(false) != n {
		t.Errorf("%d blocks, then up to %d; want a block that ends with the part at %d", n, both.Covered(n+1), len(head))
	}
	if got, want := both.Covered(both.Len())-len(head), 9000&^1023; got != want || both.Len() != a.Count(true)+b.Count(false) {
		t.Errorf("the second part is covered up to %d, want %d", got, want)
	}
	head[len(head)-1] ^= 1
	a.Reset(256)
	a.Write(head)
	other.Append(7, &a, true)
	other.Append(7, &b, false)
	for n, hash := range both.Hash {
		if (hash == other.Hash[n]) != (n < one.Len()) {
			t.Fatalf("the part's last byte changed, and block %d of %d is the same: %v", n, both.Len(), hash == other.Hash[n])
		}
	}
	if other.Cut(3); other.Len() != 3 || other.Covered(3) != 768 {
		t.Errorf("cut to 3: %d blocks of %d bytes", other.Len(), other.Covered(3))
	}
}

func TestFoldAllocatesNothingOnceWarm(t *testing.T) {
	text, f, c := randomText(5, 1<<20), new(Fold), new(Chain)
	read := func() {
		f.Reset(256)
		for at := 0; at < len(text); at += 1000 {
			f.Write(text[at:min(at+1000, len(text))])
		}
		c.Reset()
		c.Append(1, f, true)
	}
	read()
	if n := testing.AllocsPerRun(5, read); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}

// FuzzFold: the chains of two texts agree on the blocks that end within their common bytes and nowhere after, in whatever
// pieces they were written.
func FuzzFold(f *testing.F) {
	f.Add([]byte("one text and"), []byte("one text or"), uint64(1), uint16(4), []byte{1})
	f.Add(words("a"), words("a")[:77], uint64(0), uint16(1), []byte{3, 0, 70})
	f.Add(bytes.Repeat([]byte("xy"), 5000), bytes.Repeat([]byte("xy"), 4999), uint64(2), uint16(2), []byte{200})
	f.Fuzz(func(t *testing.T, a, b []byte, seed uint64, unit uint16, sizes []byte) {
		size := 1 + int(unit)%MaxBlockBytes
		x, y := chainOf(seed, size, a, sizes...), chainOf(seed, size, b)
		whole := chainOf(seed, size, a)
		if !slices.Equal(x.Hash, whole.Hash) || !slices.Equal(x.End, whole.End) {
			t.Fatalf("in pieces of %v: %v, want %v", sizes, x, whole)
		}
		same := 0
		for same < min(len(a), len(b)) && a[same] == b[same] {
			same++
		}
		for n := range min(x.Len(), y.Len()) {
			if (x.Hash[n] == y.Hash[n]) != (x.Covered(n+1) <= same) {
				t.Fatalf("%d equal bytes, but block %d up to %d is the same: %v", same, n, x.Covered(n+1), x.Hash[n] == y.Hash[n])
			}
		}
	})
}

// BenchmarkFold hashes prompts in pieces of 16 KB.
func BenchmarkFold(b *testing.B) {
	for _, kb := range []int{4, 64, 400, 1024} {
		b.Run(strconv.Itoa(kb)+"KB", func(b *testing.B) {
			text, f, c := randomText(6, kb<<10), new(Fold), new(Chain)
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				f.Reset(DefaultBlockBytes)
				for at := 0; at < len(text); at += 16 << 10 {
					f.Write(text[at:min(at+16<<10, len(text))])
				}
				c.Reset()
				c.Append(1, f, false)
			}
		})
	}
}
