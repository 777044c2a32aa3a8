//go:build tinygo

package main

import "unsafe"

// The proxy puts what a call returns where the module's allocator says. It comes here, and not to the SDK's allocator,
// because the build gives this function the name that Envoy looks for first (toolchain/module.sh). What is returned is read
// within the callback that asked, or copied; so the same memory serves again and again, and the collector has nothing to do.

const (
	lentBytes = 512 << 10 // at least eight pieces of a body before any of it is written over
	mostLent  = pieceBytes
)

var (
	lent   []byte // made by the first call: else the compiler makes it a variable, in which the collector takes what the proxy wrote for pointers
	lentAt int
)

// reuse takes all back that was lent before: headers and pieces of a body are read one after the other, and memory that was
// just in use is in the processor's caches.
func reuse() { lentAt = 0 }

// lend is memory for size bytes, valid until reuse, or lentBytes − mostLent more are lent. What is larger is the collector's.
//
//export wrlend
func lend(size uint32) unsafe.Pointer {
	if size > mostLent {
		return unsafe.Pointer(unsafe.SliceData(make([]byte, size)))
	}
	if lentAt+max(int(size), 1) > lentBytes {
		lentAt = 0
	}
	if lent == nil {
		lent = make([]byte, lentBytes)
	}
	at := lentAt
	lentAt += int(size+7) &^ 7
	return unsafe.Pointer(&lent[at])
}
