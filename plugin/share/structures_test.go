package share_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/pool"
	"warmroute/plugin/prefix"
	"warmroute/plugin/share"
	"warmroute/plugin/share/memstore"
	"warmroute/plugin/share/testdata/table"
)

// What the workers of a proxy can know of each other's requests, by three structures: none, the logs that are shipped,
// and a table in shared data. Requests go to any worker; caches are known exactly where they are; placement is by tokens
// to compute and two hundredths of those computed so far. Prints hit ratio, values read and written for each request, and
// bytes, with 1, 2 and 4 workers; without WARMROUTE_TRACES on chats made up here.
func TestStructures(t *testing.T) {
	const capacity = 3000
	for name, chains := range chainsOf(t) {
		alone := map[string]float64{}
		for _, structure := range []string{"none", "logs", "table"} {
			for _, workers := range []int{1, 2, 4, 8} {
				got := place(t, structure, workers, capacity, chains)
				t.Logf("%-12s %-5s %d workers: hit %.3f, imbalance %.3f; for each request %4.1f reads (%5.0f bytes), %4.1f writes; shared %7d bytes, each worker %8d",
					name, structure, workers, got.hit, got.imbalance, got.reads, got.readBytes, got.writes, got.shared, got.own)
				if workers == 1 {
					alone[structure] = got.hit
				}
				if structure == "logs" && got.hit < alone[structure]*.98 {
					t.Errorf("%s: %d workers hit %.3f, one %.3f: more than 2 %% lost", name, workers, got.hit, alone[structure])
				}
			}
		}
		if alone["logs"] < alone["table"] {
			t.Errorf("%s: the logs hit %.3f, the table %.3f: the choice is to be thought over", name, alone["logs"], alone["table"])
		}
	}
}

type placed struct {
	hit, imbalance           float64
	reads, readBytes, writes float64 // for each request
	shared, own              int     // bytes
}

const endpoints = 8

// known is one worker's knowledge.
type known interface {
	match(chain []uint64, depth []int32, now int64)
	routed(endpoint int, chain []uint64, now int64)
	gone(endpoint int, chain []uint64, depth int32)
	bytes() int
}

func place(t *testing.T, structure string, workers, capacity int, chains [][]uint64) (out placed) {
	store := memstore.New()
	all := make([]known, workers)
	for w := range all {
		switch structure {
		case "table":
			all[w] = &byTable{table.New(store, endpoints)}
		case "logs":
			all[w] = newByLog(t, store, capacity)
		default:
			all[w] = newByLog(t, memstore.New(), capacity)
		}
	}
	truth := prefix.NewIndex(endpoints, 1<<24, 0)
	for e := range endpoints {
		truth.SetCapacity(e, int64(capacity))
	}
	random := rand.New(rand.NewPCG(1, 1))
	depth, true_ := make([]int32, endpoints), make([]int32, endpoints)
	computed := make([]float64, endpoints)
	held, total := 0.0, 0.0
	for n, chain := range chains {
		now := int64(n) * 450e6
		w := all[random.IntN(workers)]
		w.match(chain, depth, now)
		best, least, fewest := 0, 0.0, computed[0]
		for _, c := range computed {
			fewest = min(fewest, c)
		}
		for e := range endpoints {
			cost := float64(len(chain)) - float64(depth[e]) + 0.02*(computed[e]-fewest)
			if e == 0 || cost < least {
				best, least = e, cost
			}
		}
		truth.Match(chain, true_)
		if true_[best] < depth[best] {
			w.gone(best, chain, depth[best])
		}
		truth.Insert(best, plain(chain), uint32(now/1e6))
		w.routed(best, chain, now)
		held, total = held+float64(true_[best]), total+float64(len(chain))
		computed[best] += float64(len(chain)) - float64(true_[best])
	}
	most, sum := 0.0, 0.0
	for _, c := range computed {
		most, sum = max(most, c), sum+c
	}
	n := float64(len(chains))
	return placed{held / total, most / sum * endpoints, float64(store.Reads) / n, float64(store.ReadBytes) / n, float64(store.Writes) / n, store.Bytes(), all[0].bytes()}
}

