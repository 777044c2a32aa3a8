//go:build !(tinygo && wasm)

package bytestr

import "encoding/binary"

// Load32 is the little-endian word of the four bytes from b[i] on, which must be there.
func Load32(b []byte, i int) uint32 { return binary.LittleEndian.Uint32(b[i:]) }

// Load64 is the little-endian word of the eight bytes from b[i] on, which must be there.
func Load64(b []byte, i int) uint64 { return binary.LittleEndian.Uint64(b[i:]) }

// Store32 writes a little-endian word to the four bytes from b[i] on, which must be there.
func Store32(b []byte, i int, w uint32) { binary.LittleEndian.PutUint32(b[i:], w) }

// Store64 writes a little-endian word to the eight bytes from b[i] on, which must be there.
func Store64(b []byte, i int, w uint64) { binary.LittleEndian.PutUint64(b[i:], w) }
