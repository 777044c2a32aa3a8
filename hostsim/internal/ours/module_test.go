package ours

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"warmroute/hostsim/internal/host"
	"warmroute/hostsim/internal/router"
)

// The module is TinyGo's, small, and asks the proxy for nothing that Envoy does not offer.
func TestModule(t *testing.T) {
	code, err := os.ReadFile(module)
	if err != nil {
		t.Fatalf("%v (./build.sh build makes it)", err)
	}
	if len(code) > 741_700 {
		t.Errorf("the module has %d bytes, want at most 741,700", len(code))
	}
	m, err := host.Compile(t.Context(), code) // refuses imports that Envoy has not
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close(t.Context())
	if m.ABI() != "0.2.1" && m.ABI() != "0.2.0" {
		t.Errorf("the module's ABI is %q", m.ABI())
	}
	if slices.Contains(m.Exports(), "wrlend") || !slices.Contains(m.Exports(), "mallo_") {
		t.Error("the build has not renamed the module's exports: Envoy would allocate by TinyGo's malloc, and nothing it gives is ever collected")
	}
	if !slices.Contains(m.Exports(), "proxy_on_memory_allocate") || bytes.Contains(code, []byte("runtime.goexit")) {
		t.Error("the module is not TinyGo's: it lacks the SDK's allocator, or holds Go's own runtime")
	}
}

// What the proxy hands over is collected: 100 MB of bodies leave a small heap.
func TestMemoryIsBounded(t *testing.T) {
	w, err := NewWasm(t.Context(), module, configuration("cache_aware"), 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for i := range 2000 {
		body := fmt.Appendf(nil, `{"model":"m","prompt":"%d %s"}`, i, strings.Repeat("and so on ", 5000))
		ticket, err := w.Begin(0, &router.Request{Path: "/v1/completions", Body: body})
		if err != nil {
			t.Fatal(err)
		}
		router.Answer(ticket, "10.0.0.1:8000", 200, "application/json", []byte(`{"usage":{"prompt_tokens":9}}`))
	}
	if got := w.Proxy().VM(0).Used(); got > 16<<20 {
		t.Errorf("after 2,000 bodies of 50 KB the module has %d MB, want at most 16", got>>20)
	}
}

// Ticks free what requests leave behind: whatever came in before them, the heap of 8 MB is enough.
func TestTicksFreeMemory(t *testing.T) {
	w, err := NewWasm(t.Context(), module, []byte(`{"seed":1,"scrape":{"path":""},"index_bytes":65536,"endpoints":["10.0.0.1:8000","10.0.0.2:8000"]}`), 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	vm := w.Proxy().VM(0)
	size := vm.Memory()
	for i := range 60_000 {
		if i%3000 == 0 {
			w.Advance(int64(i/3000+1) * 1e9)
		}
		ticket, err := w.Begin(0, &router.Request{Path: "/v1/completions", Body: fmt.Appendf(nil, `{"model":"m","prompt":"%d and so on"}`, i)})
		if err != nil {
			t.Fatal(err)
		}
		router.Answer(ticket, ticket.Endpoints()[i%2], 200, "application/json", []byte(`{"usage":{"prompt_tokens":9}}`))
	}
	if got := vm.Memory(); got != size {
		t.Errorf("60,000 requests in 20 s made the memory grow from %d to %d MB", size>>20, got>>20)
	}
}

// So does the end of each request, since a client can have one leave a megabyte behind: a turn of which the role comes last has to be kept.
func TestRequestsFreeMemory(t *testing.T) {
	w, err := NewWasm(t.Context(), module, []byte(`{"seed":1,"scrape":{"path":""},"endpoints":["10.0.0.1:8000","10.0.0.2:8000"]}`), 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	vm := w.Proxy().VM(0)
	size, turn := vm.Memory(), strings.Repeat("x", 256_000)
	for i := range 400 {
		ticket, err := w.Begin(0, &router.Request{Path: "/v1/chat/completions", Body: fmt.Appendf(nil, `{"model":"m","messages":[{"content":"%d %s","role":"user"}]}`, i, turn), Chunk: 16 << 10})
		if err != nil {
			t.Fatal(err)
		}
		router.Answer(ticket, ticket.Endpoints()[0], 200, "application/json", []byte(`{"usage":{"prompt_tokens":9}}`))
	}
	if got := vm.Memory(); got > 2*size {
		t.Errorf("400 requests of 256 KB without a tick made the memory grow from %d to %d MB", size>>20, got>>20)
	}
}

// The index is beside the heap, so that the collector does not walk it: 12 MB of it leave the heap of 8 MB as it was.
func TestIndexIsBesideTheHeap(t *testing.T) {
	w, err := NewWasm(t.Context(), module, []byte(`{"seed":1,"scrape":{"path":""},"block_bytes":16,"endpoints":["10.0.0.1:8000","10.0.0.2:8000"]}`), 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	vm := w.Proxy().VM(0)
	size, used := vm.Memory(), vm.Used()
	text := strings.Repeat("and so on ", 1600)
	for i := 0; vm.Used() < used+12<<20; i++ {
		if i == 200 {
			t.Fatalf("20,000 prompts of 16 KB took %d KB", (vm.Used()-used)>>10)
		}
		for k := range 100 {
			ticket, err := w.Begin(0, &router.Request{Path: "/v1/completions", Body: fmt.Appendf(nil, `{"model":"m","prompt":"%d %d %s"}`, i, k, text)})
			if err != nil {
				t.Fatal(err)
			}
			router.Answer(ticket, ticket.Endpoints()[0], 200, "application/json", []byte(`{"usage":{"prompt_tokens":9}}`))
		}
	}
	if got := vm.Memory(); got != size {
		t.Errorf("the memory has grown from %d to %d MB: the index is in the heap", size>>20, got>>20)
	}
}

// A filter in front may hold a body or an answer and hand it over in one: the module reads what it needs of it.
func TestMemoryIsBoundedWhateverIsHandedOver(t *testing.T) {
	w, err := NewWasm(t.Context(), module, configuration("cache_aware"), 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	before := w.Proxy().VM(0).Used()
	large := strings.Repeat("and so on ", 3<<20)
	ticket, err := w.Begin(0, &router.Request{Path: "/v1/completions", Body: []byte(`{"model":"m","prompt":"` + large + `"}`)})
	if err != nil {
		t.Fatal(err)
	}
	router.Answer(ticket, "10.0.0.1:8000", 200, "application/json", []byte(`{"choices":[{"text":"`+large+`"}],"usage":{"prompt_tokens":9,"prompt_tokens_details":{"cached_tokens":7}}}`))
	if got := ticket.Decision(); !strings.Contains(got, "cached_tokens=7") {
		t.Errorf("the usage behind a long answer was not found: %s", got)
	}
	if got := w.Proxy().VM(0).Used(); got > before+4<<20 {
		t.Errorf("a body and an answer of 30 MB, each in one piece, took %d KB, want at most 4,096", (got-before)>>10)
	}
}
