package memstore

import (
	"slices"
	"testing"
)

func TestCompareAndSwap(t *testing.T) {
	s := New()
	if _, version, ok := s.Get("k"); ok || version != 0 {
		t.Errorf("a key that was never set: version %d, %v", version, ok)
	}
	if !s.Set("k", []byte("a"), 7) {
		t.Error("a key that was never set is set whatever the version")
	}
	_, old, _ := s.Get("k")
	if !s.Set("k", []byte("b"), old) || s.Set("k", []byte("c"), old) {
		t.Error("want the first of two with the same version to win")
	}
	if !s.Set("k", []byte("dd"), 0) {
		t.Error("version 0 always writes")
	}
	if value, version, ok := s.Get("k"); string(value) != "dd" || version == old || !ok {
		t.Errorf("got %q, version %d, %v", value, version, ok)
	}
	if s.Reads != 3 || s.Writes != 4 || s.ReadBytes != 3 || s.Bytes() != 3 || !slices.Equal(s.Keys(), []string{"k"}) {
		t.Errorf("got %d reads of %d bytes, %d writes, %d bytes under %v", s.Reads, s.ReadBytes, s.Writes, s.Bytes(), s.Keys())
	}
}

func TestAfterGet(t *testing.T) {
	s := New()
	s.Set("k", []byte("a"), 0)
	s.AfterGet = func(key string) { s.Set(key, []byte("b"), 0) }
	value, version, _ := s.Get("k")
	if string(value) != "a" || s.Set("k", nil, version) {
		t.Errorf("got %q: what is written between is neither seen nor overwritten", value)
	}
}
