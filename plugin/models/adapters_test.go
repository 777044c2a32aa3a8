package models

import "testing"

// There is a bound to the adapters that are known, and beyond it those that are still there can be noted anew.
func TestMostAdapters(t *testing.T) {
	var a Adapters
	for key := range uint32(2 * mostAdapters) {
		a.Note(key)
	}
	if len(a.known) != mostAdapters {
		t.Errorf("%d adapters are known, want %d", len(a.known), mostAdapters)
	}
	const now = int64(100e9)
	if !a.Renew(now) || len(a.known) != 0 {
		t.Errorf("after making room %d are left", len(a.known))
	}
	for key := range uint32(mostAdapters) {
		a.Note(key)
	}
	if a.Renew(now + renewAdaptersEvery - 1) {
		t.Error("it makes room twice within the least time")
	}
	if !a.Renew(now - 1) {
		t.Error("it makes no room after the clock was set back")
	}
}
