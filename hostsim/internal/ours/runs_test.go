package ours

import (
	"fmt"
	"strings"
	"testing"

	"warmroute/hostsim/internal/router"
)

// TestRunsEndAlike reads text whose runs of plain ASCII have every length up to three vectors, and each end that a run can
// have: the module finds the ends by vectors, natively words are compared.
func TestRunsEndAlike(t *testing.T) {
	ends := []string{`\n`, `\"`, `\\`, `\u00e9`, `\ud83d\ude00`, "é", "漢", "😀", "\x7f", "\x80", "\xff", "\xe6\xbc", "\x1f", "\x00", `\x`, `"`}
	configuration := []byte(`{"policy":"prefix_hash","seed":7,"prefix_hash":{"prefix_chars":65536},"endpoints":["10.0.0.1:8000","10.0.0.2:8000","10.0.0.3:8000"]}`)
	wasm, err := NewWasm(t.Context(), module, configuration, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer wasm.Close()
	native, err := NewNative(configuration, 1)
	if err != nil {
		t.Fatal(err)
	}
	keys := map[string]bool{}
	for _, end := range ends {
		for n := range 200 {
			run := strings.Repeat("Plain text ~!|}] ", 12)[:n]
			// The text is copied, the other member is passed over.
			r := &router.Request{Path: "/v1/completions", Body: fmt.Appendf(nil, `{"other":"%s%s%s","prompt":"%s%s%s%s","model":"m"}`, run, end, run, strings.Repeat("a", 40), run, end, run)}
			want, err := native.Begin(0, r)
			if err != nil {
				t.Fatal(err)
			}
			got, err := wasm.Begin(0, r)
			if err != nil {
				t.Fatal(err)
			}
			if got.Decision() != want.Decision() {
				t.Fatalf("%q after %d bytes\n wasm   %s\n native %s", end, n, got.Decision(), want.Decision())
			}
			keys[got.Decision()] = true
			for _, ticket := range []router.Ticket{got, want} {
				router.Answer(ticket, "", 200, "application/json", []byte(`{}`))
			}
		}
	}
	if len(keys) < 1000 {
		t.Errorf("%d different decisions, want one for most prompts", len(keys))
	}
}
