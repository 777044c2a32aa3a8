package faults

import (
	"fmt"
	"strconv"
	"testing"
)

// A replica that answers each request with an error at once has no work, and must not draw the others' requests for that: neither one
// client's that follow each other, nor several clients'. One that serves another model, or wants another key, answers 404 or 401 at
// once. The requests may be at fault, so it is tried until the others have shown that they answer such ones.
func TestFastErrorsDrawNoRequests(t *testing.T) {
	m := module(t)
	for _, c := range []struct {
		status int
		most   float64 // share of requests that may fail
	}{{500, .1}, {400, .15}, {401, .15}, {404, .15}, {413, .15}, {422, .15}, {429, .15}} {
		for _, clients := range []int{1, 2, 7, 100} {
			for _, policy := range []string{"cache_aware", "expected_ttft", "join_shortest_queue", "lru_match"} {
				t.Run(fmt.Sprintf("%d, %s, clients %d", c.status, policy, clients), func(t *testing.T) {
					w := start(t, m, Options{Replicas: 3, CacheTokens: 400_000, Plugin: `"policy":"` + policy + `"`})
					w.Pass(5 * second)
					const n = 240
					failed := 0
					for i := range 2 * n {
						if i == n {
							w.Replicas[1].Denies = c.status
						}
						before := w.Replicas[0].Served + w.Replicas[2].Served
						w.Client = "192.0.2." + strconv.Itoa(1+i%clients) + ":4000"
						w.Post(0, chats, chat(document(i), ""))
						w.Pass(second / 4)
						if i >= n && w.Replicas[0].Served+w.Replicas[2].Served == before {
							failed++
						}
					}
					if float64(failed) > c.most*n {
						t.Errorf("%d of %d requests fail, with two replicas that are well", failed, n)
					}
				})
			}
		}
	}
}
