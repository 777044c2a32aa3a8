package prefix

import "github.com/cespare/xxhash/v2"

// Key is one hash of text below seed, the affinity key of a prompt's beginning: XXH64, uniform over 64 bits.
func Key(seed uint64, text []byte) uint64 {
	var d xxhash.Digest
	d.ResetWithSeed(seed)
	_, _ = d.Write(text) // never fails
	return d.Sum64()
}
