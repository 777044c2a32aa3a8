package study

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"warmroute/hostsim/internal/contender"
	"warmroute/hostsim/internal/loads"
	"warmroute/hostsim/internal/replay"
	"warmroute/hostsim/internal/trace"
	"warmroute/hostsim/internal/vllm"
)

// instants are answers that took nothing to compute.
var instants = map[string]replay.Instant{
	"404":    {Status: 404, Type: "application/json", Body: `{"error":{"code":404}}`},
	"500":    {Status: 500, Type: "application/json", Body: `{"error":{"code":500}}`},
	"empty":  {Status: 200, Type: "text/event-stream"},
	"done":   {Status: 200, Type: "text/event-stream", Body: "data: [DONE]\n\n"},
	"role":   {Status: 200, Type: "text/event-stream", Body: "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\ndata: [DONE]\n\n"},
	"event":  {Status: 200, Type: "text/event-stream", Body: "data: {\"error\":{\"message\":\"no\",\"code\":500}}\n\ndata: [DONE]\n\n"},
	"object": {Status: 200, Type: "application/json", Body: `{"error":{"message":"no","code":500}}`},
}

// chats are a load of our own at which round_robin is as busy as that share of its capacity.
func chats(t *testing.T, load float64, replicas int) replay.Options {
	p, err := vllm.LoadProfile("h100-8b")
	if err != nil {
		t.Fatal(err)
	}
	m := loads.Usual
	m.Reuse, m.Turns, m.Prefixes, m.Load, m.Requests = 0.3, 2, 8, 1.5*load, int(1250*load)*replicas
	return replay.Options{Trace: m.Trace(1, replicas, p), Replicas: replicas, Profile: p}
}

// sessions are recorded ones.
func sessions(t *testing.T, file string, replicas, limit int) replay.Options {
	p, err := vllm.LoadProfile("h100-8b")
	if err != nil {
		t.Fatal(err)
	}
	o := replay.Options{Replicas: replicas, Speed: float64(replicas) / 8}
	if file == loads.CodingFile {
		o.Speed = 1
	}
	if o.Trace, err = trace.Open(filepath.Join(os.Getenv("WARMROUTE_TRACES"), file), trace.Options{Model: vllm.DefaultModel, Limit: limit * replicas}); err != nil {
		t.Fatal(err)
	}
	if o.Profile, err = replay.Fit(p, o.Trace, 3000*512); err != nil {
		t.Fatal(err)
	}
	return o
}

// draws is the share of requests, and of new prompts (a session's first), that come to a replica which answers at once from the twentieth
// second on.
func draws(t *testing.T, o replay.Options, policy string, workers int, h replay.Hole) (all, fresh float64) {
	o.Policy, o.Workers, o.Gateways, o.Seed, o.Detail, o.Engine, o.Scrape = policy, workers, 1, 1, true, contender.Native, time.Second
	if o.Speed == 0 {
		o.Speed = 1
	}
	h.Replica, h.From = 1, 20*time.Second
	o.Hole = h
	r, err := replay.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	var of, at [2]float64
	for i, s := range r.Served {
		if s.Queued < int64(h.From) {
			continue
		}
		for k, counts := range [2]bool{true, o.Trace.Requests[i].After < 0} {
			if counts {
				of[k]++
				if s.Replica == h.Replica {
					at[k]++
				}
			}
		}
	}
	return at[0] / of[0], at[1] / of[1]
}

// A replica that answers at once and computes nothing draws far less than its share, however it does so. WARMROUTE_LONG=1 prints the table of
// docs/rule-trials.md.
func TestHolesDrawLittle(t *testing.T) {
	long := os.Getenv("WARMROUTE_LONG") != ""
	kinds := []string{"404", "500", "empty", "done", "role", "event", "object"}
	for _, replicas := range []int{8, 3} {
		for _, load := range []float64{.3, .6, .9} {
			if !long && (load == .3 || replicas == 3 && load == .9) {
				continue
			}
			o := chats(t, load, replicas)
			for _, kind := range kinds {
				all, fresh := draws(t, o, contender.Default, 1, replay.Hole{Answer: instants[kind], Share: 1})
				if fair := 1 / float64(replicas); all > fair/4 || fresh > fair/3 {
					t.Errorf("%d replicas, load %v, %s: it draws %.3f of all, %.3f of new prompts; its share is %.3f", replicas, load, kind, all, fresh, fair)
				}
			}
		}
	}
	if !long {
		return
	}
	for _, replicas := range []int{8, 3} {
		for _, c := range []struct {
			name string
			o    replay.Options
		}{
			{"chats .3", chats(t, .3, replicas)}, {"chats .6", chats(t, .6, replicas)}, {"chats .9", chats(t, .9, replicas)},
			{"conversations", sessions(t, loads.ConversationFile, replicas, 375)}, {"coding", sessions(t, loads.CodingFile, replicas, 15)},
		} {
			for _, policy := range []string{contender.Default, "join_shortest_queue", "round_robin"} {
				row := ""
				for _, kind := range []string{"404", "done", "500"} {
					for workers := 1; workers <= 2; workers++ {
						all, fresh := draws(t, c.o, policy, workers, replay.Hole{Answer: instants[kind], Share: 1})
						row += fmt.Sprintf(" %.3f, %.3f |", all, fresh)
					}
				}
				t.Logf("| %d | %s | %s |%s", replicas, c.name, policy, row)
			}
		}
	}
}

// One that refuses a half of its requests draws less than its share, also beside clients at fault.
func TestHalfHolesDrawLess(t *testing.T) {
	o := chats(t, .6, 8)
	for _, bad := range []float64{0, .3} {
		if all, fresh := draws(t, o, contender.Default, 1, replay.Hole{Answer: instants["404"], Share: .5, Bad: bad}); all > .1 || fresh > .12 {
			t.Errorf("with %v of the sessions bad it draws %.3f of all, %.3f of new prompts; its share is .125", bad, all, fresh)
		}
	}
}

// Clients whose requests every replica refuses, most of all requests, take traffic from none; nor do replicas that refuse when they are full.
func TestClientsAtFaultMoveNothing(t *testing.T) {
	for name, h := range map[string]replay.Hole{"a third": {Bad: .3}, "most": {Bad: .8}, "full replicas": {Limit: 10}} {
		o := chats(t, .9, 8)
		o.Policy, o.Workers, o.Gateways, o.Speed, o.Seed, o.Detail, o.Engine, o.Hole = contender.Default, 2, 1, 1, 1, true, contender.Native, h
		r, err := replay.Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		n := make([]int, 8)
		for _, s := range r.Served {
			if s.PromptTokens > 0 {
				n[s.Replica]++
			}
		}
		if least, most := slices.Min(n), slices.Max(n); 3*least < 2*most {
			t.Errorf("%s: of the answered requests the replicas have %v", name, n)
		}
	}
}
