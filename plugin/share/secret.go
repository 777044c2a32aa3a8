package share

import "encoding/binary"

// SecretKey is where a proxy keeps its secret: shared data, which no configuration dump shows.
const SecretKey = KeyPrefix + "secret"

// recordKey begins the names of the two halves of that of records.
const recordKey = KeyPrefix + "record"

// Secret is the key of a proxy's hashes: the first of its workers draws it, and all others find it. So nobody outside can
// make up prompts whose blocks have the same hashes, or fall into the same place of the index. Two that draw at once, when
// there was none, take the one that was written first.
func Secret(store Store, draw func() uint64) uint64 { return drawn(store, SecretKey, draw) }

// RecordSecret is the key of the hashes in records, which it shares with nothing else: one does not tell the other.
func RecordSecret(store Store, draw func() uint64) [2]uint64 {
	return [2]uint64{drawn(store, recordKey+"0", draw), drawn(store, recordKey+"1", draw)}
}

func drawn(store Store, key string, draw func() uint64) uint64 {
	value, version, ok := store.Get(key)
	if ok && len(value) == 8 {
		return binary.LittleEndian.Uint64(value)
	}
	if !ok {
		version = Missing
	}
	drawn := draw()
	store.Set(key, binary.LittleEndian.AppendUint64(nil, drawn), version)
	if value, _, ok := store.Get(key); ok && len(value) == 8 {
		return binary.LittleEndian.Uint64(value)
	}
	return drawn
}
