//go:build tinygo

package proxy

import (
	"strings"
	"unsafe"
)

// The variables that vm_config.environment_variables hands over (WASI snapshot preview 1). The standard library's way to them
// is 30 KB of the module.

//go:wasmimport wasi_snapshot_preview1 environ_sizes_get
func environSizesGet(count, size unsafe.Pointer) uint32

//go:wasmimport wasi_snapshot_preview1 environ_get
func environGet(pointers, text unsafe.Pointer) uint32

// Environment is the value of an environment variable; "" if it is not set.
func Environment(name string) string {
	var count, size uint32
	if environSizesGet(unsafe.Pointer(&count), unsafe.Pointer(&size)) != 0 || count == 0 || size == 0 {
		return ""
	}
	pointers, text := make([]uint32, count), make([]byte, size)
	if environGet(unsafe.Pointer(&pointers[0]), unsafe.Pointer(&text[0])) != 0 {
		return ""
	}
	for pair := range strings.SplitSeq(string(text), "\x00") {
		if value, found := strings.CutPrefix(pair, name+"="); found {
			return value
		}
	}
	return ""
}

// Envoy's random_get is BoringSSL's generator (WASI snapshot preview 1).
//
//go:wasmimport wasi_snapshot_preview1 random_get
func randomGet(at unsafe.Pointer, size uint32) uint32

// Random is 64 bits that nobody can guess; if the proxy has none to give, the clock's.
func Random() uint64 {
	var bits uint64
	if randomGet(unsafe.Pointer(&bits), 8) != 0 {
		return uint64(Now())
	}
	return bits
}

// The C library's generator, which TinyGo's maps draw their seeds from, would bring printf along: 18 KB.
//
//export arc4random
func arc4random() uint32 { return uint32(Random()) }
