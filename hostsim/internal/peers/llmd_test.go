package peers

import (
	"fmt"
	"testing"

	"warmroute/hostsim/internal/vllm"
)

// Of replicas that match four fifths the one with the least to compute is taken, until it has 18 s more of it than another.
func TestLLMDSticky(t *testing.T) {
	e := engine(t, "llmd_sticky", 3)
	e.Calibrate(1000)
	home, reason, first := send(t, e, "", text("hot", 4000))
	if reason != "by_load" {
		t.Errorf("a new prompt: %s", reason)
	}
	first.Chunk(nil, true)
	if replica, reason, _ := send(t, e, "", text("hot", 4000)+text("own", 900)); replica != home || reason != "match" {
		t.Errorf("81 %% in common: went to %d (%s), was at %d", replica, reason, home)
	}
	tokens := e.policy.(*llmdSticky).tokens
	tokens[0], tokens[1], tokens[2] = 0, 0, 0
	tokens[home] = 18_000
	if replica, reason, _ := send(t, e, "", text("hot", 4000)); replica != home || reason != "match" {
		t.Errorf("18 s to compute there: went to %d (%s), was at %d", replica, reason, home)
	}
	tokens[home] = 18_001
	replica, reason, last := send(t, e, "", text("hot", 4000))
	if replica == home || reason != "relieved" {
		t.Errorf("more than 18 s: went to %d (%s), was at %d", replica, reason, home)
	}
	before, own := tokens[replica], last.request.tokens
	last.Chunk([]byte("first"), false)
	last.Chunk(nil, true)
	if got := before - tokens[replica]; got != own || own < 4000 {
		t.Errorf("its first token took %d tokens off the load, want its %d", got, own)
	}
	for i := range tokens {
		tokens[i] = 0
	}
	tokens[home], tokens[replica] = 4100, 4100
	if third, reason, _ := send(t, e, "", text("hot", 4000)+text("mine", 1500)); third == home || third == replica || reason != "by_load" {
		t.Errorf("68 %% in common, more of a queue than that there: went to %d (%s), was at %d", third, reason, home)
	}
}

// By KV events a replica holds what they say, and for two seconds what was sent there; new prompts take turns.
func TestLLMDPrecise(t *testing.T) {
	e := engine(t, "llmd_precise", 4)
	e.Advance(1)
	home, _, _ := send(t, e, "", text("hot", 400))
	for range 3 {
		if replica, reason, _ := send(t, e, "", text("hot", 400)); replica != home || reason != "match" {
			t.Errorf("at once: went to %d (%s), was at %d", replica, reason, home)
		}
	}
	e.Advance(2e9 + 2)
	seen := map[int]bool{home: true}
	for i := range 3 {
		replica, reason, _ := send(t, e, "", text(fmt.Sprint("new", i), 400))
		if seen[replica] || reason != "by_load" {
			t.Errorf("new prompt %d: went to %d (%s), as another did", i, replica, reason)
		}
		seen[replica] = true
	}
	if replica, reason, _ := send(t, e, "", text("hot", 400)); replica != home || reason != "by_load" {
		t.Errorf("after two seconds without an event it counts as new, and %d's turn is the next: went to %d (%s)", home, replica, reason)
	}
	e.Advance(5e9)
	if n := len(e.policy.(*llmdPrecise).sent[home]); n > 0 {
		t.Errorf("%d blocks of what was sent are still counted", n)
	}
	held := caches{e.members[3].address: {}}
	for _, b := range blocksOf(text("hot", 400)) {
		held[e.members[3].address][b] = true
	}
	e.Hear(16, held.held)
	if replica, reason, _ := send(t, e, "", text("hot", 400)); replica != 3 || reason != "match" {
		t.Errorf("3 holds it: went to %d (%s)", replica, reason)
	}
	e.Scraped(e.members[3].address, vllm.Stats{Waiting: 9, UsedBlocks: 90, Blocks: 100})
	if replica, reason, _ := send(t, e, "", text("hot", 400)); replica == 3 || reason != "relieved" {
		t.Errorf("a queue and no memory there: went to %d (%s)", replica, reason)
	}
	e.Watch(nil, []string{e.members[0].address})
	send(t, e, "", text("hot", 400))
	e.Advance(9e9)
}
