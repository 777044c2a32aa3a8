//go:build e2e

package e2e

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"warmroute/hostsim/internal/fleet"
)

// BenchmarkNewsDelay prints how long after one gateway has sent a request another knows of it: in how many of 600 pairs of prompts that
// begin alike the second one's gateway knew of the first, by the time between their arrivals at the replicas. It is the time of which
// hostsim's --sync-delay is a model, with a relay of the test's between the gateways.
func BenchmarkNewsDelay(b *testing.B) {
	var lock sync.Mutex
	arrived := map[string]time.Time{}
	var sinks []string
	for range 3 {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			now := time.Now()
			lock.Lock()
			arrived[r.Header.Get("x-pair")] = now
			lock.Unlock()
			time.Sleep(10 * time.Millisecond)
			sink(w, r)
		}))
		b.Cleanup(server.Close)
		sinks = append(sinks, strings.TrimPrefix(server.URL, "http://"))
	}
	m := &mesh{t: b, workers: 1, fleet: &fleet.Fleet{}, sinks: sinks}
	m.launch(2)
	type pair struct {
		gap   time.Duration
		known bool
	}
	var pairs []pair
	for n := range 600 {
		var d reply
		var both sync.WaitGroup
		began, offset := time.Now(), time.Duration(rand.Int64N(int64(3*time.Millisecond)))
		both.Go(func() {
			m.stacks[n%2].post(b, "/v1/chat/completions", chat(story(n), "go on", nil), "x-pair", fmt.Sprint(n, "a"))
		})
		both.Go(func() {
			body := chat(story(n), "and then?", nil)
			for time.Since(began) < offset { // sleep is not so exact
			}
			d = m.stacks[1-n%2].post(b, "/v1/chat/completions", body, "x-pair", fmt.Sprint(n, "b"))
		})
		both.Wait()
		lock.Lock()
		gap := arrived[fmt.Sprint(n, "b")].Sub(arrived[fmt.Sprint(n, "a")])
		lock.Unlock()
		matched := d.decision["matched"]
		pairs = append(pairs, pair{gap, matched != "" && matched != "0"})
		time.Sleep(5 * time.Millisecond)
	}
	slices.SortFunc(pairs, func(x, y pair) int { return int(x.gap - y.gap) })
	for from := 0 * time.Millisecond; from < 3*time.Millisecond; from += 200 * time.Microsecond {
		known, all := 0, 0
		for _, p := range pairs {
			if p.gap >= from && p.gap < from+200*time.Microsecond {
				if all++; p.known {
					known++
				}
			}
		}
		fmt.Printf("%.1f to %.1f ms later: known in %d of %d\n", from.Seconds()*1e3, from.Seconds()*1e3+.2, known, all)
	}
}
