package bytestr

import "testing"

// The vector of eight bytes of the reference code (siphash.c, vectors_sip64): key 00…0f, message 00…07.
func TestMac(t *testing.T) {
	key := [2]uint64{0x0706050403020100, 0x0f0e0d0c0b0a0908}
	if got := Mac(key, 0x0706050403020100); got != 0x93f5f5799a932462 {
		t.Errorf("got %x, want 93f5f5799a932462", got)
	}
}
