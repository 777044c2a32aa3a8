package host

import (
	"context"
	"fmt"
	"slices"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// callContext carries the VM to the host functions; wazero hands it on as it is, so that finding the VM
// costs a type assertion.
type callContext struct {
	context.Context
	vm *VM
}

type vmKey struct{}

func (c *callContext) Value(key any) any {
	if _, ours := key.(vmKey); ours {
		return c.vm
	}
	return c.Context.Value(key)
}

func vmOf(ctx context.Context) *VM {
	if c, direct := ctx.(*callContext); direct {
		return c.vm
	}
	return ctx.Value(vmKey{}).(*VM)
}

// A hostFunc is a function offered to the module. Its parameters are written as one letter each, i for i32 and
// I for i64. Parameters reach run as wazero's stack holds them: an i32 must be masked to its 32 bits.
type hostFunc struct {
	name    string
	params  string
	run     func(vm *VM, stack []uint64) status
	noValue bool // has no result
	atStart bool // may be called from _initialize, main or _start
}

func (f *hostFunc) paramTypes() []api.ValueType {
	types := make([]api.ValueType, len(f.params))
	for i, letter := range f.params {
		types[i] = api.ValueTypeI32
		if letter == 'I' {
			types[i] = api.ValueTypeI64
		}
	}
	return types
}

func (f *hostFunc) resultTypes() []api.ValueType {
	if f.noValue {
		return []api.ValueType{}
	}
	return []api.ValueType{api.ValueTypeI32}
}

// hostModules are the names modules import from, and what Envoy offers there.
var hostModules = []struct {
	name  string
	funcs []hostFunc
}{
	{"env", slices.Concat(logFuncs, contextFuncs, headerFuncs, bufferFuncs, propertyFuncs, sharedDataFuncs, queueFuncs,
		metricFuncs, calloutFuncs, clockFuncs, miscFuncs)},
	{"wasi_snapshot_preview1", wasiFuncs},
	{"wasi_unstable", wasiFuncs},
}

func lookup(module, name string) *hostFunc {
	for _, hm := range hostModules {
		if hm.name != module {
			continue
		}
		for i := range hm.funcs {
			if hm.funcs[i].name == name {
				return &hm.funcs[i]
			}
		}
	}
	return nil
}

func register(ctx context.Context, runtime wazero.Runtime) error {
	for _, hm := range hostModules {
		builder := runtime.NewHostModuleBuilder(hm.name)
		for i := range hm.funcs {
			f := &hm.funcs[i]
			builder.NewFunctionBuilder().
				WithGoModuleFunction(f, f.paramTypes(), f.resultTypes()).
				Export(f.name)
		}
		if _, err := builder.Instantiate(ctx); err != nil {
			return fmt.Errorf("host: register %s: %w", hm.name, err)
		}
	}
	return nil
}

// Call implements api.GoModuleFunction. A panic here is how wazero lets a host function trap; it ends as an
// error of the callback that was running.
func (f *hostFunc) Call(ctx context.Context, _ api.Module, stack []uint64) {
	vm := vmOf(ctx)
	if vm.starting && !f.atStart {
		panic(fmt.Errorf("%s may not be called during _initialize or _start", f.name))
	}
	result := f.run(vm, stack)
	if !f.noValue {
		stack[0] = uint64(result)
	}
}
