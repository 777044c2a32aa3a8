package worker

import (
	"fmt"
	"strings"
	"testing"

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
