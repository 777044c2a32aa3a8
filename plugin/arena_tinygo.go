//go:build tinygo

package main

import (
	"unsafe"

	"warmroute/plugin/prefix"
)

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

// useArena gives the VM's indexes the memory below the stack. A build without such a stack has none.
func useArena() {
	if arenaUsed {
		return
	}
	arenaUsed = true
	if top := uintptr(unsafe.Pointer(&globalBase)); top > arenaFrom+stackBytes {
		prefix.SetArena(unsafe.Slice((*byte)(unsafe.Pointer(uintptr(arenaFrom))), top-stackBytes-arenaFrom))
	}
}
