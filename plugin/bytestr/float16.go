package bytestr

import (
	"encoding/binary"
	"math/bits"
)

// A float16 here is a number of at least 0 in 16 bits: 11 of mantissa, for an error of at most 1 in 2,000, and 5 of
// exponent, up to 4 × 10¹². Integers up to 2,047 are exact. It is not IEEE 754's, which ends at 65,504.
const mantissaBits = 11

// AppendFloat16 appends x, cut to the range; NaN is 0.
func AppendFloat16(dst []byte, x float64) []byte {
	return binary.LittleEndian.AppendUint16(dst, toFloat16(x))
}

// PutFloat16 writes x, cut to the range, to the first 2 bytes; NaN is 0.
func PutFloat16(to []byte, x float64) { binary.LittleEndian.PutUint16(to, toFloat16(x)) }

func toFloat16(x float64) uint16 {
	const most = (1<<mantissaBits - 1) << 31
	if !(x > 0) {
		return 0
	}
	n := uint64(min(x, most))
	exponent := max(bits.Len64(n)-mantissaBits, 0)
	return uint16(exponent)<<mantissaBits | uint16(n>>exponent)
}

// Float16 reads what AppendFloat16 wrote, of at least 2 bytes.
func Float16(from []byte) float64 {
	v := binary.LittleEndian.Uint16(from)
	return float64(uint64(v&(1<<mantissaBits-1)) << (v >> mantissaBits))
}
