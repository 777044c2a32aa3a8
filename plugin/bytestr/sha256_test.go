package bytestr

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
	"testing"
)

// The sum is the standard library's, however the text is cut.
func TestSha256(t *testing.T) {
	text := make([]byte, 300)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range text {
		text[i] = byte(r.Uint32())
	}
	for n := range text {
		whole := sha256.Sum256(text[:n])
		want := binary.LittleEndian.Uint64(whole[:])
		for _, cut := range []int{0, 1, n / 2, n - r.IntN(n+1)} {
			cut = min(cut, n)
			s := NewSha256()
			s.Write(text[:cut])
			s.Write(text[cut:n])
			if got := s.End(); got != want {
				t.Fatalf("%d bytes, cut behind %d: %x, want %x", n, cut, got, want)
			}
		}
	}
	s := NewSha256()
	s.WriteLen(258)
	whole := sha256.Sum256([]byte{2, 1, 0, 0, 0, 0, 0, 0})
	if got := s.End(); got != binary.LittleEndian.Uint64(whole[:]) {
		t.Errorf("a length is not eight bytes, little endian")
	}
}
