// Package bytestr has what several rooms need of byte strings: comparisons that do not copy, words, a search, two hashes,
// numbers, and writers of hexadecimal and base64url digits.
package bytestr

import (
	"unsafe"

	"github.com/cespare/xxhash/v2"
)

// View is b as a string without a copy, for a call that keeps nothing.
func View(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// Bytes is s as bytes without a copy, for a call that neither keeps nor changes them.
func Bytes(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// Equal is string(b) == s without the copy that TinyGo would make.
func Equal(b []byte, s string) bool {
	if len(b) != len(s) {
		return false
	}
	for i := range b {
		if b[i] != s[i] {
			return false
		}
	}
	return true
}

// HasPrefix says whether b begins with s, without a copy.
func HasPrefix(b []byte, s string) bool { return len(b) >= len(s) && Equal(b[:len(s)], s) }

// HasSuffix says whether b ends with s, without a copy.
func HasSuffix(b []byte, s string) bool { return len(b) >= len(s) && Equal(b[len(b)-len(s):], s) }

// IsDigit says whether c is an ASCII decimal digit.
func IsDigit(c byte) bool { return c >= '0' && c <= '9' }

// AppendHex appends the lowest digits of v in lower-case hexadecimal, zeros in front: 16 digits are all of v.
func AppendHex(dst []byte, v uint64, digits int) []byte {
	for shift := 4 * (digits - 1); shift >= 0; shift -= 4 {
		dst = append(dst, "0123456789abcdef"[v>>shift&15])
	}
	return dst
}

// Hash is XXH64 of b below seed, uniform over 64 bits. For a list of strings, the hash of one is the seed of the next:
// then ("ab", "c") and ("a", "bc") differ.
func Hash(seed uint64, b []byte) uint64 {
	var d xxhash.Digest
	d.ResetWithSeed(seed)
	_, _ = d.Write(b) // never fails
	return d.Sum64()
}
