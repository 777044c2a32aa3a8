package host

import (
	"context"
	"testing"
)

// tiny is a module put together by hand, for what no compiler would write. Functions are numbered as in WebAssembly: the
// imports, then the functions. It has one page of memory.
type tiny struct {
	imports []tinyFunc // module.name
	funcs   []tinyFunc
}

type tinyFunc struct {
	module, name    string
	params, results int    // all i32
	code            []byte // without the end
}

// Instructions.
const (
	opUnreachable = 0x00
	opCall        = 0x10
	opDrop        = 0x1a
	opLocalGet    = 0x20
	opI32Const    = 0x41
	opEnd         = 0x0b
)

func (m tiny) wasm() []byte {
	vector := func(items ...[]byte) []byte {
		out := []byte{byte(len(items))}
		for _, item := range items {
			out = append(out, item...)
		}
		return out
	}
	sized := func(b []byte) []byte { // sizes below 16,384
		return append([]byte{byte(len(b)&0x7f | 0x80), byte(len(b) >> 7)}, b...)
	}
	section := func(id byte, b []byte) []byte { return append([]byte{id}, sized(b)...) }
	name := func(s string) []byte { return append([]byte{byte(len(s))}, s...) }
	i32s := func(n int) []byte {
		out := []byte{byte(n)}
		for range n {
			out = append(out, 0x7f)
		}
		return out
	}
	var types, imports, funcs, exports, codes [][]byte
	add := func(f tinyFunc) byte {
		types = append(types, append(append([]byte{0x60}, i32s(f.params)...), i32s(f.results)...))
		return byte(len(types) - 1)
	}
	for _, f := range m.imports {
		imports = append(imports, append(append(name(f.module), name(f.name)...), 0, add(f)))
	}
	for i, f := range m.funcs {
		funcs = append(funcs, []byte{add(f)})
		exports = append(exports, append(name(f.name), 0, byte(len(m.imports)+i)))
		codes = append(codes, sized(append(append([]byte{0}, f.code...), opEnd)))
	}
	exports = append(exports, append(name("memory"), 2, 0))
	out := []byte("\x00asm\x01\x00\x00\x00")
	out = append(out, section(1, vector(types...))...)
	out = append(out, section(2, vector(imports...))...)
	out = append(out, section(3, vector(funcs...))...)
	out = append(out, section(5, []byte{1, 0, 1})...)
	out = append(out, section(7, vector(exports...))...)
	return append(out, section(10, vector(codes...))...)
}

func (m tiny) compile(t *testing.T) (*Module, error) {
	t.Helper()
	module, err := Compile(context.Background(), m.wasm())
	if err == nil {
		t.Cleanup(func() {
			if err := module.Close(context.Background()); err != nil {
				t.Error(err)
			}
		})
	}
	return module, err
}

var (
	abi021   = tinyFunc{name: "proxy_abi_version_0_2_1"}
	allocate = tinyFunc{name: "proxy_on_memory_allocate", params: 1, results: 1, code: []byte{opI32Const, 0xc0, 0}} // always 64
	logText  = tinyFunc{module: "env", name: "proxy_log", params: 3, results: 1}
	procEnd  = tinyFunc{module: "wasi_snapshot_preview1", name: "proc_exit", params: 1}
	setTick  = tinyFunc{module: "env", name: "proxy_set_tick_period_milliseconds", params: 1, results: 1}
)

// logs is a function that logs one byte of memory at a level that tells it from others.
func logs(name string, level byte, params, results int) tinyFunc {
	code := []byte{opI32Const, level, opI32Const, 0, opI32Const, 1, opCall, 0, opDrop}
	if results == 1 {
		code = append(code, opI32Const, 1)
	}
	return tinyFunc{name: name, params: params, results: results, code: code}
}
