//go:build e2e

package e2e

import (
	"sync"
	"sync/atomic"
	"testing"
)

// traffic is requests that go on while something changes.
type traffic struct {
	sent, matched, lost atomic.Int64 // answered; of them, those that went where they match, and those without status 200
	stop                func()
}

// underLoad lets clients ask again and again, each one request after the other, until traffic.end or the test's own end.
func underLoad(t *testing.T, clients int, ask func(n int) reply) *traffic {
	t.Helper()
	l := &traffic{}
	done := make(chan struct{})
	var all sync.WaitGroup
	for c := range clients {
		all.Go(func() {
			for n := c; ; n += clients {
				select {
				case <-done:
					return
				default:
				}
				r := ask(n)
				if l.sent.Add(1); r.status != 200 {
					l.lost.Add(1)
				}
				if r.decision["reason"] == "match" {
					l.matched.Add(1)
				}
			}
		})
	}
	l.stop = sync.OnceFunc(func() { close(done); all.Wait() })
	t.Cleanup(l.stop)
	return l
}

// end waits for the last answers; none may be lost.
func (l *traffic) end(t *testing.T) {
	t.Helper()
	l.stop()
	if n := l.lost.Load(); n > 0 {
		t.Errorf("%d of %d requests were lost", n, l.sent.Load())
	}
	t.Logf("%d requests, %d lost", l.sent.Load(), l.lost.Load())
}
