//go:build !(tinygo && wasm)

package prompt

import "encoding/binary"

func load32(b []byte, i int) uint32     { return binary.LittleEndian.Uint32(b[i:]) }
func load64(b []byte, i int) uint64     { return binary.LittleEndian.Uint64(b[i:]) }
func store32(b []byte, i int, w uint32) { binary.LittleEndian.PutUint32(b[i:], w) }
func store64(b []byte, i int, w uint64) { binary.LittleEndian.PutUint64(b[i:], w) }
