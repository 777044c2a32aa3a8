package replay

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"warmroute/hostsim/internal/ours"
	"warmroute/hostsim/internal/peers"
	"warmroute/hostsim/internal/router"
	"warmroute/hostsim/internal/trace"
)

// Runs that go on together see what each would see alone: of block ids and of bodies, in open and closed loops.
func TestTogetherIsAsAlone(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*Options){
		"open":   func(*Options) {},
		"closed": func(o *Options) { o.Closed = true },
		"bodies": func(o *Options) {
			lines := ""
			for i := range 40 {
				lines += fmt.Sprintf(`{"t":%d,"session":"%d","body":{"messages":[{"role":"user","content":"%0900d"}],"max_tokens":5},"output_tokens":5}`, i/4, i%7, i%3) + "\n"
			}
			var err error
			if o.Trace, err = trace.Read(strings.NewReader(lines), "x", trace.Options{Format: trace.OpenAI}); err != nil {
				t.Fatal(err)
			}
		},
	} {
		var all []Options
		for _, policy := range []string{"cache_aware", "session_affinity", "peer:sglang", "peer:kubeai", "peer:dynamo", "peer:llmd_precise", "peer:smetric"} {
			o := replayOptions(t, policy)
			o.NameSessions = policy == "session_affinity"
			o.Engine = func(configuration []byte, workers int) (router.Engine, error) {
				if peers.Is(configuration) {
					return peers.New(configuration)
				}
				return ours.NewNative(configuration, workers)
			}
			change(&o)
			all = append(all, o)
		}
		together(context.Background(), all, 7, func(i int, r *Result, err error, _ time.Duration) {
			alone, errAlone := Run(context.Background(), all[i])
			if err != nil || errAlone != nil {
				t.Fatal(name, err, errAlone)
			}
			got, _ := json.Marshal(r)
			want, _ := json.Marshal(alone)
			if string(got) != string(want) {
				t.Errorf("%s, %s: together\n%.400s\nalone\n%.400s", name, all[i].Policy, got, want)
			}
		})
	}
}

// A request is made once for all runs that take it, is written over once all have, and is made anew where there is no room to keep it.
func TestWorksAreMadeOnce(t *testing.T) {
	o := replayOptions(t, "random")
	plan, err := newPlan(&o)
	if err != nil {
		t.Fatal(err)
	}
	take := func(w *works, i int) *made {
		m, err := w.take(i)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	w := newWorks(&o, plan)
	w.runs = 2
	first := take(w, 0)
	w.give(first)
	other := take(w, 1)
	if w.give(other); other == first || w.bytes != len(first.shown.Body)+len(other.shown.Body) {
		t.Fatalf("%d bytes are kept", w.bytes)
	}
	second := take(w, 0)
	if w.give(second); second != first || len(w.made) != 1 {
		t.Fatalf("taken again: %v, %d are kept", second == first, len(w.made))
	}
	if third := take(w, 2); third != first || third.index != 2 {
		t.Error("nothing is written over")
	}
	w = newWorks(&o, plan)
	w.runs, w.room = 3, 0
	for range 3 {
		w.give(take(w, 0))
	}
	if len(w.made) != 0 || w.bytes != 0 {
		t.Errorf("%d are kept where there is no room", len(w.made))
	}
}
