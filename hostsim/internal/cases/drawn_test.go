package cases

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"warmroute/hostsim/internal/loads"
	"warmroute/hostsim/internal/vllm"
)

// alike says of the cases of one draw whether few of them are the same.
func alike(t *testing.T, all, few []Case) {
	t.Helper()
	for i, c := range few {
		if c.What != all[i].What {
			t.Errorf("%s: %s; of %d %s", all[i].ID, all[i].What, len(few), c.What)
		}
	}
}

func TestDrawnCases(t *testing.T) {
	few, many, others := Drawn(5, 1), Drawn(40, 1), Drawn(5, 2)
	for i, want := range []string{
		"4 × l40sx4-llama70b, one 1.6 × slower, 72990 KV tokens; 100 % chats of 3824 + 112 tokens, 42 % begin alike, 1.7 turns, answers of 54; load 0.99; named",
		"4 × l4x2-llama8b, 130611 KV tokens; 100 % one prompt of 866 + 198 tokens, 77 % begin alike, answers of 40; load 0.28, bursts 2; 4 workers; turns wait for answers",
	} {
		if many[i].What != want { // docs/league-drawn.md has figures of these cases
			t.Errorf("%s is now %s; was %s", many[i].ID, many[i].What, want)
		}
	}
	for _, name := range drawnProfiles {
		if _, err := vllm.LoadProfile(name); err != nil {
			t.Error(err)
		}
	}
	kinds, alone := map[string]bool{}, 0
	for i := range many {
		c := &many[i]
		if i < len(few) && (few[i].ID != c.ID || few[i].What != c.What || others[i].What == c.What) {
			t.Errorf("%s: %s; of five %s; of another seed %s", c.ID, c.What, few[i].What, others[i].What)
		}
		if c.Published {
			continue // the folder is not in the repository
		}
		one, err := c.Options("", 1)
		if err != nil {
			t.Fatalf("%s, %s: %v", c.ID, c.What, err)
		}
		again, _ := c.Options("", 1)
		other, _ := c.Options("", 2)
		if !reflect.DeepEqual(one.Trace, again.Trace) || same(one.Trace, other.Trace) {
			t.Errorf("%s: seed 1 is drawn the same again: %v; as seed 2: %v", c.ID, reflect.DeepEqual(one.Trace, again.Trace), same(one.Trace, other.Trace))
		}
		n := len(one.Trace.Requests)
		if n < 200 || n > drawnRequests+200 {
			t.Errorf("%s, %s: %d requests", c.ID, c.What, n)
		}
		if one.Replicas == 1 {
			alone++
		}
		kinds[one.Profile.Name] = true
	}
	if len(kinds) < 10 || alone > 8 {
		t.Errorf("%d profiles, %d cases of one replica", len(kinds), alone)
	}
}

// The load is what is asked for: at .5 of it a replica is busy for half of the time, or less where more than half is cached.
func TestDrawnLoad(t *testing.T) {
	p, err := profile("h100-8b")()
	if err != nil {
		t.Fatal(err)
	}
	f := family{kind: "strangers", share: 1, prefixes: 1, prefix: 2000, turns: 1, turn: 100, answer: 50, think: 1}
	l := &drawnLoad{families: []family{f}, load: 0.5, bursts: 2, replicas: 2, kvTokens: 100_000, profile: p, slower: []float64{2}}
	tr, err := l.trace(&loads.Drawing{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	last := float64(tr.Requests[len(tr.Requests)-1].At)
	if whole := l.work(tr, &p); math.Abs(last/(whole/1.5/0.5)-1) > 0.2 {
		t.Errorf("comes in %.0f s; one replica takes %.0f s, and there is one and one of half the speed", last/1e9, whole/1e9)
	}
}

func TestHyperexponential(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, c := range []float64{1, 2, 4} {
		const n = 200_000
		sum, squares := 0.0, 0.0
		for range n {
			x := hyperexponential(rng, c)
			sum, squares = sum+x, squares+x*x
		}
		mean := sum / n
		if got := math.Sqrt(squares/n-mean*mean) / mean; math.Abs(mean-1) > 0.1 || math.Abs(got-c) > 0.15*c {
			t.Errorf("mean %.3f, variation %.2f; want 1, %g", mean, got, c)
		}
	}
}

// A case with clients that hang up is the drawn one but for that.
func TestDrawnHangUps(t *testing.T) {
	usual, all := Drawn(40, 3), DrawnHangUps(40, 3)
	alike(t, all, DrawnHangUps(5, 3))
	least, most := 1.0, 0.0
	for i, c := range all {
		h := c.HangUps
		if h.Share < 0.05 || h.Share > 0.6 || h.After < 1e8 || h.After > 1e10 || !strings.HasPrefix(c.What, usual[i].What+"; ") || c.ID != fmt.Sprintf("hangup-3-%d", i+1) {
			t.Errorf("%s: %s: %+v; %s", c.ID, c.What, h, usual[i].What)
		}
		least, most = min(least, h.Share), max(most, h.Share)
		if c.Published {
			continue
		}
		if o, err := c.Options("", 1); err != nil || o.HangUps != h {
			t.Errorf("%s: %+v, %v", c.ID, o.HangUps, err)
		}
	}
	if least > 0.1 || most < 0.4 {
		t.Errorf("%.2f to %.2f hang up", least, most)
	}
}
