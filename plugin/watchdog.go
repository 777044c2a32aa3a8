package main

// watchdog finds paused requests that make no progress. Its list is in the order of last progress, so that a tick looks
// only at the expired ones and the next one.
type watchdog struct {
	timeout    int64 // nanoseconds without progress
	oldest     *stream
	newest     *stream
	proven     bool  // a held request was shown its body
	silent     int   // stalls in a row of requests whose body was never shown
	blindUntil int64 // until then no request is paused; 0: pausing as usual
}

// If a proxy never shows a body, each request would wait for the whole timeout. After silentLimit such requests in a row,
// none is paused for blindTime; then one is tried again.
const (
	silentLimit = 3
	blindTime   = 30e9 // nanoseconds
)

// blind says whether the proxy is believed to show no bodies, at present.
func (w *watchdog) blind(t int64) bool {
	w.blindUntil = min(w.blindUntil, t+blindTime) // the clock may have been set back
	return t < w.blindUntil
}

// watch begins to watch s, or moves it to the newest place after it made progress.
func (w *watchdog) watch(s *stream, t int64) {
	w.forget(s)
	s.progress, s.watched = t, true
	s.older, s.newer = w.newest, nil
	if w.newest != nil {
		w.newest.newer = s
	} else {
		w.oldest = s
	}
	w.newest = s
}

// forget stops watching s.
func (w *watchdog) forget(s *stream) {
	if !s.watched {
		return
	}
	if s.older != nil {
		s.older.newer = s.newer
	} else {
		w.oldest = s.newer
	}
	if s.newer != nil {
		s.newer.older = s.older
	} else {
		w.newest = s.older
	}
	s.older, s.newer, s.watched = nil, nil, false
}

// expired returns a request without progress since timeout before t, no longer watched; nil when there is none.
func (w *watchdog) expired(t int64) *stream {
	s := w.oldest
	if s != nil {
		s.progress = min(s.progress, t) // the clock may have been set back
	}
	if s == nil || t-s.progress < w.timeout {
		return nil
	}
	w.forget(s)
	return s
}

// sawBody records that the proxy shows bodies: its configuration is right, whatever single clients do.
func (w *watchdog) sawBody() { w.proven, w.silent, w.blindUntil = true, 0, 0 }

// sawNone records that a request was held for the whole timeout and was never shown its body, and says whether that may be
// the proxy's configuration. It is not, if the proxy has shown a body before.
func (w *watchdog) sawNone(t int64) (suspect bool) {
	if w.proven {
		return false
	}
	if w.silent++; w.silent >= silentLimit {
		w.blindUntil = t + blindTime
		w.silent = silentLimit - 1 // one more after the pause is enough
	}
	return true
}
