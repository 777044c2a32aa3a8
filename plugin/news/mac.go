package news

import (
	"encoding/binary"
	"math/bits"
)

// Key is what gateways derive from their secret.
type Key struct{ k0, k1 uint64 }

// NewKey derives a key from a secret, which should have as many random characters as a password that nobody has to
// remember: 32.
func NewKey(secret string) Key {
	return Key{sip(Key{1, 2}, []byte(secret)), sip(Key{3, 4}, []byte(secret))}
}

// Sum is the message authentication code of b: SipHash-2-4 (Aumasson and Bernstein, "SipHash: a fast short-input PRF",
// 2012). Without the key neither a code can be made nor the key be found from codes.
func (k Key) Sum(b []byte) uint64 { return sip(k, b) }

// Derive is a number for another use of the secret, such as the seed of the prompts' hashes; it shows nothing of codes.
func (k Key) Derive(use string) uint64 { return sip(Key{k.k1, k.k0}, []byte(use)) }

func sip(k Key, b []byte) uint64 {
	v0, v1 := k.k0^0x736f6d6570736575, k.k1^0x646f72616e646f6d
	v2, v3 := k.k0^0x6c7967656e657261, k.k1^0x7465646279746573
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
	last := uint64(len(b)) << 56
	for ; len(b) >= 8; b = b[8:] {
		word := binary.LittleEndian.Uint64(b)
		v3 ^= word
		round()
		round()
		v0 ^= word
	}
	for i, c := range b {
		last |= uint64(c) << (8 * i)
	}
	v3 ^= last
	round()
	round()
	v0 ^= last
	v2 ^= 0xff
	for range 4 {
		round()
	}
	return v0 ^ v1 ^ v2 ^ v3
}
