//go:build tinygo

package main

import "unsafe"

// Envoy's random_get is BoringSSL's generator (WASI snapshot preview 1).
//
//go:wasmimport wasi_snapshot_preview1 random_get
func randomGet(at unsafe.Pointer, size uint32) uint32

// random is 64 bits that nobody can guess; if the proxy has none to give, the clock's.
func random() uint64 {
	var bits uint64
	if randomGet(unsafe.Pointer(&bits), 8) != 0 {
		return uint64(now())
	}
	return bits
}

// The C library's generator, which TinyGo's maps draw their seeds from, would bring printf along: 18 KB.
//
//export arc4random
func arc4random() uint32 { return uint32(random()) }
