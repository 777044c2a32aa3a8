package bytestr

import "math/bits"

const (
	lows  = 0x0101010101010101
	highs = 0x8080808080808080
)

// IndexByte is bytes.IndexByte, eight bytes at a time also where that is a loop over bytes (TinyGo). The zero-byte test is
// Mycroft's, as in Hacker's Delight 6-1: its lowest mark is exact.
func IndexByte(b []byte, c byte) int {
	i, same := 0, uint64(c)*lows
	for ; i+8 <= len(b); i += 8 {
		w := Load64(b, i) ^ same
		if zero := (w - lows) &^ w & highs; zero != 0 {
			return i + bits.TrailingZeros64(zero)/8
		}
	}
	for ; i < len(b); i++ {
		if b[i] == c {
			return i
		}
	}
	return -1
}