// plain is a chain whose blocks count as one byte each.
func plain(chain []uint64) *prefix.Chain {
	c := &prefix.Chain{Hash: chain}
	for i := range chain {
		c.End = append(c.End, uint32(i+1))
	}
	return c
}

// byLog is a worker as it is shipped.
type byLog struct {
	pool  *pool.Pool
	board *share.Board
}

func newByLog(t *testing.T, store share.Store, capacity int) *byLog {
	cfg, err := config.Parse([]byte(`{"endpoints":["10.0.0.1:80","10.0.0.2:80","10.0.0.3:80","10.0.0.4:80","10.0.0.5:80","10.0.0.6:80","10.0.0.7:80","10.0.0.8:80"]}`))
	if err != nil {
		t.Fatal(err)
	}
	r := pool.New(&cfg, cfg.IndexBytes)
	for e := range endpoints {
		r.Index.SetCapacity(e, int64(capacity))
	}
	return &byLog{r, share.New(store, r)}
}

func (k *byLog) match(chain []uint64, depth []int32, now int64) {
	k.board.Sync(now)
	k.pool.Index.Match(chain, depth)
}

func (k *byLog) routed(endpoint int, chain []uint64, now int64) {
	k.pool.Index.Insert(endpoint, plain(chain), uint32(now/1e6))
	k.board.RecordRouted(endpoint, pool.Visit{Chain: plain(chain), At: now}, now)
}

func (k *byLog) gone(endpoint int, chain []uint64, depth int32) {
	if at, ok := k.pool.Index.Touched(endpoint, chain, int(depth)); ok {
		k.pool.Index.Expire(endpoint, at, 1<<40)
	}
}

func (k *byLog) bytes() int { return k.pool.Index.Bytes() }

type byTable struct{ *table.Table }

func (k *byTable) match(chain []uint64, depth []int32, _ int64) { k.Match(chain, depth) }
func (k *byTable) routed(endpoint int, chain []uint64, now int64) {
	k.Insert(endpoint, chain, uint32(now/1e6))
}
func (k *byTable) gone(endpoint int, chain []uint64, depth int32) {
	k.Expire(endpoint, chain[depth-1])
}
func (k *byTable) bytes() int { return 0 }

// chainsOf are the requests of Mooncake's traces in the folder that WARMROUTE_TRACES names, or chats made up here.
func chainsOf(t *testing.T) map[string][][]uint64 {
	folder := os.Getenv("WARMROUTE_TRACES")
	if folder == "" {
		return map[string][][]uint64{"chats": chats()}
	}
	all := map[string][][]uint64{}
	for _, name := range []string{"conversation", "synthetic"} {
		file, err := os.Open(filepath.Join(folder, "mooncake_"+name+".jsonl.gz"))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		unzipped, err := gzip.NewReader(file)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(unzipped)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var r struct {
				Blocks []uint64 `json:"hash_ids"`
			}
			if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
				t.Fatal(err)
			}
			for i := range r.Blocks {
				r.Blocks[i] = (r.Blocks[i] + 1) * 0xd6e8feb86659fd93 // ids are small numbers, hashes are not
			}
			all[name] = append(all[name], r.Blocks)
		}
		if err := lines.Err(); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

func chats() (all [][]uint64) {
	random := rand.New(rand.NewPCG(2, 2))
	var live [][]uint64
	for range 3000 {
		if len(live) < 200 || random.IntN(5) == 0 {
			live = append(live, []uint64{1, 2, 3 + random.Uint64N(4)})
		}
		at := random.IntN(len(live))
		for range 2 + random.IntN(20) {
			live[at] = append(live[at], random.Uint64())
		}
		all = append(all, append([]uint64(nil), live[at]...))
		if random.IntN(6) == 0 {
			live = append(live[:at], live[at+1:]...)
		}
	}
	return all
}
