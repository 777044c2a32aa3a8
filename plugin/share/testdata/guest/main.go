//go:build tinygo

// The guest of BenchmarkSharedIndex: it runs in a proxy as the module does, and logs what a pick costs there at 64
// endpoints and a million blocks, and what the two structures of a shared index cost, with the proxy's own shared data.
// Once, in the VM that starts first.
package main

import (
	"fmt"
	"runtime"
	"time"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm"
	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"

	"warmroute/plugin/config"
	"warmroute/plugin/decision"
	"warmroute/plugin/pool"
	"warmroute/plugin/prefix"
	"warmroute/plugin/prompt"
	"warmroute/plugin/route"
	"warmroute/plugin/share"
	"warmroute/plugin/share/testdata/table"
)

func main() {}

func init() { proxywasm.SetVMContext(&vm{}) }

type vm struct{ types.DefaultVMContext }

func (*vm) NewPluginContext(uint32) types.PluginContext { return &plugin{} }

type plugin struct{ types.DefaultPluginContext }

type sharedData struct{}

func (sharedData) Get(key string) ([]byte, uint32, bool) {
	value, version, err := proxywasm.GetSharedData(key)
	return value, version, err == nil
}

func (sharedData) Set(key string, value []byte, version uint32) bool {
	return proxywasm.SetSharedData(key, value, version) == nil
}

func (*plugin) OnPluginStart(int) types.OnPluginStartStatus {
	if _, _, err := proxywasm.GetSharedData("measured"); err == nil {
		return types.OnPluginStartStatusOK
	}
	_ = proxywasm.SetSharedData("measured", []byte{1}, 0)
	for _, policy := range []string{"prefix_hash", "cache_aware", "expected_ttft"} {
		picks(policy)
	}
	structures()
	return types.OnPluginStartStatusOK
}

// random is SplitMix64 (Steele, Lea, Flood, 2014).
type random uint64

func (r *random) next() uint64 {
	*r += 0x9e3779b97f4a7c15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func (r *random) fill(chain []uint64) {
	for i := range chain {
		chain[i] = r.next()
	}
}

// poolOf is a pool of that many endpoints, with a router for the policy.
func poolOf(policy string, endpoints int) (*pool.Pool, *route.Router) {
	doc := `{"index_bytes": 67108864, "policy": "` + policy + `", "endpoints": [`
	for i := range endpoints {
		if i > 0 {
			doc += ","
		}
		doc += fmt.Sprintf(`"10.0.0.%d:80"`, i+1)
	}
	cfg, err := config.Parse([]byte(doc + "]}"))
	if err != nil {
		panic(err)
	}
	p := pool.New(&cfg, route.IndexBytes(&cfg))
	return p, route.New(&cfg, p, 1)
}

// timed logs the least mean time of a call among rounds, and its allocations.
func timed(name string, f func(i int)) {
	const rounds, calls = 5, 400
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	best := time.Duration(1 << 62)
	for round := range rounds {
		from := time.Now()
		for i := range calls {
			f(round*calls + i)
		}
		best = min(best, time.Since(from)/calls)
	}
	runtime.ReadMemStats(&after)
	proxywasm.LogWarn(fmt.Sprintf("measured %s %d ns %d allocs", name, best, (after.Mallocs-before.Mallocs)/(rounds*calls)))
}

// picks measures the whole pick: seed, chain, match, costs, order.
func picks(policy string) {
	const endpoints = 64
	p, r := poolOf(policy, endpoints)
	g := random(1)
	chain := make([]uint64, 256)
	for at := 0; p.Index.Pairs() < 1_000_000; at++ {
		g.fill(chain)
		p.Index.Insert(at%endpoints, &prefix.Chain{Hash: chain}, uint32(at))
	}
	for _, blocks := range []int{16, 256} {
		prompts := make([]prompt.Prompt, 64)
		for i := range prompts {
			text := make([]byte, blocks*256)
			for j := range text {
				text[j] = byte(g.next())
			}
			prompts[i] = prompt.Prompt{Model: []byte("m"), Text: text, Stream: true}
		}
		d := new(decision.Decision)
		for i := range prompts { // half of them are known somewhere
			r.Pick(&decision.Request{Prompt: &prompts[i], Now: 1e9}, d)
			if i%2 == 0 {
				p.Begin(&d.Flight, d.Order[0], 1e9)
				p.End(&d.Flight, 1e9, pool.Outcome{})
			}
		}
		request := new(decision.Request)
		timed(fmt.Sprintf("pick %s %d KB", policy, blocks/4), func(i int) {
			*request = decision.Request{Prompt: &prompts[i%64], Now: 2e9}
			r.Pick(request, d)
		})
	}
	proxywasm.LogWarn(fmt.Sprintf("measured bytes of the index %s: %d for %d pairs of block and endpoint", policy, p.Index.Bytes(), p.Index.Pairs()))
}

// structures measures what one request of a peer costs, and of one's own.
func structures() {
	const endpoints = 8
	for _, blocks := range []int{16, 256} {
		known := make([][]uint64, 64)
		g := random(2)
		for i := range known {
			known[i] = make([]uint64, blocks)
			g.fill(known[i])
		}
		fresh := make([]uint64, blocks)
		chain := &prefix.Chain{Hash: fresh, End: make([]uint32, blocks)}
		a, _ := poolOf("cache_aware", endpoints)
		b, _ := poolOf("cache_aware", endpoints)
		writer, reader := share.New(sharedData{}, a), share.New(sharedData{}, b)
		writer.Sync(1e9)
		reader.Sync(1e9)
		size := fmt.Sprintf("%d blocks", blocks)
		timed("logs: read, nothing new, one peer, "+size, func(int) { reader.Sync(1e9) })
		timed("logs: record a request, "+size, func(int) { g.fill(fresh); writer.RecordRouted(1, pool.Visit{Chain: chain, At: 1e9}, 1e9) })
		reader.Sync(1e9)
		timed("logs: record a request and read it, "+size, func(int) {
			g.fill(fresh)
			writer.RecordRouted(1, pool.Visit{Chain: chain, At: 1e9}, 1e9)
			reader.Sync(1e9)
		})
		t := table.New(sharedData{}, endpoints)
		depth := make([]int32, endpoints)
		for i := range 4096 {
			g.fill(fresh)
			t.Insert(i%endpoints, fresh, 1)
		}
		for _, chain := range known {
			t.Insert(2, chain[:blocks*3/4], 1)
		}
		timed("table: match, "+size, func(i int) { t.Match(known[i%64], depth) })
		timed("table: enter a new prompt, "+size, func(i int) { g.fill(fresh); t.Insert(i%endpoints, fresh, 1) })
		timed("table: touch a known prompt, "+size, func(i int) { t.Insert(2, known[i%64][:blocks*3/4], 2) })
	}
}
