//go:build tinygo && wasm

package bytestr

import "unsafe"

// load64 is one load of an unaligned word, little endian as WebAssembly is: TinyGo 0.41 makes eight of encoding/binary's.
func load64(b []byte, i int) uint64 {
	_, _ = b[i], b[i+7]
	return *(*uint64)(unsafe.Pointer(&b[i]))
}
