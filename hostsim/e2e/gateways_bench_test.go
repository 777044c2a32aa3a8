//go:build e2e

package e2e

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
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

// BenchmarkGateways prints the mean TTFT of two and four gateways by that of one, and with WARMROUTE_OTHER_WASM that of gateways of
// that module as well. Each of WARMROUTE_ROUNDS, 3 unless it is set, plays the same conversations on all, in turn, each time another one
// first; a round of three arms takes a minute. What follows ± is the error of the mean over the rounds.
func BenchmarkGateways(b *testing.B) {
	type arm struct {
		name string
		n    int
		wasm string
		ttft []float64
		hit  []float64
	}
	arms := []*arm{{name: "one", n: 1}, {name: "two", n: 2}, {name: "four", n: 4}}
	if other := os.Getenv("WARMROUTE_OTHER_WASM"); other != "" {
		arms = append(arms, &arm{name: "two of the other module", n: 2, wasm: other}, &arm{name: "four of the other module", n: 4, wasm: other})
	}
	rounds, err := strconv.Atoi(cmp.Or(os.Getenv("WARMROUTE_ROUNDS"), "3"))
	if err != nil || rounds < 1 {
		b.Fatalf("WARMROUTE_ROUNDS=%s: a number from 1 on is needed", os.Getenv("WARMROUTE_ROUNDS"))
	}
	for round := range rounds {
		for k := range arms {
			a := arms[(k+round)%len(arms)]
			f := poolOf(b, 1) // what is cached from the arm before is not this one's
			m := &mesh{t: b, workers: 2, wasm: a.wasm, fleet: f}
			m.launch(a.n)
			r := m.loadOf(uint64(20+round), 400, 3000, 30)
			for _, s := range m.stacks {
				s.Close()
			}
			f.Close()
			if r.Errors > 0 {
				b.Errorf("%s: %d errors: %v", a.name, r.Errors, r.ErrorsByStatus)
			}
			a.ttft, a.hit = append(a.ttft, r.TTFT.Mean), append(a.hit, r.TokenHitRatio)
			fmt.Printf("round %d, %-25s hits %.4f, TTFT %.1f ms\n", round+1, a.name, r.TokenHitRatio, r.TTFT.Mean)
		}
	}
	for _, a := range arms[1:] {
		ratio, off := ratios(a.ttft, arms[0].ttft)
		hit, hitOff := ratios(a.hit, arms[0].hit)
		fmt.Printf("%s by one: TTFT %.3f ± %.3f, hits %.3f ± %.3f\n", a.name, ratio, off, hit, hitOff)
	}
}

// ratios is the mean of a by that of b, and its error by the rounds' ratios.
func ratios(a, b []float64) (mean, off float64) {
	mean = sum(a) / sum(b)
	for i := range a {
		d := a[i]/b[i] - mean
		off += d * d
	}
	n := float64(len(a))
	return mean, math.Sqrt(off / max(n-1, 1) / n)
}

func sum(x []float64) (total float64) {
	for _, v := range x {
		total += v
	}
	return total
}
