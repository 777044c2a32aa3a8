package faults

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"warmroute/hostsim/internal/host"
)

// chats is the path of chat completions.
const chats = "/v1/chat/completions"

// An Event is one thing that happens. What A and B mean depends on the kind; every event can happen in every state, so a
// schedule with some of its events left out is one as well.
type Event struct {
	Kind Kind
	A, B int
}

// Kind is what happens.
type Kind uint8

const (
	Begin   Kind = iota // a client begins request A; B is how it sends it
	Go                  // A steps of the B-th request under way
	Leave               // the client of the A-th request under way hangs up
	Wait                // A milliseconds go by
	Change              // replica A takes Mode B
	Clock               // the proxy's clock is set to differ by A ms
	Pages               // the pages of metrics are of kind A from now on
	Members             // discovery reports A replicas
	kinds
)

func (e Event) String() string {
	return fmt.Sprintf("%s(%d, %d)", [...]string{"begin", "go", "leave", "wait", "change", "clock", "pages", "members"}[e.Kind], e.A, e.B)
}

// Schedule is a world and what happens in it.
type Schedule struct {
	Options
	Events []Event
}

var policies = []string{"cache_aware", "expected_ttft", "lru_match", "prefix_hash", "prefix_key", "session_affinity", "round_robin",
	"join_shortest_queue", "power_of_two", "random"}

// Draw makes the schedule of a seed.
func Draw(seed uint64) Schedule {
	r := rand.New(rand.NewPCG(seed, 18))
	s := Schedule{Options: Options{Workers: 1 + r.IntN(3), Replicas: 1 + r.IntN(6), CacheTokens: 1 << (12 + r.IntN(6)), Seed: seed, Discover: r.IntN(3) == 0}}
	if r.IntN(8) == 0 {
		s.Workers = 8
	}
	s.Plugin = fmt.Sprintf(`"policy":%q,"max_inspecting":%d,"index_bytes":%d`, policies[r.IntN(len(policies))], 1+r.IntN(40), 1<<(18+r.IntN(5)))
	if r.IntN(4) == 0 {
		s.Plugin += `,"shadow":"round_robin","response_header":"x-decision"`
	}
	if s.Discover {
		s.Replicas = 16
	}
	for range 40 + r.IntN(120) {
		e := Event{Kind: []Kind{Begin, Begin, Begin, Go, Go, Go, Go, Go, Wait, Wait, Leave, Change, Clock, Pages, Members}[r.IntN(15)], A: r.IntN(1 << 16), B: r.IntN(1 << 16)}
		switch e.Kind {
		case Go:
			e.A = 1 + e.A%20
		case Wait:
			e.A = []int{1, 20, 300, 1100, 20, 300, 6000, 1100, 1, 20, 300, 70_000}[e.A%12]
		case Clock:
			e.A = []int{0, 0, -3_600_000, 3_600_000, -5000, 5000}[e.A%6] * []int{1, 1, 1, 700}[e.B%4]
		case Members:
			e.A = []int{0, 1, 3, 3, 12, 16}[e.A%6]
		}
		s.Events = append(s.Events, e)
	}
	s.Plugin += options(r, strings.Contains(s.Plugin, "lru_match"))
	s.Start = 1_767_225_600e9 + int64(r.IntN(2400))*3600e9 // times of 32 bits wrap around each 78 hours, or 50 days
	return s
}

// options are settings that few configurations have. lru_match goes with no experiment.
func options(r *rand.Rand, lruMatch bool) (text string) {
	for _, option := range []string{
		`"hold_limit":"2s"`, `"slow_start":"20s"`, `"record":true`, `"scan_bytes":70000`, `"decide_timeout":"50ms"`, `"block_bytes":16`, `"tenant_header":"x-session-id"`,
		`"experiment":{"share":0.5,"policy":"expected_ttft"}`, `"experiment":{"share":0.3,"window":"700ms"}`,
	} {
		if r.IntN(6) == 0 && !(strings.Contains(option, "experiment") && (lruMatch || strings.Contains(text, "experiment"))) {
			text += "," + option
		}
	}
	return text
}

// Play plays the schedule and returns what went wrong; nothing if all is as it should be.
func (s Schedule) Play(ctx context.Context, module *host.Module) (faults []string, err error) {
	p := &player{members: s.Replicas}
	if p.World, err = New(ctx, module, s.Options); err != nil {
		return nil, err
	}
	defer p.Proxy.Close()
	p.Admin = p.admin
	p.Pass(3e9)
	for _, e := range s.Events {
		p.play(e)
	}
	p.rest()
	return p.faults, nil
}

// Minimise leaves out of a failing schedule all events that it does not need to fail.
func (s Schedule) Minimise(ctx context.Context, module *host.Module) Schedule {
	fails := func(events []Event) bool {
		s := s
		s.Events = events
		faults, err := s.Play(ctx, module)
		return err != nil || len(faults) > 0
	}
	for size := len(s.Events) / 2; size > 0; size /= 2 {
		for at := 0; at < len(s.Events); {
			end := min(at+size, len(s.Events))
			if fewer := slices.Concat(s.Events[:at], s.Events[end:]); fails(fewer) {
				s.Events = fewer
			} else {
				at = end
			}
		}
	}
	return s
}
