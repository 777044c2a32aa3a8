package bytestr

import (
	"encoding/binary"
	"math/bits"
)

// Sha256 is SHA-256 of what is written (FIPS 180-4, section 6.2), for what clients choose: nobody can make a text that has another one's sum.
// NewSha256 makes one. The standard library's is the same, and makes the module 50 KB larger.
type Sha256 struct {
	state [8]uint32
	block [64]byte
	size  uint64 // bytes written
}

// NewSha256 is the sum of nothing so far.
func NewSha256() Sha256 {
	return Sha256{state: [8]uint32{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}}
}

// Write adds b.
func (s *Sha256) Write(b []byte) {
	for len(b) > 0 {
		at := int(s.size % 64)
		n := copy(s.block[at:], b)
		s.size, b = s.size+uint64(n), b[n:]
		if at+n == 64 {
			s.compress()
		}
	}
}

// WriteLen adds a length, as eight bytes.
func (s *Sha256) WriteLen(n int) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(n))
	s.Write(b[:])
}

// End is the sum's first eight bytes, as a number, little endian. Nothing is to be written after it.
func (s *Sha256) End() uint64 {
	var end [72]byte // a bit, zeros, and in the block's last eight bytes how many bits were written
	end[0] = 1 << 7
	n := 64 - int((s.size+8)%64)
	binary.BigEndian.PutUint64(end[n:], s.size*8)
	s.Write(end[:n+8])
	var b [8]byte
	binary.BigEndian.PutUint32(b[:], s.state[0])
	binary.BigEndian.PutUint32(b[4:], s.state[1])
	return binary.LittleEndian.Uint64(b[:])
}

// compress takes a whole block.
func (s *Sha256) compress() {
	var w [64]uint32
	for i := range 16 {
		w[i] = binary.BigEndian.Uint32(s.block[4*i:])
	}
	for i := 16; i < 64; i++ {
		p, q := w[i-15], w[i-2]
		w[i] = w[i-16] + w[i-7] + (bits.RotateLeft32(p, -7) ^ bits.RotateLeft32(p, -18) ^ p>>3) + (bits.RotateLeft32(q, -17) ^ bits.RotateLeft32(q, -19) ^ q>>10)
	}
	h := s.state
	for i := range 64 {
		a, e := h[0], h[4]
		first := h[7] + (bits.RotateLeft32(e, -6) ^ bits.RotateLeft32(e, -11) ^ bits.RotateLeft32(e, -25)) + (e&h[5] ^ ^e&h[6]) + rounds[i] + w[i]
		second := (bits.RotateLeft32(a, -2) ^ bits.RotateLeft32(a, -13) ^ bits.RotateLeft32(a, -22)) + (a&h[1] ^ a&h[2] ^ h[1]&h[2])
		h = [8]uint32{first + second, a, h[1], h[2], h[3] + first, e, h[5], h[6]}
	}
	for i := range h {
		s.state[i] += h[i]
	}
}

// rounds are the first 32 bits of the fractional parts of the cube roots of the first 64 primes.
var rounds = [64]uint32{
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
}
