//go:build tinygo

package main

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

// environment is the value of an environment variable; "" if it is not set.
func environment(name string) string {
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
