package bytestr

import "math/bits"

// Mac is SipHash-2-4 of v's eight bytes, little endian (Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012): who
// does not have the key can neither compute it of a prompt that he guesses nor tell the prompt from it.
func Mac(key [2]uint64, v uint64) uint64 {
	v0, v1 := key[0]^0x736f6d6570736575, key[1]^0x646f72616e646f6d
	v2, v3 := key[0]^0x6c7967656e657261, key[1]^0x7465646279746573
	round := func() {
		v0 += v1
		v1 = bits.RotateLeft64(v1, 13) ^ v0
		v0 = bits.RotateLeft64(v0, 32)
		v2 += v3
		v3 = bits.RotateLeft64(v3, 16) ^ v2
		v0 += v3
		v3 = bits.RotateLeft64(v3, 21) ^ v0
		v2 += v1
		v1 = bits.RotateLeft64(v1, 17) ^ v2
		v2 = bits.RotateLeft64(v2, 32)
	}
	for _, word := range [2]uint64{v, 8 << 56} { // the last has the length
		v3 ^= word
		round()
		round()
		v0 ^= word
	}
	v2 ^= 0xff
	for range 4 {
		round()
	}
	return v0 ^ v1 ^ v2 ^ v3
}
