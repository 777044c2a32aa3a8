package peers

import (
	"strings"
	"testing"

	"warmroute/hostsim/internal/vllm"
)

// Each turn is a block, or several of 1,024 tokens; of a long conversation the first 32 are seen.
func TestHigressBlocks(t *testing.T) {
	e := engine(t, "higress", 2)
	h := e.policy.(*higress)
	send(t, e, strings.Repeat("s", 4*1024+400), strings.Repeat("u", 400))
	var got []int
	for _, s := range h.chain {
		got = append(got, s.tokens)
	}
	if len(got) != 3 || got[0] != 1024 || got[1] < 100 || got[1] > 104 || got[2] < 100 || got[2] > 104 {
		t.Errorf("blocks of %v tokens, want 1,024 and the rest of the system prompt, and the user's turn", got)
	}
	send(t, e, strings.Repeat("s", 40*4*1024), "u")
	if len(h.chain) != 32 {
		t.Errorf("%d blocks, want 32", len(h.chain))
	}
}

// A match is left where queue, memory and requests in flight speak against it together.
func TestHigress(t *testing.T) {
	e := engine(t, "higress", 2)
	if e.ScrapeEvery() != 250e6 {
		t.Errorf("scraped every %d ns", e.ScrapeEvery())
	}
	home, _, _ := send(t, e, "", text("hot", 100))
	if replica, reason, _ := send(t, e, "", text("hot", 100)); replica != home || reason != "match" {
		t.Errorf("one more in flight: went to %d (%s), was at %d", replica, reason, home)
	}
	e.Scraped(e.members[home].address, vllm.Stats{Waiting: 9, UsedBlocks: 20, Blocks: 100, BlockSize: 16})
	if replica, reason, _ := send(t, e, "", text("hot", 100)); replica == home || reason != "relieved" {
		t.Errorf("a queue, and more in flight: stayed at %d (%s)", replica, reason)
	}
}

// What was sent is forgotten by last use, the end of a prompt first, as a replica of so many blocks would.
func TestWeighted(t *testing.T) {
	w := newWeighted(10)
	long := []segment{{1, 64}, {2, 64}, {3, 20}}
	w.send(long, 16)
	if got := w.matched(long); got != 148 || w.used != 10 {
		t.Errorf("%d tokens match, %d blocks; want all of 148, 10", got, w.used)
	}
	w.send([]segment{{9, 16}}, 16)
	if got := w.matched(long); got != 128 {
		t.Errorf("%d tokens match after one more block, want 128", got)
	}
	w.bound(5)
	if got := w.matched(long); got != 64 || w.used != 5 {
		t.Errorf("%d tokens match, %d blocks; want 64 and 5 where there is room for 5", got, w.used)
	}
}
