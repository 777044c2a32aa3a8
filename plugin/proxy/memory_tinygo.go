//go:build tinygo

package proxy

import "unsafe"

// The proxy puts what a call returns where the module's allocator says. It comes here, and not to the SDK's allocator,
// because the build gives this function the name that Envoy looks for first (toolchain/module.sh). What is returned is read
// within the callback that asked, or copied; so the same memory serves again and again, and the collector has nothing to do.

const (
	lentBytes = 512 << 10 // at least eight pieces of a body before any of it is written over
	mostLent  = PieceBytes
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

// Collect frees what is not used any more, if much was allocated since it did last. It finds what global variables lead to, and nothing
// that only functions under way have (toolchain/runtime.sh): call it last in a callback that the proxy never makes within another one, and
// nowhere else. Nothing else frees memory. Ticks do so, when no request waits for it, and the end of each request, because a client
// can have one leave a megabyte behind: hundreds between two ticks would take all memory that a VM may have.
func Collect() {
	forgetHeaders()
	collect()
}

//export warmroute_collect
func collect()

// The build gives the module a stack of 32.4 MiB (toolchain/module.sh), which lies below everything else in its
// memory. A quarter of a megabyte is more than calls here can need: what is below is an arena for indexes. The proxy reserves
// it and the collector passes over it, so that it costs nothing until it is used.
const (
	arenaFrom  = 64 << 10 // what a stray pointer near zero would meet
	stackBytes = 256 << 10
)

// globalBase is where the stack ends and the variables begin.
//
//go:extern __global_base
var globalBase [0]byte

var arenaUsed bool

// Arena is the memory below the stack, for the VM's indexes; nil: a build without such a stack has none, or it is taken.
func Arena() []byte {
	if arenaUsed {
		return nil
	}
	arenaUsed = true
	if top := uintptr(unsafe.Pointer(&globalBase)); top > arenaFrom+stackBytes {
		return unsafe.Slice((*byte)(unsafe.Pointer(uintptr(arenaFrom))), top-stackBytes-arenaFrom)
	}
	return nil
}
