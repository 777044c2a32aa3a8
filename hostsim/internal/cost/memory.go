package cost

import (
	"context"
	"fmt"
	"io"
	"time"
)

// memoryEvery is after how many requests the memory is printed.
const memoryEvery = 20_000

// Held is what an Envoy took after so many requests.
type Held struct {
	Requests int     `json:"requests"`
	Resident int64   `json:"resident_bytes"`
	Longest  float64 `json:"longest_ms"` // answer since the row before
}

// Memory sends requests to a variant, and prints what its Envoy takes and its longest answer every memoryEvery. If it is
// interrupted, the error comes with the rows so far.
func Memory(ctx context.Context, o Options, of Setting, v Variant, c Case, requests int, w io.Writer) (rows []Held, err error) {
	servers, err := serve(of.Endpoints)
	if err != nil {
		return nil, err
	}
	defer servers.close()
	g, err := start(ctx, o, of, v, servers.addresses)
	if err != nil {
		return nil, err
	}
	defer g.close()
	fmt.Fprintf(w, "%s, %s, %s: requests, MB resident, longest answer in ms\n", v.Name, of, c)
	row := func(h Held) {
		rows = append(rows, h)
		fmt.Fprintf(w, "%9d %5d %7.1f\n", h.Requests, h.Resident>>20, h.Longest)
	}
	row(Held{Resident: g.resident()})
	longest := 0.0
	for sent, shown, round := 0, 0, uint64(0); sent < requests; round++ {
		s, err := measure(ctx, g, c, time.Second, 1<<40|round)
		if err != nil {
			return rows, err
		}
		sent += int(1/s.Seconds + 0.5)
		longest = max(longest, s.Longest)
		if sent/memoryEvery > shown {
			shown = sent / memoryEvery
			row(Held{sent, g.resident(), longest})
			longest = 0
		}
	}
	return rows, nil
}
