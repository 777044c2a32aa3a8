//go:build tinygo

package main

// collect frees what is not used any more, if much was allocated since it did last. It finds what global variables lead to, and nothing
// that only functions under way have (toolchain/runtime.sh): call it last in a callback that the proxy never makes within another one, and
// nowhere else. Nothing else frees memory.
//
//export warmroute_collect
func collect()
