package trace

import (
	"path/filepath"
	"testing"
	"time"
)

func TestSessionsTimes(t *testing.T) {
	tr := mustOpen(t, filepath.Join(own, "sessions.jsonl"), Options{SessionRate: 1e-6, MaxGap: time.Minute})
	if tr.Sessions != 3 || len(tr.Requests) != 8 || tr.BlockSize != 64 {
		t.Fatalf("%d sessions, %d requests, blocks of %d", tr.Sessions, len(tr.Requests), tr.BlockSize)
	}
	s := int64(time.Second)
	for i, want := range []struct {
		at, think int64
		after     int
	}{
		{0, 0, -1},
		{12*s + s/2, 8 * s, 0},
		{13 * s, s / 2, 1},      // the subagent, after the request that it is listed behind
		{17 * s, s, 2},          // its second
		{72*s + s/2, 60 * s, 1}, // 83 minutes later: cut to one, and not after the subagent
	} {
		if r := tr.Requests[i]; r.At != want.at || r.Think != want.think || r.After != want.after {
			t.Errorf("request %d: at %d think %d after %d, want %+v", i, r.At, r.Think, r.After, want)
		}
	}
	if next := tr.Requests[5]; next.Session != 1 || next.At <= 73*s {
		t.Errorf("second session: %+v; want it about 10^6 s later", next)
	}
}

func TestSessionsSharing(t *testing.T) {
	// Leading blocks in common: of sessions 1 and 2, 2's two requests, 1 and 3 (another model), the subagent and 1.
	for sharing, want := range map[Sharing][4]int{ShareTools: {3, 5, 0, 0}, ShareAll: {4, 5, 4, 2}, ShareNothing: {0, 5, 0, 0}} {
		tr := mustOpen(t, filepath.Join(own, "sessions.jsonl"), Options{SessionRate: 1e-6, Sharing: sharing})
		common := func(i, j int) int {
			a, b := tr.Requests[i].Blocks.Append(nil), tr.Requests[j].Blocks.Append(nil)
			n := 0
			for n < min(len(a), len(b)) && a[n] == b[n] {
				n++
			}
			return n
		}
		if got := [4]int{common(0, 5), common(5, 6), common(0, 7), common(0, 2)}; got != want {
			t.Errorf("sharing %d: %v leading blocks in common, want %v", sharing, got, want)
		}
		// Within the session: five of the first request's blocks, then eight.
		if got := [2]int{common(0, 1), common(1, 4)}; got != [2]int{5, 8} {
			t.Errorf("sharing %d: %v blocks in common within the session, want [5 8]", sharing, got)
		}
	}
}

func TestSessionsSeed(t *testing.T) {
	starts := func(seed uint64) (out []int64) {
		for _, r := range mustOpen(t, filepath.Join(own, "sessions.jsonl"), Options{Seed: seed}).Requests {
			if r.After < 0 {
				out = append(out, r.At)
			}
		}
		return out
	}
	a, b, c := starts(1), starts(1), starts(2)
	if len(a) != 3 || a[1] != b[1] || a[1] == c[1] {
		t.Errorf("starts %v, %v again, %v with another seed", a, b, c)
	}
}
