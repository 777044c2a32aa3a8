package config

import (
	"strings"
	"testing"
)

func TestRanks(t *testing.T) {
	c, err := Parse([]byte(`{"data_parallel_ranks": 2, "endpoints": [{"address": "10.0.0.1:80", "weight": 3, "zone": "a"}, "[2001:db8::1]:80"]}`))
	if err != nil {
		t.Fatal(err)
	}
	want := []Endpoint{{Address: "10.0.0.1:80#0", Weight: 3, Zone: "a"}, {Address: "10.0.0.1:80#1", Weight: 3, Zone: "a"},
		{Address: "[2001:db8::1]:80#0", Weight: 1}, {Address: "[2001:db8::1]:80#1", Weight: 1}}
	for i, e := range c.Endpoints {
		if e != want[i] {
			t.Errorf("endpoint %d is %+v, want %+v", i, e, want[i])
		}
		if server, rank := SplitRank(e.Address); RankAddress(server, rank) != e.Address || e.Server() != server || e.IsFirstRank() != (rank == "0") {
			t.Errorf("%s is rank %q of %q", e.Address, rank, server)
		}
	}
	if alone := (&Endpoint{Address: "10.0.0.1:80"}); alone.Server() != "10.0.0.1:80" || !alone.IsFirstRank() {
		t.Error("a server without ranks is not its own")
	}
	if server, rank := SplitRank(RankAddress("10.0.0.1:80", "63")); server != "10.0.0.1:80" || rank != "63" {
		t.Errorf("rank %s of %s", rank, server)
	}
}

func TestRanksThatDoNotGo(t *testing.T) {
	many := `"10.0.0.1:1"`
	for _, last := range strings.Fields("2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17") {
		many += `,"10.0.0.` + last + `:1"`
	}
	for _, c := range []struct{ json, want string }{
		{`{"data_parallel_ranks": 64, "endpoints": [` + many + `]}`, "data_parallel_ranks: 64 ranks of 17 endpoints are above the maximum of 1024"},
		{`{"data_parallel_ranks": 2, "policy": "prefix_hash", "steer": {"target": "hash"}}`, "data_parallel_ranks: 2 is refused where steer.target is hash, which knows no endpoints"},
		{`{"data_parallel_ranks": 65}`, "data_parallel_ranks: 65"},
		{`{"data_parallel_ranks": 60, "ring": {"vnodes": 2000}, "endpoints": [` + many + `]}`, "ring.vnodes: 2000 times the total weight 1020"},
	} {
		if _, err := Parse([]byte(c.json)); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%.60s…: %v, want %s", c.json, err, c.want)
		}
	}
	if _, err := Parse([]byte(`{"pools": [{"name": "a", "data_parallel_ranks": 8, "endpoints": ["10.0.0.1:80"]}]}`)); err != nil {
		t.Error(err)
	}
}
