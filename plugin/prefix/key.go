package prefix

import "github.com/cespare/xxhash/v2"

// Key is the affinity key of a text: XXH64 with a seed, uniform over 64 bits.
// Inlined at all its callers it would be 2 KB of the module.
//
//go:noinline
func Key(seed uint64, text []byte) uint64 {
	var d xxhash.Digest
	d.ResetWithSeed(seed)
	_, _ = d.Write(text) // never fails
	return d.Sum64()
}
