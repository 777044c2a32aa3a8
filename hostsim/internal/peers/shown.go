package peers

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/cespare/xxhash/v2"

	"warmroute/plugin/prompt"
)

// shown is a prompt as policies see it, its Text and Session, and what they have made of it: the same for all that are shown it.
type shown struct {
	prompt.Prompt
	chains map[int][]uint64 // by the size of their blocks
}

// chain is the text's whole blocks of so many characters, at most most of them (0: all). Nobody may write to it.
func (s *shown) chain(size, most int) []uint64 {
	n := len(s.Text) / size
	if most > 0 {
		n = min(n, most)
	}
	chain := s.chains[size]
	if len(chain) < n {
		chain = slices.Grow(chain, n-len(chain))
		hash := uint64(0)
		if len(chain) > 0 {
			hash = chain[len(chain)-1]
		}
		for at := len(chain) * size; len(chain) < n; at += size {
			hash = chained(hash, hashed(s.Text[at:at+size]))
			chain = append(chain, hash)
		}
		if s.chains == nil {
			s.chains = map[int][]uint64{}
		}
		s.chains[size] = chain
	}
	return chain[:n:n]
}

// hashed hashes a block: of 16 characters, of which most chains are made, in a quarter of the time as wyhash mixes two words.
func hashed(block []byte) uint64 {
	if len(block) != 16 {
		return xxhash.Sum64(block)
	}
	high, low := bits.Mul64(binary.LittleEndian.Uint64(block)^0xa0761d6478bd642f, binary.LittleEndian.Uint64(block[8:])^0xe7037ed1a0b428db)
	return high ^ low
}

// chained hashes a block's hash with that of all blocks before it: both halves of the product by an odd constant, the golden
// ratio's fraction.
func chained(before, block uint64) uint64 {
	high, low := bits.Mul64(before^block, 0x9e3779b97f4a7c15)
	return high ^ low ^ bits.RotateLeft64(before, 23)
}
