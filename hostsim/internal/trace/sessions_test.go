package trace

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
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

// published are the sessions of sessions.jsonl with all ids of each request, as kv-cache-tester has them.
const published = `{"id":"s1","models":["m"],"block_size":64,"hash_id_scope":"local","tool_tokens":200,"system_tokens":70,"requests":[` +
	`{"t":0,"type":"n","model":"m","in":400,"out":9,"think_time":0,"hash_ids":[1,2,3,4,5,6]},` +
	`{"t":12.5,"type":"s","model":"m","in":520,"out":4,"think_time":8,"hash_ids":[1,2,3,4,5,7,8,9]},` +
	`{"t":13,"type":"subagent","tool_tokens":128,"system_tokens":0,"requests":[` +
	`{"t":0,"type":"n","model":"m","in":256,"out":3,"hash_ids":[10,11,12,13]},` +
	`{"t":4,"type":"n","model":"m","in":330,"out":3,"think_time":1,"hash_ids":[10,11,12,13,14]}]},` +
	`{"t":5000,"type":"n","model":"m","in":640,"out":2,"think_time":4980,"hash_ids":[1,2,3,4,5,7,8,9,15,16]}]}
{"id":"s2","block_size":64,"tool_tokens":200,"system_tokens":90,"requests":[` +
	`{"t":0,"type":"n","model":"m","in":330,"out":7,"think_time":0,"hash_ids":[1,2,3,4,5]},` +
	`{"t":6,"type":"n","model":"m","in":384,"out":7,"think_time":2,"hash_ids":[1,2,3,4,5,6]}]}
{"id":"s3","block_size":64,"tool_tokens":200,"system_tokens":90,"requests":[{"t":0,"type":"n","model":"other","in":330,"out":7,"think_time":0,"hash_ids":[1,2,3,4,5]}]}
`

func TestSessionsAsPublished(t *testing.T) {
	for _, sharing := range []Sharing{ShareTools, ShareAll, ShareNothing} {
		got, err := Read(strings.NewReader(published), "published.jsonl", Options{Sharing: sharing})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(mustOpen(t, filepath.Join(own, "sessions.jsonl"), Options{Sharing: sharing}), got); diff != "" {
			t.Errorf("sharing %d: in delta form -, as published +:\n%s", sharing, diff)
		}
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
