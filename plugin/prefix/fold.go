package prefix

import "github.com/cespare/xxhash/v2"

// MaxBlocks is the most blocks of a part, and of a chain: 15 MB of prompt. What follows is not hashed.
const MaxBlocks = 1 << 10

// never is the value of left after MaxBlocks: no block begins any more.
const never = -1

// Fold cuts one part of a prompt into blocks as its bytes stream by, and keeps 12 bytes for each. The zero Fold needs a
// Reset. It allocates only while it grows to the longest part so far.
type Fold struct {
	unit   int
	size   int // bytes written
	left   int // bytes that the current block still needs; never: no more blocks
	digest xxhash.Digest
	sums   []uint64
	ends   []uint32
}

// Reset begins a part whose first blocks have unit bytes, 1 to MaxBlockBytes.
func (f *Fold) Reset(unit int) {
	f.unit = min(max(unit, 1), MaxBlockBytes)
	f.size, f.left = 0, f.unit
	f.sums, f.ends = f.sums[:0], f.ends[:0]
}

// Size is the bytes written.
func (f *Fold) Size() int { return f.size }

// Memory is the bytes that it takes.
func (f *Fold) Memory() int { return 8*cap(f.sums) + 4*cap(f.ends) }

// Blocks is the number of whole blocks.
func (f *Fold) Blocks() int { return len(f.sums) }

// Count is the number of blocks that Chain.Append adds, but for MaxBlocks.
func (f *Fold) Count(follows bool) int {
	if follows && f.hasTail() {
		return len(f.sums) + 1
	}
	return len(f.sums)
}

func (f *Fold) hasTail() bool { return f.fresh() < f.size && f.left != never }

// fresh is where the current block begins.
func (f *Fold) fresh() int {
	if n := len(f.ends); n > 0 {
		return int(f.ends[n-1])
	}
	return 0
}

// EndShort makes all that was written a block, where it fills none.
func (f *Fold) EndShort() {
	if len(f.sums) > 0 || f.size == 0 || f.left == never {
		return
	}
	f.sums, f.ends = append(f.sums, f.digest.Sum64()), append(f.ends, uint32(f.size))
	f.left = blockSize(f.unit, f.size)
}

// Write takes the part's next bytes, in pieces of any size, and keeps none.
func (f *Fold) Write(p []byte) {
	if f.left == never {
		f.size += len(p)
		return
	}
	for len(p) >= f.left && len(p) > 0 {
		var sum uint64
		if f.fresh() == f.size {
			sum = xxhash.Sum64(p[:f.left])
		} else {
			f.digest.Write(p[:f.left])
			sum = f.digest.Sum64()
		}
		p = p[f.left:]
		f.size += f.left
		f.sums, f.ends = append(f.sums, sum), append(f.ends, uint32(f.size))
		if len(f.sums) == MaxBlocks {
			f.size, f.left = f.size+len(p), never
			return
		}
		f.left = blockSize(f.unit, f.size)
	}
	if len(p) == 0 {
		return
	}
	if f.fresh() == f.size {
		f.digest.Reset()
	}
	f.digest.Write(p)
	f.size += len(p)
	f.left -= len(p)
}
