package prefix

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"
)

func words(s string) []byte { return []byte(strings.Repeat(s, 100)) }

func TestAnyEarlierByteChangesEveryLaterBlock(t *testing.T) {
	text := words("quince ")
	want := chainOf(1, 16, text)
	for at := range text {
		changed := bytes.Clone(text)
		changed[at] ^= 1
		for i, hash := range chainOf(1, 16, changed).Hash {
			if same := hash == want.Hash[i]; same != (int(want.End[i]) <= at) {
				t.Fatalf("byte %d changed: block %d is the same: %v", at, i, same)
			}
		}
	}
}

func TestEqualBlocksDoNotCancel(t *testing.T) {
	seen := map[uint64]bool{}
	for _, hash := range chainOf(1, 16, bytes.Repeat([]byte("sixteen bytes ok"), 1000)).Hash {
		if seen[hash] {
			t.Fatal("two blocks of a chain of equal blocks have the same hash")
		}
		seen[hash] = true
	}
}

func TestSeedsOfDifferentTuplesDiffer(t *testing.T) {
	parts := []string{"", "a", "b", "ab", "a\x00", "\x01\x00\x00\x00\x00\x00\x00\x00a", strings.Repeat("a", 100)}
	seen := map[uint64][4]string{}
	for _, model := range parts {
		for _, adapter := range parts {
			for _, salt := range parts {
				for _, tenant := range parts {
					seed := Seed([]byte(model), []byte(adapter), []byte(salt), []byte(tenant))
					tuple := [4]string{model, adapter, salt, tenant}
					if other, found := seen[seed]; found {
						t.Fatalf("%q and %q have the same seed", tuple, other)
					}
					seen[seed] = tuple
				}
			}
		}
	}
	if Seed(nil, nil, nil, nil) != Seed([]byte{}, []byte{}, []byte{}, []byte{}) {
		t.Error("nil and empty differ")
	}
}

// A client cannot make a salt that leads to another tenant's seed: of this one, XXH64 of all four was computed backwards.
func TestSeedsCannotBeForged(t *testing.T) {
	const salt = "mrkosbompuxmlubhbxoxxhpcrrylvtmqezynfhua\x1b\x0e\x06Y9YWz"
	xx := func(parts ...string) uint64 {
		var all []byte
		for _, part := range parts {
			all = append(binary.LittleEndian.AppendUint64(all, uint64(len(part))), part...)
		}
		return xxhash.Sum64(all)
	}
	if xx("m", "", salt, "mallory") != xx("m", "", "", "alice") {
		t.Fatal("it leads nowhere")
	}
	if Seed([]byte("m"), nil, []byte(salt), []byte("mallory")) == Seed([]byte("m"), nil, nil, []byte("alice")) {
		t.Error("two tenants have the same seed")
	}
}
