//go:build !tinygo || !wasm

package runs

import (
	"math/bits"

	"warmroute/plugin/bytestr"
)

// ASCII returns the end of the run of plain ASCII that starts at i.
func ASCII(b []byte, i int) int {
	for ; i+32 <= len(b); i += 32 {
		v := b[i : i+32]
		if Special(bytestr.Load64(v, 0))|Special(bytestr.Load64(v, 8))|Special(bytestr.Load64(v, 16))|Special(bytestr.Load64(v, 24)) != 0 {
			break
		}
	}
	for ; i+8 <= len(b); i += 8 {
		if m := Special(bytestr.Load64(b, i)); m != 0 {
			return i + bits.TrailingZeros64(m)/8
		}
	}
	for i < len(b) && !ends[b[i]] {
		i++
	}
	return i
}
