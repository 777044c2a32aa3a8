package peers

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"warmroute/hostsim/internal/router"
	"warmroute/hostsim/internal/vllm"
	"warmroute/plugin/prompt"
)

func engine(t *testing.T, name string, replicas int) *Engine {
	t.Helper()
	var addresses []string
	for i := range replicas {
		addresses = append(addresses, fmt.Sprintf("10.0.0.%d:8000", i+1))
	}
	text, err := json.Marshal(map[string]any{"policy": Prefix + name, "endpoints": addresses, "seed": 3})
	if err != nil {
		t.Fatal(err)
	}
	if !Is(text) {
		t.Fatalf("%s is not taken for a peer", text)
	}
	e, err := New(text)
	if err != nil {
		t.Fatal(err)
	}
	e.Hear(16, caches{}.held)
	return e
}

// caches are what replicas hold: blocks by address.
type caches map[string]map[uint64]bool

func (c caches) held(address string, blocks []uint64) (held, inHost int) {
	for held < len(blocks) && c[address][blocks[held]] {
		held++
	}
	return held, 0
}

// blocksOf are a prompt's, of 16 tokens.
func blocksOf(text string) []uint64 {
	k := known{size: 16 * 4}
	k.read(prompted(text), 0)
	return k.chain
}

// prompted is a prompt of that text.
func prompted(text string) *shown { return &shown{Prompt: prompt.Prompt{Text: []byte(text)}} }

