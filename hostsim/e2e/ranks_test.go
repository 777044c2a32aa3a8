//go:build e2e

package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"warmroute/hostsim/internal/fleet"
)

// rankedPool starts servers of four data-parallel ranks each, which are stopped with the test.
func rankedPool(t *testing.T, n int) *fleet.Fleet {
	t.Helper()
	f, err := fleet.Start(fleet.Options{N: n, Ranks: 4, Profile: profile(t), Speed: 4})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// Conversations stay on a data-parallel rank: Envoy sends them to its server, and the header names it. Clients cannot.
func TestRanks(t *testing.T) {
	t.Run("configured", func(t *testing.T) { testRanks(t, map[string]any{"data_parallel_ranks": 4}) })
	t.Run("learned", func(t *testing.T) {
		testRanks(t, map[string]any{"scrape": map[string]any{"cluster": "vllm", "interval": "500ms"}})
	})
}

func testRanks(t *testing.T, configuration map[string]any) {
	f := rankedPool(t, 3)
	s := inFront(t, options("endpoint", f, configuration), f)
	if configuration["data_parallel_ranks"] == nil {
		s.learnsRanks(t, f)
	}
	used := map[string]int{}
	for n := range 16 {
		home, text := "", story(n)
		for turn := range 4 {
			r := s.post(t, "/v1/chat/completions", chat(text, fmt.Sprint("Question ", turn), nil), "x-data-parallel-rank", "77")
			at := r.decision["endpoint"]
			server, _, ranked := strings.Cut(at, "#")
			if r.status != 200 || !ranked || server != s.address(t, r.replica) {
				t.Fatalf("story %d: status %d by %s, decided %v: %s", n, r.status, r.replica, r.decision, r.body)
			}
			if home != "" && at != home {
				t.Errorf("story %d goes to %s, want %s as before", n, at, home)
			}
			home = at
		}
		used[home] += 4
	}
	if len(used) < 7 {
		t.Errorf("16 stories are at %v: of 12 ranks few are used", used)
	}
	hits, queries := int64(0), int64(0)
	for _, r := range f.Replicas {
		for rank := range 4 {
			st := r.RankStats(rank)
			hits, queries = hits+st.Hits, queries+st.Queries
			if at := fmt.Sprint(r.Addr(), "#", rank); st.Finished != int64(used[at]) {
				t.Errorf("%s had %d requests, decided were %d", at, st.Finished, used[at])
			}
		}
	}
	if got := float64(hits) / float64(queries); got < .6 {
		t.Errorf("%.2f of the tokens found, want three of four turns'", got)
	}
}

// learnsRanks waits until the pages of all servers have been read.
func (s *stack) learnsRanks(t *testing.T, f *fleet.Fleet) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(200 * time.Millisecond) {
		plain := 0
		for n := range 12 {
			if r := s.post(t, "/v1/responses", fmt.Sprintf(`{"model":"m","input":"Short %d."}`, n)); !strings.Contains(r.decision["endpoint"], "#") {
				plain++
			}
		}
		if plain == 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatal("not all servers' ranks are known")
		}
	}
}

// A server that refuses is left with all of its ranks, and its requests are answered by the same rank of another one.
func TestRanksOfAServerThatRefuses(t *testing.T) {
	t.Parallel()
	f := rankedPool(t, 3)
	s := inFront(t, options("endpoint", f, map[string]any{"data_parallel_ranks": 4}), f)
	if err := f.Replicas[0].Close(); err != nil {
		t.Fatal(err)
	}
	retried := 0
	for n := range 80 { // all come from one address: eight failures in three seconds tell (plugin/health/blame.go)
		r := s.post(t, "/v1/chat/completions", chat(story(n), "Question", nil))
		if r.status != 200 || r.replica == f.Replicas[0].Name() {
			t.Fatalf("story %d: status %d by %s: %s", n, r.status, r.replica, r.body)
		}
		if r.decision["served"] != "" && n >= 60 {
			retried++
		}
		time.Sleep(100 * time.Millisecond)
	}
	if retried > 8 {
		t.Errorf("of the last 20 requests %d were tried at the server that is gone, want probes alone, of four ranks", retried)
	}
}
