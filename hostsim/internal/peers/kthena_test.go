package peers

import (
	"testing"

	"warmroute/hostsim/internal/vllm"
)

// Match, requests, memory and times weigh the same; where ten requests wait, no more are sent.
func TestKthena(t *testing.T) {
	e := engine(t, "kthena", 2)
	if e.ScrapeEvery() != 1e9 {
		t.Errorf("scraped every %d ns", e.ScrapeEvery())
	}
	home, _, _ := send(t, e, "", text("hot", 100))
	other := 1 - home
	page := func(replica int, s vllm.Stats) {
		s.Blocks, s.BlockSize = 100, 16
		e.Scraped(e.members[replica].address, s)
	}
	page(home, vllm.Stats{Running: 9, UsedBlocks: 0})
	page(other, vllm.Stats{Running: 1})
	if replica, reason, _ := send(t, e, "", text("hot", 100)); replica != home || reason != "match" { // 100 and 0 against 0 and 88
		t.Errorf("nine requests: went to %d (%s), was at %d", replica, reason, home)
	}
	page(home, vllm.Stats{Running: 9, UsedBlocks: 50})
	if replica, reason, _ := send(t, e, "", text("hot", 100)+text("own", 500)); replica == home || reason != "relieved" {
		t.Errorf("nine requests, half of the memory: stayed at %d (%s)", replica, reason)
	}
	page(home, vllm.Stats{Waiting: 10})
	page(other, vllm.Stats{Waiting: 9, UsedBlocks: 100})
	if replica, _, _ := send(t, e, "", text("cold", 100)); replica == home {
		t.Errorf("went to %d, where ten wait", replica)
	}
}

// The times of the last second are the mean until first tokens, and running requests ÷ tokens.
func TestKthenaTimes(t *testing.T) {
	e := engine(t, "kthena", 2)
	e.Advance(1e9)
	home, _, ticket := send(t, e, "", text("hot", 100))
	e.Advance(3e9)
	ticket.Chunk([]byte("first"), false)
	ticket.Chunk(nil, true)
	e.Scraped(e.members[home].address, vllm.Stats{Running: 4, GeneratedTokens: 200, Blocks: 100})
	p := e.policy.(*kthena).pages[home]
	if p.ttft != 2 || p.perToken != 0.02 {
		t.Errorf("%g s to the first token, %g s a token; want 2 and .02", p.ttft, p.perToken)
	}
	e.Scraped(e.members[home].address, vllm.Stats{GeneratedTokens: 200, Blocks: 100})
	if p := e.policy.(*kthena).pages[home]; p.ttft != 2 || p.perToken != 0.02 {
		t.Errorf("%g and %g after a second without requests; want them to stay", p.ttft, p.perToken)
	}
	e.Watch(nil, []string{e.members[0].address})
	send(t, e, "", text("hot", 100))
}
