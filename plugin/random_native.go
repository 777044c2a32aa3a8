//go:build !tinygo

package main

import (
	"crypto/rand"
	"encoding/binary"
)

func random() uint64 {
	var bits [8]byte
	_, _ = rand.Read(bits[:]) // never fails
	return binary.LittleEndian.Uint64(bits[:])
}
