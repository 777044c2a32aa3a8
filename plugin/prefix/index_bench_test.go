package prefix

import (
	"math/rand/v2"
	"strconv"
	"testing"
)

// million is an index of 64 endpoints and about a million blocks, each of one or two holders, below a system prompt
// of 16 blocks that all hold; and some of its chains, of 256 blocks (64 KB of prompt at 256 bytes a block).
func million() (*Index, [][]uint64) {
	random := rand.New(rand.NewPCG(1, 1))
	x := NewIndex(64, 64<<20, 1)
	system := make([]uint64, 16)
	for i := range system {
		system[i] = random.Uint64()
	}
	var chains [][]uint64
	for now := 0; x.Pairs() < 1_050_000; now++ {
		c := append(make([]uint64, 0, 256), system...)
		for len(c) < 256 {
			c = append(c, random.Uint64())
		}
		x.Insert(now%64, plain(c...), uint32(now))
		if now%10 == 0 {
			x.Insert((now+7)%64, plain(c[:100]...), uint32(now))
		}
		chains = append(chains, c)
	}
	return x, chains
}

func BenchmarkMatch(b *testing.B) {
	x, chains := million()
	depth := make([]int32, 64)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		x.Match(chains[uint64(i)*2654435761%uint64(len(chains))], depth)
	}
}

func BenchmarkInsert(b *testing.B) {
	for _, c := range []struct {
		name   string
		blocks int
	}{{"16", 16}, {"256", 256}} {
		b.Run(c.name, func(b *testing.B) {
			x, chains := million()
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				at := int(uint64(i) * 2654435761 % uint64(len(chains)))
				x.Insert(at%64, &Chain{Hash: chains[at][:c.blocks]}, uint32(i))
			}
		})
	}
}

// BenchmarkNew enters prompts that nobody has seen, into an index that is full.
func BenchmarkNew(b *testing.B) {
	for _, blocks := range []int{16, 44, 148} {
		b.Run(strconv.Itoa(blocks), func(b *testing.B) {
			x, _ := million()
			for e := range 64 {
				x.SetCapacity(e, x.Held(e))
			}
			random, c := rand.New(rand.NewPCG(2, 2)), &Chain{Hash: make([]uint64, blocks)}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				for k := range c.Hash {
					c.Hash[k] = random.Uint64()
				}
				x.Insert(i%64, c, uint32(i))
			}
		})
	}
}
