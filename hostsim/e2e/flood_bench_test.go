//go:build e2e

package e2e

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/cespare/xxhash/v2"

	"warmroute/hostsim/internal/gateway"
	"warmroute/plugin/prefix"
	"warmroute/plugin/prompt"
)

// crafted is a prompt of that many bytes whose blocks' hashes, without a secret, all begin with ten zero bits once they are multiplied
// by the golden ratio: in a table of open addressing that is a thousandth of its slots.
func crafted(random *rand.Rand, bytes int) string {
	const golden, letters = 0x9e3779b97f4a7c15, "abcdefghijklmnopqrstuvwxyz     "
	text := make([]byte, bytes)
	for i := range text {
		text[i] = letters[random.IntN(len(letters))]
	}
	text[0] = 0xfd // what the module puts before a prompt that is a string
	var fold prefix.Fold
	var ends prefix.Chain
	fold.Reset(prefix.DefaultBlockBytes)
	fold.Write(text)
	ends.Append(0, &fold, false)
	seed, from := prefix.Seed([]byte("m"), nil, nil, nil), uint32(0)
	for _, end := range ends.End {
		block := text[from:end]
		for try := uint32(0); ; try++ {
			copy(block[len(block)-8:], fmt.Sprintf("%08x", try))
			link := xxhash.NewWithSeed(seed)
			link.Write(binary.LittleEndian.AppendUint64(nil, xxhash.Sum64(block)))
			if hash := link.Sum64(); hash*golden>>54 == 0 {
				seed = hash
				break
			}
		}
		from = end
	}
	return string(text[1:])
}

// together is the share of a body's blocks whose hashes fall into that region, as the module reads it.
func together(b *testing.B, body string) float64 {
	const golden = 0x9e3779b97f4a7c15
	var chain prefix.Chain
	scanner := prompt.NewScanner(prompt.Options{})
	scanner.Reset(prompt.Completions, nil)
	scanner.Write([]byte(body))
	if scanner.Close() != prompt.Ready {
		b.Fatal(scanner.Why())
	}
	p, n := scanner.Prompt(), 0
	p.Chain(&chain, prefix.Seed(p.Model, p.Adapter, p.Salt, nil))
	for _, hash := range chain.Hash {
		if hash*golden>>54 == 0 {
			n++
		}
	}
	return float64(n) / float64(chain.Len())
}

// BenchmarkFlood is what other clients wait for while one sends 11 MB of prompts over one connection: random ones, and ones that
// are crafted to fall into one region of the index. WARMROUTE_WASM is another module to compare with.
func BenchmarkFlood(b *testing.B) {
	const prompts, bytes = 170, 64 << 10
	for _, kind := range []string{"random", "crafted"} {
		random := rand.New(rand.NewPCG(1, 2))
		var bodies []string
		for range prompts {
			text := crafted(random, bytes)
			if kind == "random" { // the same, spoilt at its beginning
				text = fmt.Sprintf("%08x", random.Uint32()) + text[8:]
			}
			body, err := json.Marshal(map[string]any{"model": "m", "prompt": text})
			if err != nil {
				b.Fatal(err)
			}
			if got := together(b, string(body)); kind == "crafted" && got < .95 {
				b.Fatalf("only %.2f of the blocks are where they are to be", got)
			}
			bodies = append(bodies, string(body))
		}
		b.Run(kind, func(b *testing.B) {
			s, _ := launchReplicas(b, "endpoint", 3, false, func(o *gateway.Options) { o.Concurrency = 1 })
			l := s.start(b, 4, 20*time.Millisecond)
			time.Sleep(2 * time.Second)
			before := l.took(.5, time.Time{}, time.Now())
			var last time.Time
			for b.Loop() {
				client := &http.Client{Transport: &http.Transport{}}
				for n, body := range bodies {
					if n == prompts*2/3 {
						last = time.Now()
					}
					response, err := client.Post(s.URL+"/v1/completions", "application/json", strings.NewReader(body))
					if err != nil {
						b.Fatal(err)
					}
					io.Copy(io.Discard, response.Body)
					response.Body.Close()
				}
			}
			end := time.Now()
			l.end()
			b.ReportMetric(ms(before), "ms-P50-before")
			b.ReportMetric(ms(l.took(.5, last, end)), "ms-P50-at-the-end")
			b.ReportMetric(ms(end.Sub(last))/float64(prompts-prompts*2/3), "ms/prompt-at-the-end")
			s.noTrap(b)
		})
	}
}
