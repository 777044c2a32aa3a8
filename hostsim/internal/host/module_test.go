package host

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCompileRefuses(t *testing.T) {
	tests := []struct {
		name string
		m    tiny
		want string
	}{
		{"no ABI version", tiny{funcs: []tinyFunc{allocate}}, "proxy_abi_version"},
		{"an old ABI", tiny{funcs: []tinyFunc{allocate, {name: "proxy_abi_version_0_1_0"}}}, "proxy_abi_version"},
		{"no allocator", tiny{funcs: []tinyFunc{abi021}}, "proxy_on_memory_allocate"},
		{"unknown import", tiny{imports: []tinyFunc{{module: "env", name: "proxy_set_upstream_override_host"}}, funcs: []tinyFunc{abi021, allocate}},
			"env.proxy_set_upstream_override_host"},
		{"several", tiny{imports: []tinyFunc{{module: "wasi_snapshot_preview1", name: "proc_raise", params: 1, results: 1}, logText, {module: "go", name: "x"}},
			funcs: []tinyFunc{abi021, allocate}}, "wasi_snapshot_preview1.proc_raise, go.x"},
		{"another signature", tiny{imports: []tinyFunc{{module: "env", name: "proxy_log", params: 2, results: 1}}, funcs: []tinyFunc{abi021, allocate}},
			"env.proxy_log (another signature)"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if _, err := test.m.compile(t); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got error %v, want one with %q", err, test.want)
			}
		})
	}
	if _, err := Compile(context.Background(), []byte("not wasm")); err == nil {
		t.Error("compiled what is no WebAssembly")
	}
}

