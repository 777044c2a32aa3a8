//go:build e2e

package e2e

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"warmroute/hostsim/internal/fleet"
)

// BenchmarkNews prints the CPU time of one gateway, as a share of a core: alone, and beside three others with which it shares news,
// at several rates of requests with new prompts of 4 KB to each.
func BenchmarkNews(b *testing.B) {
	const span = 8 * time.Second
	var sinks []string
	for range 3 {
		server := httptest.NewServer(http.HandlerFunc(sink))
		b.Cleanup(server.Close)
		sinks = append(sinks, strings.TrimPrefix(server.URL, "http://"))
	}
	for _, rate := range []int{0, 125} {
		shares := map[int]float64{}
		for _, n := range []int{1, 4} {
			m := launchMesh(b, n, 2, &fleet.Fleet{}, sinks...)
			_, cpu := taken(b, m.stacks[0].Pid())
			began := time.Now()
			sent := offer(b, m, rate, span)
			passed := time.Since(began).Seconds()
			_, after := taken(b, m.stacks[0].Pid())
			shares[n] = (after - cpu) / passed
			fmt.Printf("%d gateways, %3d requests a second to each (%d sent): %.2f %% of a core\n", n, rate, sent, 100*shares[n])
			for _, s := range m.stacks {
				s.Close()
			}
		}
		fmt.Printf("sharing with three others: %.2f %% of a core\n", 100*(shares[4]-shares[1]))
	}
}

// offer sends so many requests a second to each gateway.
func offer(b *testing.B, m *mesh, rate int, span time.Duration) (sent int) {
	end := time.Now().Add(span)
	if rate == 0 {
		time.Sleep(span)
		return 0
	}
	var under sync.WaitGroup
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for began := time.Now(); time.Now().Before(end); <-tick.C {
		for due := int(time.Since(began).Seconds() * float64(rate)); sent < due; sent++ {
			for _, s := range m.stacks {
				body := []byte(chat(fmt.Sprint(sent, s.URL, strings.Repeat(" and so on", 400)), "go on", nil))
				under.Go(func() {
					response, err := client.Post(s.URL+"/v1/chat/completions", "application/json", bytes.NewReader(body))
					if err == nil {
						response.Body.Close()
					}
				})
			}
		}
	}
	under.Wait()
	return sent
}
