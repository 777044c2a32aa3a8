package route

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/decision"
	"warmroute/plugin/exposition"
	"warmroute/plugin/pool"
	"warmroute/plugin/prefix"
	"warmroute/plugin/prompt"
)

// BenchmarkPick is a pick among 64 endpoints with a million blocks in the index, for prompts of 16 and 256 blocks of
// 256 bytes; hashing the prompt is a part of it.
func BenchmarkPick(b *testing.B) {
	for _, policy := range []config.Policy{config.PolicyPrefixHash, config.PolicyCacheAware, config.PolicyExpectedTTFT} {
		for _, size := range []struct {
			name   string
			blocks int
		}{{"4KB", 16}, {"64KB", 256}} {
			b.Run(policy.String()+"/"+size.name, func(b *testing.B) {
				r := newRig(setup{policy: policy, replicas: 64, change: func(c *config.Config) {
					c.BlockBytes, c.IndexBytes = 256, 64<<20
				}}.config(), 1)
				random := rand.New(rand.NewPCG(1, 1))
				chain := make([]uint64, 256)
				for at := 0; r.Index.Pairs() < 1_000_000; at++ {
					for i := range chain {
						chain[i] = random.Uint64()
					}
					r.Index.Insert(at%64, &prefix.Chain{Hash: chain}, uint32(at))
				}
				text := make([]byte, size.blocks*256)
				for i := range text {
					text[i] = byte(random.Uint32())
				}
				for e := range 64 {
					r.Begin(&pool.Flight{Tokens: 1000 * random.Float64()}, e, second)
				}
				req := decision.Request{Prompt: &prompt.Prompt{Model: []byte("m"), Text: text, Stream: true}, Now: second}
				d := new(decision.Decision)
				r.Pick(&req, d)
				r.begin(d, second)
				r.end(d, second, pool.Outcome{})
				b.ReportAllocs()
				for b.Loop() {
					r.Pick(&req, d)
				}
			})
		}
	}
}

// BenchmarkEndpoints is a request's way through the policy and the pool, by the number of endpoints: in an idle pool, and in one
// where prompts wait at each.
func BenchmarkEndpoints(b *testing.B) {
	for _, n := range []int{8, 64, 256, 1024} {
		for _, busy := range []int{0, 1} {
			b.Run(fmt.Sprintf("%d/busy=%d", n, busy), func(b *testing.B) {
				r := newRig(setup{policy: config.PolicyCacheAware, replicas: n}.config(), 1)
				for e := range n * busy {
					d := new(decision.Decision)
					r.Pick(&decision.Request{Prompt: chat(e, 9), Now: second}, d)
					r.begin(d, second)
				}
				d, now, of := new(decision.Decision), second, chat(3, 9)
				b.ReportAllocs()
				for b.Loop() {
					now += 1e3
					r.Pick(&decision.Request{Prompt: of, Now: now}, d)
					r.begin(d, now)
					r.firstToken(d, now)
					r.end(d, now, pool.Outcome{})
				}
			})
		}
	}
}

// BenchmarkFullMemory is a pick where memory is short at all endpoints, which hold all of the prompt: when its blocks were used last
// counts at each.
func BenchmarkFullMemory(b *testing.B) {
	for _, n := range []int{64, 1024} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			r := newRig(setup{policy: config.PolicyCacheAware, replicas: n, change: func(c *config.Config) {
				c.BlockBytes, c.IndexBytes = 256, 256<<20
			}}.config(), 1)
			random := rand.New(rand.NewPCG(1, 1))
			text := make([]byte, 400<<10)
			for i := range text {
				text[i] = byte(random.Uint32())
			}
			req := decision.Request{Prompt: &prompt.Prompt{Model: []byte("m"), Text: text, Stream: true, BlockBytes: 256, BodyBytes: len(text)}, Now: second}
			d := new(decision.Decision)
			r.Pick(&req, d)
			r.begin(d, second)
			r.firstToken(d, 2*second)
			r.end(d, 3*second, pool.Outcome{Usage: true, PromptTokens: 1000})
			req.Now = 3 * second
			for e := range n {
				r.Index.Insert(e, &d.Chain, 1000)
				r.ApplyMetrics(e, req.Now, &exposition.Load{
					Has:     tellsMemory,
					Running: 10, Waiting: 5, KVTokens: 1e6, KVUsage: 1,
				})
			}
			for b.Loop() {
				r.Pick(&req, d)
			}
		})
	}
}
