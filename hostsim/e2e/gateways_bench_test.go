//go:build e2e

package e2e

import (
	"bytes"
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
// at several rates of requests with new prompts of 4 KB to each; and how often it asks. With WARMROUTE_WASM_OTHER it prints that of gateways of that module,
// too. Each of WARMROUTE_ROUNDS, 1 unless it is set, takes turns; a round of three arms takes a minute.
func BenchmarkNews(b *testing.B) {
	const span, before = 8 * time.Second, 8 * time.Second // before: what a gateway may answer in a row after a pause
	var sinks []string
	for range 3 {
		server := httptest.NewServer(http.HandlerFunc(sink))
		b.Cleanup(server.Close)
		sinks = append(sinks, strings.TrimPrefix(server.URL, "http://"))
	}
	arms := []struct {
		name string
		n    int
		wasm string
	}{{"alone", 1, ""}, {"beside three others", 4, ""}}
	if other := os.Getenv("WARMROUTE_WASM_OTHER"); other != "" {
		arms = append(arms, arms[1])
		arms[2].name, arms[2].wasm = "beside three others, of the other module", other
	}
	for _, rate := range []int{0, 125} {
		shares := make([][]float64, len(arms))
		for round := range roundsOf(b, 1) {
			for k := range arms {
				k = (k + round) % len(arms)
				m := &mesh{t: b, workers: 2, wasm: arms[k].wasm, fleet: &fleet.Fleet{}, sinks: sinks}
				m.launch(arms[k].n)
				offer(b, m, rate, before)
				_, cpu := taken(b, m.stacks[0].Pid())
				asks := m.stacks[0].stat(b, newsAsked)
				began := time.Now()
				sent := offer(b, m, rate, span)
				passed := time.Since(began).Seconds()
				_, after := taken(b, m.stacks[0].Pid())
				share := 100 * (after - cpu) / passed
				shares[k] = append(shares[k], share)
				asks = (m.stacks[0].stat(b, newsAsked) - asks) / passed
				fmt.Printf("%3d requests a second to each (%d sent), %s: %.2f %% of a core, %.0f asks a second\n", rate, sent, arms[k].name, share, asks)
				for _, s := range m.stacks {
					s.Close()
				}
			}
		}
		for k := range arms[1:] {
			n := float64(len(shares[0]))
			_, off := ratios(shares[k+1], shares[0])
			fmt.Printf("%3d requests a second to each, %s: %.2f ± %.2f %% of a core above one alone\n", rate, arms[k+1].name,
				(sum(shares[k+1])-sum(shares[0]))/n, off*sum(shares[0])/n)
		}
	}
}

// newsAsked counts a gateway's asks.
const newsAsked = `envoy_cluster_upstream_rq_total{envoy_cluster_name="gateways"`

// roundsOf is WARMROUTE_ROUNDS.
func roundsOf(b *testing.B, usual int) int {
	b.Helper()
	text := os.Getenv("WARMROUTE_ROUNDS")
	if text == "" {
		return usual
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		b.Fatalf("WARMROUTE_ROUNDS=%s: a number from 1 on is needed", text)
	}
	return n
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

// BenchmarkGateways prints the mean TTFT of two and four gateways by that of one, and with WARMROUTE_WASM_OTHER that of gateways of
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
	if other := os.Getenv("WARMROUTE_WASM_OTHER"); other != "" {
		arms = append(arms, &arm{name: "two of the other module", n: 2, wasm: other}, &arm{name: "four of the other module", n: 4, wasm: other})
	}
	for round := range roundsOf(b, 3) {
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
