//go:build !(tinygo && wasm)

package bytestr

import "encoding/binary"

func load64(b []byte, i int) uint64 { return binary.LittleEndian.Uint64(b[i:]) }
