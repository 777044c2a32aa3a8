// Package memstore is a proxy's shared data without the proxy, for the simulator's native engine and for tests.
package memstore

import (
	"maps"
	"slices"
)

// Store implements share.Store by a map, with compare and swap as Envoy has it. It is not safe for concurrent use.
type Store struct {
	Reads, Writes int // calls of Get and Set
	ReadBytes     int // bytes of the values that Get returned

	// AfterGet is called when Get has read a key's value and before it returns, as another worker may run then. Nil: it
	// is not called.
	AfterGet func(key string)

	values map[string]*value
}

type value struct {
	bytes   []byte
	version uint32 // how often it was set
}

// New returns an empty store.
func New() *Store { return &Store{values: make(map[string]*value)} }

// Get implements share.Store. The value is valid until the key's next Set.
func (s *Store) Get(key string) ([]byte, uint32, bool) {
	s.Reads++
	v, ok := s.values[key]
	if !ok {
		v = &value{}
	}
	bytes, version := v.bytes, v.version
	s.ReadBytes += len(bytes)
	if s.AfterGet != nil {
		bytes = slices.Clone(bytes)
		s.AfterGet(key)
	}
	return bytes, version, ok
}

// Set implements share.Store.
func (s *Store) Set(key string, bytes []byte, version uint32) bool {
	s.Writes++
	v, ok := s.values[key]
	if !ok {
		v = &value{}
		s.values[key] = v
	} else if version != 0 && version != v.version {
		return false
	}
	v.bytes, v.version = append(v.bytes[:0], bytes...), v.version+1
	return true
}

// Keys returns the keys that were set, sorted.
func (s *Store) Keys() []string { return slices.Sorted(maps.Keys(s.values)) }

// Bytes is the size of all keys and values.
func (s *Store) Bytes() int {
	n := 0
	for key, v := range s.values {
		n += len(key) + len(v.bytes)
	}
	return n
}
