//go:build tinygo && wasm

package bytestr

import "unsafe"

// TinyGo 0.41 does not merge the byte loads and stores of encoding/binary into words where both are near each other, and
// every copied word would cost sixteen instructions. WebAssembly is little endian and takes unaligned words. The bounds
// are checked as ever.

// Load32 is as in native builds.
func Load32(b []byte, i int) uint32 {
	_, _ = b[i], b[i+3]
	return *(*uint32)(unsafe.Pointer(&b[i]))
}

// Load64 is as in native builds.
func Load64(b []byte, i int) uint64 {
	_, _ = b[i], b[i+7]
	return *(*uint64)(unsafe.Pointer(&b[i]))
}

// Store32 is as in native builds.
func Store32(b []byte, i int, w uint32) {
	_, _ = b[i], b[i+3]
	*(*uint32)(unsafe.Pointer(&b[i])) = w
}

// Store64 is as in native builds.
func Store64(b []byte, i int, w uint64) {
	_, _ = b[i], b[i+7]
	*(*uint64)(unsafe.Pointer(&b[i])) = w
}
