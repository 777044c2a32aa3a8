//go:build !tinygo || !wasm

package runs

import (
	"math/bits"

	"warmroute/plugin/bytestr"
)

// ASCII returns the end of the run of plain ASCII that starts at i.
func ASCII(b []byte, i int) int {
	for ; i+16 <= len(b); i += 16 {
		m, n := Special(bytestr.Load64(b, i)), Special(bytestr.Load64(b, i+8))
		if m|n != 0 {
			if m == 0 {
				return i + 8 + bits.TrailingZeros64(n)/8
			}
			return i + bits.TrailingZeros64(m)/8
		}
	}
	for i < len(b) && !ends[b[i]] {
		i++
	}
	return i
}
