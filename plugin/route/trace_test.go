package route

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// traced is a request of a trace in the form of Mooncake's.
type traced struct {
	Timestamp float64 // ms
	Input     int     `json:"input_length"`
	Output    int     `json:"output_length"`
	Blocks    []int   `json:"hash_ids"`
}

// readTrace reads a trace of the folder that WARMROUTE_TRACES names.
func readTrace(t testing.TB, folder, name string) (all []traced) {
	t.Helper()
	file, err := os.Open(filepath.Join(folder, name))
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
		var r traced
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	if err := lines.Err(); err != nil || len(all) == 0 {
		t.Fatalf("%s: %d requests, %v", name, len(all), err)
	}
	return all
}

// spread sets apart the requests that a trace gives one timestamp, evenly up to the next.
func spread(trace []traced) {
	for i := 0; i < len(trace); {
		j := i
		for j < len(trace) && trace[j].Timestamp == trace[i].Timestamp {
			j++
		}
		next := trace[i].Timestamp + 3000
		if j < len(trace) {
			next = trace[j].Timestamp
		}
		step := (next - trace[i].Timestamp) / float64(j-i)
		for k := i; k < j; k++ {
			trace[k].Timestamp += step * float64(k-i)
		}
		i = j
	}
}

// traces are those of WARMROUTE_TRACES, or without it one made up here: chats of several turns below two system prompts.
func traces(t testing.TB) map[string][]traced {
	folder := os.Getenv("WARMROUTE_TRACES")
	if folder == "" {
		return map[string][]traced{"chats": chats(3000)}
	}
	all := map[string][]traced{}
	for _, name := range []string{"conversation", "synthetic"} {
		all[name] = readTrace(t, folder, "mooncake_"+name+".jsonl.gz")
		spread(all[name])
	}
	return all
}

func chats(n int) (all []traced) {
	random := source(7)
	type chat struct{ blocks []int }
	var live []*chat
	next := 10
	grow := func(c *chat, by int) {
		for range by {
			c.blocks = append(c.blocks, next)
			next++
		}
	}
	for i := range n {
		if len(live) < 60 || random.below(5) == 0 {
			c := &chat{blocks: []int{0, 1, 2 + random.below(2)}}
			live = append(live, c)
		}
		at := random.below(len(live))
		c := live[at]
		grow(c, 2+random.below(12))
		all = append(all, traced{
			Timestamp: float64(i) * 300, Input: len(c.blocks)*traceBlock - random.below(traceBlock), Output: 100 + random.below(300),
			Blocks: append([]int(nil), c.blocks...),
		})
		if random.below(6) == 0 {
			live = append(live[:at], live[at+1:]...)
		}
	}
	return all
}
