package prompt

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

// buildGuest compiles testdata/guest as the module is compiled.
func buildGuest(b *testing.B) []byte {
	out := filepath.Join(b.TempDir(), "guest.wasm")
	build := exec.Command("../toolchain/module.sh", out, "./testdata/guest")
	if text, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v: %v\n%s", build, err, text)
	}
	code, err := os.ReadFile(out)
	if err != nil {
		b.Fatal(err)
	}
	return code
}

// BenchmarkWasm runs the scanner and fastjson within a module on wazero's compiler.
func BenchmarkWasm(b *testing.B) {
	ctx := context.Background()
	runtime := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigCompiler())
	defer runtime.Close(ctx)
	wasi_snapshot_preview1.MustInstantiate(ctx, runtime)
	module, err := runtime.Instantiate(ctx, buildGuest(b))
	if err != nil {
		b.Fatal(err)
	}
	for _, guest := range []struct {
		name string
		args []uint64
	}{{"scan", []uint64{uint64(Chat)}}, {"key", []uint64{uint64(Chat)}}, {"parse", nil}} {
		b.Run(guest.name, func(b *testing.B) {
			benchEach(b, func(b *testing.B, body []byte) {
				benchGuest(ctx, b, module, guest.name, guest.args, body)
			})
		})
	}
}

func benchGuest(ctx context.Context, b *testing.B, module api.Module, name string, args []uint64, body []byte) {
	at, err := module.ExportedFunction("room").Call(ctx, uint64(len(body)))
	if err != nil || !module.Memory().Write(uint32(at[0]), body) {
		b.Fatalf("no room for the body: %v", err)
	}
	run := module.ExportedFunction(name)
	// One call does them all, so that what is timed is the guest and not the way to it.
	call := func(times int) {
		if got, err := run.Call(ctx, append([]uint64{uint64(times)}, args...)...); err != nil || got[0] == 0 {
			b.Fatalf("%s: %v, %v", name, got, err)
		}
	}
	call(2) // to grow the buffers
	allocated := func() uint64 {
		got, err := module.ExportedFunction("allocated").Call(ctx)
		if err != nil {
			b.Fatal(err)
		}
		return got[0]
	}
	before := allocated()
	b.ResetTimer()
	call(b.N)
	b.ReportMetric(float64(allocated()-before)/float64(b.N), "guest-allocs/op")
}
