package worker

import (
	"fmt"
	"strings"
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/decision"
	"warmroute/plugin/inspect"
	"warmroute/plugin/share/memstore"
)

// asked is the arm and the policy of a chat of a session, after turns of it.
func asked(t *testing.T, w *Worker, session string, turns int) (Arm, string) {
	t.Helper()
	body := `{"model":"m","messages":[{"role":"user","content":"` + session + `"}` + strings.Repeat(`,{"role":"assistant","content":"Yes."},{"role":"user","content":"And?"}`, turns) + `]}`
	x := new(Exchange)
	if verdict, code := x.Begin(w, &inspect.Head{Method: "POST", Path: "/v1/chat/completions", ContentType: "application/json", Length: len(body)}); verdict != inspect.Read {
		t.Fatalf("verdict %v, %s", verdict, code)
	}
	x.Write([]byte(body))
	if code := x.Decide(true, second); code != "" {
		t.Fatal(code)
	}
	defer x.End(second, false)
	return x.Arm(), x.Decision().Policy.String()
}

// A share of the sessions goes by the other policy; a session keeps its arm over its turns, in every worker, and while the
// share rises.
func TestExperiment(t *testing.T) {
	of := func(share float64) *Worker {
		return workerOf(t, fmt.Sprintf(`{"endpoints":["10.0.0.1:80","10.0.0.2:80"],"scrape":{"path":""},"experiment":{"share":%v,"policy":"round_robin"}}`, share), memstore.New())
	}
	low, high := of(0.2), of(0.6)
	counts := map[Arm]int{}
	for i := range 1000 {
		session := fmt.Sprint("This is session ", i)
		arm, policy := asked(t, low, session, 0)
		counts[arm]++
		if want := map[Arm]string{Live: "cache_aware", Experimental: "round_robin"}[arm]; policy != want {
			t.Fatalf("arm %v by %s, want %s", arm, policy, want)
		}
		if i < 50 {
			if later, _ := asked(t, of(0.2), session, 3); later != arm {
				t.Errorf("%s: the arm is %v, later %v", session, arm, later)
			}
			if more, _ := asked(t, high, session, 1); arm == Experimental && more != arm {
				t.Errorf("%s leaves the experiment while the share rises", session)
			}
		}
	}
	if n := counts[Experimental]; n < 150 || n > 250 || counts[NoArm] != 0 {
		t.Errorf("%v, want a fifth in the experiment", counts)
	}
	if arm, _ := asked(t, of(0), "Hello", 0); arm != NoArm {
		t.Errorf("without a share the arm is %v", arm)
	}
	if arm, _ := asked(t, of(1), "Hello", 0); arm != Experimental {
		t.Errorf("with all of it the arm is %v", arm)
	}
}

// By windows the policies take turns, at the same times in every worker; both arms are in each block, and what comes soon after a
// change is in neither.
func TestExperimentTakesTurns(t *testing.T) {
	const blocks, steps = 320, 400 // requests of a block of time
	of := func(share float64, seed uint64) *experiment {
		return newExperiment(&config.Config{Seed: seed, Pool: config.Pool{Experiment: config.Experiment{Share: share, Policy: config.PolicyRoundRobin, Window: 100 * second}}})
	}
	for _, share := range []float64{.5, .25, 1} {
		e, same, other := of(share, 0), of(share, 0), of(share, 1)
		begin := int64(1_767_225_600) * second / e.block * e.block
		differs, groups := 0, map[int]int{}
		for block := range blocks {
			counts := map[Arm]int{}
			byOther := 0
			for step := range steps {
				req := &decision.Request{Now: begin + int64(block)*e.block + int64(step)*e.block/steps}
				choice, arm, group := e.choose(0, req)
				counts[arm]++
				if choice != 0 {
					byOther++
				}
				if choice != 0 && arm == Live || choice == 0 && arm == Experimental {
					t.Fatalf("the arm %v by the choice %v", arm, choice)
				}
				if c, a, g := same.choose(0, req); c != choice || a != arm || g != group {
					t.Fatal("two workers differ")
				}
				if c, _, _ := other.choose(0, req); c != choice {
					differs++
				}
				groups[group]++
			}
			if want := int(share * steps); byOther < want-1 || byOther > want+1 {
				t.Fatalf("share %v: %d of %d requests of a block by the other policy", share, byOther, steps)
			}
			// A quarter of the window after the change within the block, and after one at its beginning.
			if wash := int(share * steps / 4); share < 1 && (counts[NoArm] < wash-2 || counts[NoArm] > 2*wash+2 || counts[Live] == 0 || counts[Experimental] == 0) {
				t.Fatalf("share %v: %v of a block of %d", share, counts, steps)
			}
		}
		if share < 1 && differs == 0 {
			t.Errorf("share %v: seeds make no difference", share)
		}
		if len(groups) != Groups {
			t.Errorf("%d groups", len(groups))
		}
	}
	if choice, arm, _ := of(.5, 0).choose(decision.ChoiceOf(config.PolicyRandom), &decision.Request{}); arm != NoArm || choice != decision.ChoiceOf(config.PolicyRandom) {
		t.Error("a request that has chosen a policy is in an arm")
	}
}
