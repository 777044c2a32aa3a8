//go:build tinygo

package main

// collect frees what is not used any more, if much was allocated since it did last. It finds what global variables lead to, and nothing
// that only functions under way have (toolchain/runtime.sh): call it last in a callback that the proxy never makes within another one, and
// nowhere else. Nothing else frees memory. Ticks do so, when no request waits for it, and the end of each request, because a client
// can have one leave a megabyte behind: hundreds between two ticks would take all memory that a VM may have.
//
//export warmroute_collect
func collect()
