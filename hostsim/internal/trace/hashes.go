package trace

import (
	"encoding/binary"
	"fmt"

	"github.com/cespare/xxhash/v2"
)

// AppendHashes appends the chained hashes of a request's full blocks of blockSize tokens, the first seeded with
// seed. It stands for hashing the tokens of the generated text, without generating it: two requests share as many
// leading hashes as their completion bodies share leading blocks. Errors: the request has a body instead of
// block ids, or blockSize does not divide the trace's block size.
func AppendHashes(dst []uint64, t *Trace, r *Request, seed uint64, blockSize int) ([]uint64, error) {
	if r.Body != nil || blockSize < 1 || t.BlockSize%blockSize != 0 {
		return dst, fmt.Errorf("blocks of %d tokens cannot be cut from the trace's of %d", blockSize, t.BlockSize)
	}
	var buf [16]byte
	left := r.InputTokens / blockSize
	for _, s := range r.Blocks {
		for i := range s.N {
			binary.LittleEndian.PutUint32(buf[8:], s.First+i)
			for part := range min(left, t.BlockSize/blockSize) {
				binary.LittleEndian.PutUint64(buf[:], seed)
				binary.LittleEndian.PutUint32(buf[12:], uint32(part))
				seed = xxhash.Sum64(buf[:])
				dst = append(dst, seed)
			}
			left -= min(left, t.BlockSize/blockSize)
		}
	}
	return dst, nil
}
