//go:build e2e

package e2e

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"warmroute/hostsim/internal/gateway"
)

// BenchmarkAddedCost prints what the module adds to a plain Envoy: CPU time of the whole process for a request, and
// throughput ÷ that of plain, for bodies of four sizes over one and eight connections. Rounds are interleaved
// (plain, module, module, plain), and the medians of the rounds are shown; plain against another plain is the control.
// The replicas answer at once. Envoy has one worker.
func BenchmarkAddedCost(b *testing.B) {
	const rounds = 15
	var replicas []string
	for range 3 {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body) // the client notices a fault
			w.Header().Set("content-type", "application/json")
			io.WriteString(w, `{"id":"x","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Yes."},`+
				`"finish_reason":"stop"}],"usage":{"prompt_tokens":100,"completion_tokens":2,"total_tokens":102}}`)
		}))
		defer server.Close()
		replicas = append(replicas, strings.TrimPrefix(server.URL, "http://"))
	}
	start := func(module bool) *gateway.Gateway {
		g, err := gateway.Start(b.Context(), gateway.Options{
			Envoy: os.Getenv("ENVOY"), Wasm: root + "build/warmroute.wasm", Config: root + "examples/envoy/endpoint.yaml",
			Replicas: replicas, Plugin: map[string]any{"scrape": map[string]any{"path": ""}},
			Edit: func(doc any) {
				for _, manager := range gateway.Find(doc, "http_filters") {
					delete(manager, "access_log")
					if filters := manager["http_filters"].([]any); !module {
						manager["http_filters"] = filters[len(filters)-1:]
					}
				}
			},
		})
		if err != nil {
			b.Fatal(err)
		}
		return g
	}
	plain, control, module := start(false), start(false), start(true)
	defer plain.Close()
	defer control.Close()
	defer module.Close()
	fmt.Println("added to a plain Envoy       CPU µs a request: plain, module, added   throughput ÷ plain   plain ÷ plain: CPU, throughput")
	for _, size := range []int{2 << 10, 4 << 10, 32 << 10, 400 << 10} {
		for _, connections := range []int{1, 8} {
			requests := min(800, 64<<20/size/2)
			bodies := sized(size)
			var with, without, against, rate, alike, rateAlike []float64
			for range rounds {
				a := load(b, plain, bodies, connections, requests)
				m := load(b, module, bodies, connections, requests)
				n := load(b, module, bodies, connections, requests)
				c := load(b, plain, bodies, connections, requests)
				o := load(b, control, bodies, connections, requests)
				with, without = append(with, (m.cpu+n.cpu)/2), append(without, (a.cpu+c.cpu)/2)
				against = append(against, (m.cpu+n.cpu-a.cpu-c.cpu)/2)
				rate = append(rate, (a.wall+c.wall)/(m.wall+n.wall))
				alike, rateAlike = append(alike, o.cpu/((a.cpu+c.cpu)/2)), append(rateAlike, (a.wall+c.wall)/2/o.wall)
			}
			fmt.Printf("%4d KB, %d connections %17.0f %7.0f %7.0f %20.2f %20.2f %.2f\n", size>>10, connections,
				median(without), median(with), median(against), median(rate), median(alike), median(rateAlike))
		}
	}
}

// cost is of one request, in µs: CPU of Envoy, and time between two requests.
type cost struct{ cpu, wall float64 }

func load(b *testing.B, g *gateway.Gateway, bodies []string, connections, requests int) cost {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: connections, MaxConnsPerHost: connections}}
	defer client.CloseIdleConnections()
	cpu, began := cpuOf(b, g.Pid()), time.Now()
	var all sync.WaitGroup
	for c := range connections {
		all.Go(func() {
			for i := range requests / connections {
				response, err := client.Post(g.URL+"/v1/chat/completions", "application/json", strings.NewReader(bodies[(i*connections+c)%len(bodies)]))
				if err != nil {
					b.Error(err)
					return
				}
				io.Copy(io.Discard, response.Body) // likewise
				response.Body.Close()
				if response.StatusCode != http.StatusOK {
					b.Errorf("status %d", response.StatusCode)
				}
			}
		})
	}
	all.Wait()
	n := float64(requests / connections * connections)
	return cost{float64(cpuOf(b, g.Pid())-cpu) / 1e3 / n, float64(time.Since(began).Nanoseconds()) / 1e3 / n}
}

// cpuOf is the CPU time of all threads of a process, in ns.
func cpuOf(b *testing.B, pid int) int64 {
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if err != nil || len(files) == 0 {
		b.Fatalf("no threads of process %d: %v", pid, err)
	}
	sum := int64(0)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // the thread has ended
		}
		first, _, _ := strings.Cut(string(text), " ")
		ns, err := strconv.ParseInt(first, 10, 64)
		if err != nil {
			b.Fatal(err)
		}
		sum += ns
	}
	return sum
}

// sized are chats of about size bytes: a few system prompts, and questions that nobody has asked before.
func sized(size int) []string {
	var bodies []string
	for i := range 64 {
		system, user := story(i%4), fmt.Sprintf("Question %d. ", i)
		system = strings.Repeat(system, size/2/len(system)+1)[:size/2]
		bodies = append(bodies, chat(system, user+strings.Repeat("What happened then, and why? ", max(size-len(system)-200, 0)/29), nil))
	}
	return bodies
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}
