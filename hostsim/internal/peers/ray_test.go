package peers

import "testing"

// A tenth of the prompt is enough to stay; a queue longer by more than ten draws two at random.
func TestRay(t *testing.T) {
	e := engine(t, "ray", 3)
	home, reason, first := send(t, e, "", text("hot", 100))
	if reason != "smallest_tree" {
		t.Errorf("a new prompt: %s", reason)
	}
	first.Chunk(nil, true)
	if replica, reason, _ := send(t, e, "", text("hot", 100)+text("own", 700)); replica != home || reason != "match" {
		t.Errorf("an eighth in common: went to %d (%s), was at %d", replica, reason, home)
	}
	if replica, reason, _ := send(t, e, "", text("new", 100)); replica == home || reason != "smallest_tree" {
		t.Errorf("a new prompt went to %d (%s), where the most was sent", replica, reason)
	}
	for i := range 3 {
		e.inFlight[i] = 0
	}
	e.inFlight[home] = 10
	if replica, reason, _ := send(t, e, "", text("hot", 100)); replica != home || reason != "match" {
		t.Errorf("ten more: went to %d (%s), was at %d", replica, reason, home)
	}
	seen := map[int]bool{}
	for range 20 {
		e.inFlight[0], e.inFlight[1], e.inFlight[2] = 0, 0, 0
		e.inFlight[home] = 11
		replica, reason, _ := send(t, e, "", text("hot", 100))
		if replica == home || reason != "by_load" {
			t.Errorf("eleven more: stayed at %d (%s)", replica, reason)
		}
		seen[replica] = true
	}
	if len(seen) != 2 {
		t.Errorf("eleven more: went to %v only", seen)
	}
}

// Of replicas that match alike the one with the fewest requests is taken.
func TestRaySpreads(t *testing.T) {
	e := engine(t, "ray", 2)
	for i := range 2 {
		e.policy.(*ray).known.read(prompted(text("hot", 100)), 0)
		e.policy.(*ray).known.send(i)
	}
	e.inFlight[0], e.inFlight[1] = 3, 1
	e.policy.(*ray).known.read(prompted(text("hot", 100)), 0)
	if to, reason := e.policy.(*ray).choose(len(e.policy.(*ray).known.chain), e.inFlight); to != 1 || reason != "match" {
		t.Errorf("both match, three and one in flight: went to %d (%s)", to, reason)
	}
}
