package bytestr

import (
	"math"
	"math/bits"
	"strconv"
)

// AppendNumber appends v with six significant digits, as strconv.AppendFloat(dst, v, 'g', 6, 64) does. For numbers from 1e-4
// to 1e6 it allocates nothing and is several times as fast.
func AppendNumber(dst []byte, v float64) []byte {
	if v < 0 {
		return AppendNumber(append(dst, '-'), -v)
	}
	if !(v >= 1e-4 && v < 1e6) {
		if math.Float64bits(v) == 0 { // the most frequent of all
			return append(dst, '0')
		}
		return strconv.AppendFloat(dst, v, 'g', 6, 64)
	}
	point := 0 // decimal places of six digits
	for scale := uint64(1); v*float64(scale) < 1e5 && point < 9; scale *= 10 {
		point++
	}
	digits := scaled(v, point)
	if digits >= 1e6 {
		if point == 0 {
			return strconv.AppendFloat(dst, v, 'g', 6, 64)
		}
		digits, point = digits/10, point-1
	}
	for ; point > 0 && digits%10 == 0; point-- {
		digits /= 10
	}
	var text [12]byte
	at := len(text)
	for n := 0; digits > 0 || n <= point; n++ {
		if n == point && point > 0 {
			at--
			text[at] = '.'
		}
		at--
		text[at] = byte('0' + digits%10)
		digits /= 10
	}
	return append(dst, text[at:]...)
}

var tens = [10]uint64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9}

// scaled is v × 10^places, 1e-4 ≤ v < 1e6, rounded to a whole number, halves to even. A number is a mantissa of 53 bits by a
// power of two, so that a product of 128 bits has all of it.
func scaled(v float64, places int) uint64 {
	all := math.Float64bits(v)
	high, low := bits.Mul64(all&(1<<52-1)|1<<52, tens[places])
	shift := 1075 - uint(all>>52)  // 33 to 66
	var whole, above, below uint64 // the rest is above, then below, of as many bits
	if shift < 64 {
		whole, above = high<<(64-shift)|low>>shift, low<<(64-shift)
	} else {
		whole, above, below = high>>(shift-64), high<<(128-shift)|low>>(shift-64), low<<(128-shift)
		if shift == 64 {
			whole, above, below = high, low, 0
		}
	}
	if half := uint64(1) << 63; above > half || above == half && (below > 0 || whole&1 == 1) {
		whole++
	}
	return whole
}
