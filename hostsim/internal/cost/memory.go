package cost

import (
	"context"
	"fmt"
	"io"
	"time"
)

// memoryEvery is after how many requests the memory is printed.
const memoryEvery = 20_000

// Memory sends requests to the last variant, and prints what its Envoy takes and its longest answer every memoryEvery.
func Memory(ctx context.Context, o Options, c Case, requests int, w io.Writer) error {
	servers, err := serve(o.Endpoints)
	if err != nil {
		return err
	}
	defer servers.close()
	g, err := start(ctx, o, o.Variants[len(o.Variants)-1], servers.addresses)
	if err != nil {
		return err
	}
	defer g.Close()
	fmt.Fprintf(w, "%s: requests, MB resident, longest answer in ms\n", c)
	fmt.Fprintf(w, "%9d %5d\n", 0, resident(g.Pid())>>20)
	longest := 0.0
	for sent, shown, round := 0, 0, uint64(0); sent < requests; round++ {
		s, err := measure(ctx, g, c, time.Second, 1<<40|round)
		if err != nil {
			return err
		}
		sent += int(1/s.Seconds + 0.5)
		longest = max(longest, s.Longest)
		if sent/memoryEvery > shown {
			shown = sent / memoryEvery
			fmt.Fprintf(w, "%9d %5d %7.1f\n", sent, resident(g.Pid())>>20, longest)
			longest = 0
		}
	}
	return nil
}
