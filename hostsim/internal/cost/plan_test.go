package cost

import (
	"strings"
	"testing"
)

// What is varied is measured one at a time, with the first of everything else.
func TestPlan(t *testing.T) {
	c := Plan{
		Wasm: "w.wasm", With: []string{"build/noop.wasm"}, ExtProc: "extproc", Bytes: []int{4096, 32768, 400000}, Connections: []int{1, 8, 32},
		Rate: 1000, Turns: 6, Endpoints: []int{8, 64}, Workers: []int{1, 4}, Pools: []int{1, 8}, Blocks: []int{64},
	}
	if err := c.Check(); err != nil {
		t.Fatal(err)
	}
	parts := c.Parts()
	if len(parts) != 5 || len(parts[0].Cases) != 3*3+2 || len(parts[0].Variants) != 5 {
		t.Fatalf("%d parts, the first of %d cases and %d variants", len(parts), len(parts[0].Cases), len(parts[0].Variants))
	}
	for i, want := range []string{
		"8 endpoints, 1 workers", "64 endpoints, 1 workers", "8 endpoints, 4 workers", "8 endpoints, 1 workers, 8 pools", "8 endpoints, 1 workers, blocks of 64 bytes",
	} {
		if got := parts[i].Setting.String(); got != want {
			t.Errorf("part %d: %s, want %s", i, got, want)
		}
	}
	for i, want := range map[int]string{1: "4 KB, 8 conn", 4: "32 KB, 8 conn"} {
		if of := parts[i]; len(of.Cases) != 1 || of.Cases[0].String() != want || len(of.Variants) != 3 {
			t.Errorf("part %d: %v with %d variants, want %s with 3", i, of.Cases, len(of.Variants), want)
		}
	}
	for flag, bad := range map[string]func(*Plan){
		"--bytes: a number":   func(c *Plan) { c.Bytes = nil },
		"--endpoints: 0":      func(c *Plan) { c.Endpoints = []int{8, 0} },
		"--endpoints: 1025":   func(c *Plan) { c.Endpoints = []int{1025} },
		"--pools: 257":        func(c *Plan) { c.Pools = []int{1, 257} },
		"--blocks: -5":        func(c *Plan) { c.Blocks = []int{-5} },
		"--blocks: 0":         func(c *Plan) { c.Blocks = []int{64, 0} },
		"--blocks: 66":        func(c *Plan) { c.Blocks = []int{66} },
		"--ext-proc: with":    func(c *Plan) { c.Pools = []int{8} },
		"--connections: 5000": func(c *Plan) { c.Connections = []int{5000} },
	} {
		of := c
		bad(&of)
		if err := of.Check(); err == nil || !strings.HasPrefix(err.Error(), flag) {
			t.Errorf("got error %v, want one that begins with %q", err, flag)
		}
	}
}