func TestModule(t *testing.T) {
	m, err := tiny{imports: []tinyFunc{logText}, funcs: []tinyFunc{{name: "proxy_abi_version_0_2_0"}, allocate}}.compile(t)
	if err != nil {
		t.Fatal(err)
	}
	if m.ABI() != "0.2.0" || guest.ABI() != "0.2.1" {
		t.Errorf("ABI %s and %s", m.ABI(), guest.ABI())
	}
	if diff := cmp.Diff([]Import{{"env", "proxy_log"}}, m.Imports()); diff != "" {
		t.Errorf("imports (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"proxy_abi_version_0_2_0", "proxy_on_memory_allocate"}, m.Exports()); diff != "" {
		t.Errorf("exports (-want +got):\n%s", diff)
	}
}

func TestCompileCached(t *testing.T) {
	dir := t.TempDir()
	wasm := tiny{funcs: []tinyFunc{abi021, allocate}}.wasm()
	for range 2 {
		m, err := CompileCached(context.Background(), wasm, dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) == 0 {
		t.Errorf("%d entries in the cache, %v", len(entries), err)
	}
}

// TestInitialFunctions: which of _initialize, main and _start run.
func TestInitialFunctions(t *testing.T) {
	initialize, start := logs("_initialize", 1, 0, 0), logs("_start", 2, 0, 0)
	main, mainWithout := logs("main", 3, 2, 1), logs("main", 3, 0, 0)
	tests := []struct {
		name  string
		funcs []tinyFunc
		want  []Level
	}{
		{"command", []tinyFunc{start}, []Level{2}},
		{"reactor", []tinyFunc{initialize}, []Level{1}},
		{"reactor with main", []tinyFunc{initialize, main}, []Level{1, 3}},
		{"main of another type", []tinyFunc{initialize, mainWithout}, []Level{1}},
		{"both", []tinyFunc{initialize, start}, []Level{1}},
		{"main alone", []tinyFunc{main}, nil},
		{"a trap is an error", []tinyFunc{{name: "_start", code: []byte{opUnreachable}}}, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m, err := tiny{imports: []tinyFunc{logText}, funcs: append([]tinyFunc{abi021, allocate}, test.funcs...)}.compile(t)
			if err != nil {
				t.Fatal(err)
			}
			p, err := m.NewProxy(context.Background(), Config{})
			if wantErr := test.name == "a trap is an error"; wantErr {
				if err == nil || !strings.Contains(err.Error(), "_start") {
					t.Errorf("got error %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			var got []Level
			for _, e := range p.Logs() {
				got = append(got, e.Level)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("levels logged (-want +got):\n%s", diff)
			}
		})
	}
}

// TestProcExitReturns: what follows proc_exit(0) in _start runs, as in Envoy.
func TestProcExitReturns(t *testing.T) {
	start := logs("_start", 3, 0, 0)
	start.code = append([]byte{opI32Const, 0, opCall, 1}, start.code...)
	m, err := tiny{imports: []tinyFunc{logText, procEnd}, funcs: []tinyFunc{abi021, allocate, start}}.compile(t)
	if err != nil {
		t.Fatal(err)
	}
	p, err := m.NewProxy(context.Background(), Config{LogLevel: LevelWarn})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if got := p.Logs(); len(got) != 1 || p.VM(0).Dead() != nil {
		t.Errorf("%d entries, dead: %v", len(got), p.VM(0).Dead())
	}
}

func TestHostCallsDuringStart(t *testing.T) {
	start := tinyFunc{name: "_start", code: []byte{opI32Const, 1, opCall, 0, opDrop}}
	m, err := tiny{imports: []tinyFunc{setTick}, funcs: []tinyFunc{abi021, allocate, start}}.compile(t)
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.NewProxy(context.Background(), Config{})
	if err == nil || !strings.Contains(err.Error(), "proxy_set_tick_period_milliseconds may not be called") {
		t.Errorf("got error %v", err)
	}
}

// TestAllocators: a module reads :path into memory that its allocator gives.
func TestAllocators(t *testing.T) {
	getValue := tinyFunc{module: "env", name: "proxy_get_header_map_value", params: 5, results: 1}
	// get_header_map_value(0, address 16, size 5, 32, 36), the result logged as a level
	headers := tinyFunc{name: "proxy_on_request_headers", params: 3, results: 1, code: []byte{
		opI32Const, 0, opI32Const, 16, opI32Const, 5, opI32Const, 32, opI32Const, 36, opCall, 1}}
	constant := func(name string, leb ...byte) tinyFunc {
		return tinyFunc{name: name, params: 1, results: 1, code: append([]byte{opI32Const}, leb...)}
	}
	tests := []struct {
		name  string
		alloc []tinyFunc
		want  status // as the callback's result; else a trap
		trap  bool
	}{
		{"works", []tinyFunc{allocate}, statusOK, false},
		{"malloc", []tinyFunc{constant("malloc", 0xc0, 0)}, statusOK, false},
		{"both: the older, as Envoy", []tinyFunc{{name: "malloc", params: 1, results: 1, code: []byte{opUnreachable}}, allocate}, 0, true},
		{"null", []tinyFunc{constant("malloc", 0)}, statusInvalidMemoryAccess, false},
		{"outside", []tinyFunc{constant("malloc", 0x80, 0x80, 0x04)}, statusInvalidMemoryAccess, false}, // 65,536
		{"traps", []tinyFunc{{name: "malloc", params: 1, results: 1, code: []byte{opUnreachable}}}, 0, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m, err := tiny{imports: []tinyFunc{logText, getValue}, funcs: append([]tinyFunc{abi021, headers}, test.alloc...)}.compile(t)
			if err != nil {
				t.Fatal(err)
			}
			p, err := m.NewProxy(context.Background(), Config{})
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			vm := p.VM(0)
			vm.mem.WriteString(16, ":path")
			s := p.NewStream(0)
			s.RequestHeaders(get("/somewhere"), true)
			if test.trap {
				code, _ := s.Downstream().Headers.Get(":status")
				if code != "503" || vm.Dead() == nil || !strings.Contains(vm.Dead().Error(), "allocator") {
					t.Errorf("status %s, dead: %v", code, vm.Dead())
				}
				return
			}
			// a result other than 0 reads as a pause
			if paused := s.RequestPaused(); paused != (test.want != statusOK) {
				t.Errorf("paused %v", paused)
			}
			if test.want == statusOK {
				address, _ := vm.mem.ReadUint32Le(32)
				size, _ := vm.mem.ReadUint32Le(36)
				if value, _ := vm.mem.Read(address, size); string(value) != "/somewhere" {
					t.Errorf("the module got %q at %d", value, address)
				}
			}
		})
	}
}

// TestParametersAreMasked: the upper half of an i32 on the stack may hold anything.
func TestParametersAreMasked(t *testing.T) {
	p := run(t, "", Config{})
	const junk = 0xdeadbeef << 32
	stack := []uint64{junk | uint64(LevelWarn), junk, junk | 1}
	if got := proxyLog(p.VM(0), stack); got != statusOK {
		t.Errorf("status %d", got)
	}
	if logs := p.Logs(); logs[len(logs)-1].Level != LevelWarn {
		t.Errorf("logged at %v", logs[len(logs)-1].Level)
	}
}

// TestContextsAreFound: a host function finds its VM whether or not something wraps the context.
func TestContextsAreFound(t *testing.T) {
	p := run(t, "", Config{})
	vm := p.VM(0)
	type key struct{}
	wrapped := context.WithValue(vm.ctx, key{}, 1)
	if vmOf(vm.ctx) != vm || vmOf(wrapped) != vm || wrapped.Value(key{}) != 1 {
		t.Error("lost the VM")
	}
	if errors.Is(vm.ctx.Err(), context.Canceled) {
		t.Error("cancelled")
	}
}