// send routes a chat and says where it went and why; it stays in flight until the ticket ends.
func send(t *testing.T, e *Engine, system, user string) (replica int, reason string, under *ticket) {
	t.Helper()
	body, err := json.Marshal(map[string]any{"model": "m", "messages": []map[string]string{
		{"role": "system", "content": system}, {"role": "user", "content": user}}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := e.Begin(0, &router.Request{Path: "/v1/chat/completions", Body: body, Blocks: blocksOf(system + user)})
	if err != nil {
		t.Fatal(err)
	}
	under = got.(*ticket)
	return under.member.place, under.reason, under
}

func text(seed string, n int) string { return strings.Repeat(seed+" ", n) }

func TestEachSendsTheSameWhereItWas(t *testing.T) {
	for _, name := range Names() {
		if name == "kubeai_least_load" || name == "smetric" { // which sends first turns by load
			continue
		}
		e, stored := engine(t, name, 4), caches{}
		e.Hear(16, stored.held)
		home, _, first := send(t, e, "", text("alpha", 400))
		first.Chunk(nil, true)
		stored[first.member.address] = map[uint64]bool{}
		for _, b := range first.request.blocks {
			stored[first.member.address][b] = true
		}
		for range 5 {
			replica, reason, ticket := send(t, e, "", text("alpha", 400))
			if replica != home {
				t.Errorf("%s: went to %d (%s), was at %d", name, replica, reason, home)
			}
			ticket.Chunk(nil, true)
			ticket.Chunk(nil, true) // a second end counts nothing
		}
		for i, n := range e.inFlight {
			if n != 0 {
				t.Errorf("%s: %d in flight at %d at the end", name, n, i)
			}
		}
	}
}

func TestLeastLoad(t *testing.T) {
	e := engine(t, "kubeai_least_load", 3)
	seen := map[int]bool{}
	for range 3 {
		replica, _, _ := send(t, e, "", "x")
		seen[replica] = true
	}
	if len(seen) != 3 {
		t.Errorf("three requests at once are at %v, want one at each of three", seen)
	}
}

// KubeAI goes by the first user message, not by the system prompt, and leaves a replica above the bound.
func TestKubeAI(t *testing.T) {
	e := engine(t, "kubeai", 8)
	seen := map[int]bool{}
	for i := range 20 {
		replica, _, ticket := send(t, e, text("common", 100), fmt.Sprintf("user %d asks %s", i, text("more", 40)))
		ticket.Chunk(nil, true)
		seen[replica] = true
	}
	if len(seen) < 4 {
		t.Errorf("20 users with one system prompt are at %d replicas", len(seen))
	}
	bounded := 0
	for range 16 {
		if _, reason, _ := send(t, e, "", text("hot", 100)); reason == "bounded" {
			bounded++
		}
	}
	counts := slices.Sorted(slices.Values(e.inFlight))
	for _, n := range counts[:7] {
		if n > 2 { // 1.25 × 16 ÷ 8 = 2.5
			t.Errorf("%v in flight", counts)
		}
	}
	if counts[7] != 6 || bounded != 10 { // of up to six 1.25 × 6 ÷ 8 is below 1: none may have one more, and all go to the first
		t.Errorf("16 of one prompt at once: %v in flight, %d bounded", counts, bounded)
	}
}

// SGLang leaves the match only where loads differ by more than 64.
func TestSGLang(t *testing.T) {
	e := engine(t, "sglang", 2)
	home, reason, _ := send(t, e, "", text("hot", 100))
	if reason != "by_load" {
		t.Errorf("a new prompt: %s", reason)
	}
	if replica, reason, _ := send(t, e, "", text("hot", 100)+text("own", 220)); replica != home || reason != "match" {
		t.Errorf("31 %% in common: went to %d (%s), was at %d", replica, reason, home)
	}
	if replica, reason, _ := send(t, e, "", text("hot", 100)+text("mine", 280)); replica == home || reason != "by_load" {
		t.Errorf("22 %% in common: went to %d (%s), where more are in flight", replica, reason)
	}
	e.inFlight[1-home] = 0
	for range 63 {
		if replica, _, _ := send(t, e, "", text("hot", 100)); replica != home {
			t.Errorf("left with %v in flight", e.inFlight)
		}
	}
	if replica, reason, _ := send(t, e, "", text("hot", 100)); replica == home || reason != "by_load" {
		t.Errorf("stayed (%s) with %v in flight", reason, e.inFlight)
	}
}

// Its lmetric weighs the characters to compute by the requests in flight.
func TestSGLangLMetric(t *testing.T) {
	e := engine(t, "sglang_lmetric", 2)
	home, _, _ := send(t, e, "", text("hot", 300))
	for i, want := range []struct {
		more  int
		stays bool
	}{{2, true}, {6, false}} {
		e.inFlight[home], e.inFlight[1-home] = want.more, 0
		replica, reason, _ := send(t, e, "", text("hot", 300)+text(fmt.Sprint("own", i), 60)) // a fifth to compute
		if stays := replica == home; stays != want.stays || stays != (reason == "match") {
			t.Errorf("%d more in flight: went to %d (%s), was at %d", want.more, replica, reason, home)
		}
	}
}

// The router of llm-d leaves a match where queue and memory speak against it together.
func TestLLMD(t *testing.T) {
	e := engine(t, "llmd", 2)
	home, _, _ := send(t, e, "", text("hot", 100))
	e.Scraped(e.members[home].address, vllm.Stats{Waiting: 9, UsedBlocks: 20, Blocks: 100})
	if replica, reason, _ := send(t, e, "", text("hot", 100)); replica != home || reason != "match" {
		t.Errorf("queue alone: went to %d (%s), was at %d", replica, reason, home)
	}
	e.Scraped(e.members[home].address, vllm.Stats{Waiting: 9, UsedBlocks: 90, Blocks: 100})
	if replica, reason, _ := send(t, e, "", text("hot", 100)); replica == home || reason != "relieved" {
		t.Errorf("queue and memory: stayed at %d (%s)", replica, reason)
	}
	if e.ScrapeEvery() != 50e6 {
		t.Errorf("scraped every %d ns", e.ScrapeEvery())
	}
}

// What it matches goes far beyond the 16,384 characters of 0.8, in the replicas' own blocks where those are long.
func TestLLMDMatchesLongPrompts(t *testing.T) {
	e := engine(t, "llmd", 2)
	common := text("common", 16384/7) // "common " is seven characters
	home, _, _ := send(t, e, common, "first")
	e.Scraped(e.members[home].address, vllm.Stats{UsedBlocks: 50, Blocks: 100})
	if replica, reason, _ := send(t, e, common, text("second", 10_000)); replica == home || reason != "relieved" {
		t.Errorf("a fifth in common: went to %d (%s), was at %d", replica, reason, home)
	}
	e.Scraped(e.members[home].address, vllm.Stats{Blocks: 3000, BlockSize: 512})
	if k := e.policy.(*llmd).known; k.size != 2048 || k.capacity != 3000 {
		t.Errorf("blocks of %d characters, %d of them; want the replica's 512 tokens and 3000", k.size, k.capacity)
	}
}

// loadaware of production-stack weighs the share that matches against how far a replica is above the mean.
func TestLoadAware(t *testing.T) {
	for _, c := range []struct{ own, leaves int }{{0, 2}, {6000, 1}} { // words of its own; requests more than the mean
		e := engine(t, "load_aware", 4)
		home, reason, _ := send(t, e, "", text("common", 3000))
		if reason != "by_load" {
			t.Errorf("a new prompt: %s", reason)
		}
		for more := range 4 {
			e.inFlight = []int{4, 4, 4, 4}
			e.inFlight[home], e.inFlight[(home+1)%4] = 4+more, 4-more
			replica, reason, _ := send(t, e, "", text("common", 3000)+text(fmt.Sprint("own", more), c.own))
			if more < c.leaves && (replica != home || reason != "match") || more == c.leaves && (replica == home || reason != "relieved") {
				t.Errorf("%d words of its own, %d above a mean of 4: went to %d (%s), was at %d", c.own, more, replica, reason, home)
			}
		}
		// What is new goes where least was sent in the last minute only.
		if replica, reason, _ := send(t, e, "", text("new", 3000)); replica == home || reason != "by_load" {
			t.Errorf("a new prompt went to %d (%s), where most were sent", replica, reason)
		}
		e.Advance(61e9)
		send(t, e, "", text("newer", 3000))
		sent := 0
		for _, times := range e.policy.(*loadAware).sent {
			sent += len(times)
		}
		if sent != 1 {
			t.Errorf("%d requests in the last minute, want 1", sent)
		}
		e.Scraped(e.members[home].address, vllm.Stats{Blocks: 3000, BlockSize: 512})
		if got := e.policy.(*loadAware).known.capacity; got != 6000 {
			t.Errorf("%d chunks of 256 tokens held, want 6000", got)
		}
	}
}

// production-stack draws all that share a beginning to one replica, whatever its load: issue 957.
func TestProductionStack(t *testing.T) {
	e := engine(t, "production_stack", 4)
	home, _, _ := send(t, e, text("common", 50), "a")
	for i := range 100 {
		if replica, _, _ := send(t, e, text("common", 50), fmt.Sprint("user ", i)); replica != home {
			t.Fatalf("request %d went to %d, the others to %d", i, replica, home)
		}
	}
}

func TestAIBrix(t *testing.T) {
	e := engine(t, "aibrix", 4)
	home, reason, _ := send(t, e, "", text("hot", 100))
	if reason != "by_load" {
		t.Errorf("a new prompt: %s", reason)
	}
	reasons := map[string]int{}
	for range 80 {
		_, reason, _ := send(t, e, "", text("hot", 100))
		reasons[reason]++
	}
	if most := e.inFlight[home]; most > 40 || reasons["match"] == 0 {
		t.Errorf("81 of one prompt at once: %v in flight, %v", e.inFlight, reasons)
	}
}

func TestNewRefuses(t *testing.T) {
	for _, bad := range []string{`{"policy":"peer:none","endpoints":["10.0.0.1:80"]}`, `{`, `{"policy":"peer:kubeai","endpoints":["x"]}`} {
		if _, err := New([]byte(bad)); err == nil {
			t.Errorf("%s: no error", bad)
		}
	}
	if Is([]byte(`{"policy":"cache_aware"}`)) {
		t.Error("cache_aware is taken for a peer")
	}
	for _, name := range Names() {
		if !strings.Contains(About(Prefix+name), "Read: ") {
			t.Errorf("%s does not say what was read", name)
		}
	}
}
