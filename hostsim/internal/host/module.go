package host

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tetratelabs/wazero"
)

// A Module is compiled WebAssembly, ready to be run by any number of proxies.
type Module struct {
	runtime  wazero.Runtime
	cache    wazero.CompilationCache
	compiled wazero.CompiledModule
	imports  []Import
	exports  []string
	abi      string
}

// An Import is a function that a module wants of its host.
type Import struct {
	Module, Name string
}

func (i Import) String() string { return i.Module + "." + i.Name }

// Compile compiles a module to machine code. It is an error if wasm is malformed, if it does not export a
// proxy_abi_version that this host speaks (0.2.0, 0.2.1) or an allocator, or if it imports what Envoy does not
// offer; the error names every such import.
func Compile(ctx context.Context, wasm []byte) (*Module, error) {
	return compile(ctx, wasm, wazero.NewCompilationCache())
}

// CompileCached is Compile that keeps the machine code in dir, which it creates, and takes it from there the next time.
func CompileCached(ctx context.Context, wasm []byte, dir string) (*Module, error) {
	cache, err := wazero.NewCompilationCacheWithDir(dir)
	if err != nil {
		return nil, fmt.Errorf("host: compilation cache: %w", err)
	}
	return compile(ctx, wasm, cache)
}

func compile(ctx context.Context, wasm []byte, cache wazero.CompilationCache) (*Module, error) {
	m := &Module{
		cache:   cache,
		runtime: wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().WithCompilationCache(cache)),
	}
	if err := m.compile(ctx, wasm); err != nil {
		return nil, errors.Join(err, m.Close(ctx))
	}
	return m, nil
}

func (m *Module) compile(ctx context.Context, wasm []byte) error {
	compiled, err := m.runtime.CompileModule(ctx, wasm)
	if err != nil {
		return fmt.Errorf("host: compile: %w", err)
	}
	m.compiled = compiled
	for name := range compiled.ExportedFunctions() {
		m.exports = append(m.exports, name)
	}
	slices.Sort(m.exports)
	if err := m.checkExports(); err != nil {
		return err
	}
	if err := m.checkImports(); err != nil {
		return err
	}
	return register(ctx, m.runtime)
}

func (m *Module) checkExports() error {
	for _, version := range []string{"0.2.1", "0.2.0"} {
		if m.exported("proxy_abi_version_" + strings.ReplaceAll(version, ".", "_")) {
			m.abi = version
			break
		}
	}
	if m.abi == "" {
		return errors.New("host: the module exports neither proxy_abi_version_0_2_1 nor _0_2_0")
	}
	if !m.exported("proxy_on_memory_allocate") && !m.exported("malloc") {
		return errors.New("host: the module exports neither proxy_on_memory_allocate nor malloc")
	}
	return nil
}

func (m *Module) checkImports() error {
	var foreign []string
	for _, f := range m.compiled.ImportedFunctions() {
		module, name, _ := f.Import()
		m.imports = append(m.imports, Import{module, name})
		offered := lookup(module, name)
		switch {
		case offered == nil:
			foreign = append(foreign, module+"."+name)
		case !slices.Equal(offered.paramTypes(), f.ParamTypes()) || !slices.Equal(offered.resultTypes(), f.ResultTypes()):
			foreign = append(foreign, module+"."+name+" (another signature)")
		}
	}
	for _, mem := range m.compiled.ImportedMemories() {
		module, name, _ := mem.Import()
		foreign = append(foreign, module+"."+name+" (memory)")
	}
	if len(foreign) > 0 {
		return fmt.Errorf("host: the module imports what Envoy does not offer: %s", strings.Join(foreign, ", "))
	}
	return nil
}

func (m *Module) exported(name string) bool {
	_, found := slices.BinarySearch(m.exports, name)
	return found
}

// ABI is the version of the proxy-wasm ABI that the module declares: "0.2.1" or "0.2.0".
func (m *Module) ABI() string { return m.abi }

// Imports lists the functions the module imports, in the module's order.
func (m *Module) Imports() []Import { return slices.Clone(m.imports) }

// Exports lists the functions the module exports, sorted.
func (m *Module) Exports() []string { return slices.Clone(m.exports) }

// Close frees the machine code. Proxies of this module must not be used afterwards.
func (m *Module) Close(ctx context.Context) error {
	return errors.Join(m.runtime.Close(ctx), m.cache.Close(ctx))
}
