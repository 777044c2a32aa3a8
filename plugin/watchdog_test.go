package main

import "testing"

// A clock that was set back by an hour does not make the proxy blind for that hour, nor hold a request for it.
func TestWatchdogClockSetBack(t *testing.T) {
	w := watchdog{timeout: 1e9}
	now := int64(7200e9)
	for range silentLimit {
		w.sawNone(now)
	}
	if !w.blind(now) {
		t.Fatal("a proxy that shows no bodies is waited for")
	}
	now -= 3600e9
	if !w.blind(now) || w.blind(now+blindTime) {
		t.Error("blind for another time than blindTime")
	}
	s := &stream{}
	w.watch(s, now+3600e9)
	if w.expired(now) != nil || w.expired(now+1e9) != s {
		t.Error("a request is held for another time than the timeout")
	}
}
