//go:build e2e

package e2e

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// An ask that was seen on the way and is sent again, by 64 connections of a client that has no secret, is answered once by each worker, behind what is
// no ask by none, and news go on as before.
func TestReplayedAsksAreRefused(t *testing.T) {
	const workers = 2
	t.Run("alone", func(t *testing.T) { replay(t, workers, "", workers) })
	t.Run("behind what is none", func(t *testing.T) { replay(t, workers, "00,", 0) })
}

// replay sends an ask again with something before it in its header: at most so many are to be answered.
func replay(t *testing.T, workers int, before string, most int64) {
	const name = "X-Warmroute-News: "
	m := launchMeshWith(t, 2, workers, map[string]any{"cluster": "gateways", "interval": "1s"}, pool(t))
	ask := strings.Replace(seenAsk(t, m), name, name+before, 1)
	var stop atomic.Bool
	var wg sync.WaitGroup
	var answered, refused atomic.Int64
	for range 64 {
		wg.Go(func() {
			c, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", m.news[0]))
			if err != nil {
				return
			}
			defer c.Close()
			for r := bufio.NewReader(c); !stop.Load(); time.Sleep(5 * time.Millisecond) {
				c.SetDeadline(time.Now().Add(5 * time.Second))
				io.WriteString(c, ask)
				resp, err := http.ReadResponse(r, nil)
				if err != nil {
					return
				}
				io.Copy(io.Discard, resp.Body)
				if resp.StatusCode == 200 {
					answered.Add(1)
				} else {
					refused.Add(1)
				}
			}
		})
	}
	known, of := 0, 0
	for began := time.Now(); time.Since(began) < 4*time.Second; of++ {
		m.stacks[of%2].post(t, "/v1/chat/completions", chat(story(of), "go on", nil))
		r := m.stacks[1-of%2].post(t, "/v1/chat/completions", chat(story(of), "and then?", map[string]any{"max_tokens": 1}))
		if r.decision["matched"] != "0" {
			known++
		}
		time.Sleep(50 * time.Millisecond)
	}
	stop.Store(true)
	wg.Wait()
	t.Logf("%d answered, %d refused; %d of %d prompts were known at once", answered.Load(), refused.Load(), known, of)
	if answered.Load() > most || refused.Load() == 0 || known < of*9/10 {
		t.Errorf("%d answered, %d refused; %d of %d prompts were known at once", answered.Load(), refused.Load(), known, of)
	}
}

// seenAsk is an ask under the secret of these gateways, as one on the way sees it: a gateway asks a listener that gives no news.
func seenAsk(t *testing.T, m *mesh) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var seen atomic.Pointer[string]
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var b strings.Builder
		fmt.Fprintf(&b, "GET %s HTTP/1.1\r\nhost: h\r\n", r.URL.RequestURI())
		r.Header.Write(&b)
		text := b.String() + "\r\n"
		seen.Store(&text)
		w.WriteHeader(503)
	})}
	go server.Serve(l)
	defer server.Close()
	third := &mesh{t: t, workers: 1, peers: m.peers, fleet: m.fleet, stacks: make([]*stack, 1), news: []int{freePort(t)}}
	third.seen = []int{third.news[0], l.Addr().(*net.TCPAddr).Port}
	third.news = append(third.news, 0)
	third.start(0)
	eventually(t, "an ask is seen", func() bool { return seen.Load() != nil })
	third.stacks[0].Close()
	return *seen.Load()
}
