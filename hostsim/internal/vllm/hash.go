package vllm

import (
	"encoding/binary"

	"github.com/cespare/xxhash/v2"
)

// CacheSeed is the seed of a request's block chain. Model, LoRA and cache_salt each isolate the cache.
// The parts are length-prefixed, so that no two lists of parts give the same bytes.
func CacheSeed(parts ...string) uint64 {
	var d xxhash.Digest
	d.Reset()
	var length [8]byte
	for _, p := range parts {
		binary.LittleEndian.PutUint64(length[:], uint64(len(p)))
		_, _ = d.Write(length[:])
		_, _ = d.WriteString(p)
	}
	return d.Sum64()
}

// ChainHashes appends to dst the hash of each full block of blockSize tokens, each seeded with the one
// before and the first with seed (vLLM docs, "Automatic Prefix Caching", hash of parent, tokens, extra keys).
func ChainHashes(dst []uint64, seed uint64, tokens []uint32, blockSize int) []uint64 {
	buf := make([]byte, 8+4*blockSize)
	for ; len(tokens) >= blockSize; tokens = tokens[blockSize:] {
		binary.LittleEndian.PutUint64(buf, seed)
		for i, t := range tokens[:blockSize] {
			binary.LittleEndian.PutUint32(buf[8+4*i:], t)
		}
		seed = xxhash.Sum64(buf)
		dst = append(dst, seed)
	}
	return dst
}
