package host

import (
	"errors"
	"fmt"

	"github.com/tetratelabs/wazero"
)

// newVM instantiates the module and takes it through its start: _initialize and main, or _start; the plugin
// context; proxy_on_vm_start; proxy_on_configure.
func (p *Proxy) newVM(worker int) (*VM, error) {
	vm := &VM{proxy: p, worker: worker, root: 1, nextID: 2, streams: map[uint32]*Stream{}}
	vm.ctx = &callContext{p.ctx, vm}
	vm.random = newRandom(p.config.Seed, worker)
	begin := p.log.count
	err := vm.boot()
	if err == nil {
		vm.booted = true
		return vm, nil
	}
	vm.setTick(0)
	if vm.dead == nil {
		vm.dead = err
	}
	if message, logged := p.log.worstSince(begin); logged {
		err = fmt.Errorf("%w: %s", err, message)
	}
	if vm.mod != nil {
		err = errors.Join(err, vm.mod.Close(p.ctx))
	}
	return nil, err
}

func (vm *VM) boot() error {
	config := wazero.NewModuleConfig().WithName("").WithStartFunctions()
	vm.starting = true
	mod, err := vm.proxy.module.runtime.InstantiateModule(vm.ctx, vm.proxy.module.compiled, config)
	if err != nil {
		return fmt.Errorf("instantiate: %w", err)
	}
	vm.mod = mod
	if vm.mem = mod.Memory(); vm.mem == nil {
		return errNoMemory
	}
	vm.bind()
	switch {
	case vm.fn.initialize != nil:
		if _, alive := vm.call(vm.fn.initialize, 0); alive && vm.fn.main != nil && len(vm.fn.main.Definition().ParamTypes()) == 2 {
			vm.call(vm.fn.main, 0, 0, 0)
		}
	case vm.fn.start != nil:
		vm.call(vm.fn.start, 0)
	}
	vm.starting = false
	if vm.dead != nil {
		return vm.dead
	}
	return vm.configure()
}

func (vm *VM) configure() error {
	accepted, alive := uint32(1), true
	vm.configuring = true // Envoy shows it in the first proxy_on_context_create too
	if vm.fn.contextCreate != nil {
		if _, alive = vm.call(vm.fn.contextCreate, vm.root, vm.root, 0); !alive {
			return vm.dead
		}
	}
	vm.configuring = false
	if vm.fn.vmStart != nil {
		accepted, alive = vm.call(vm.fn.vmStart, vm.root, vm.root, uint32(len(vm.proxy.config.VMConfig)))
		if !alive {
			return vm.dead
		}
		if accepted == 0 {
			return errors.New("proxy_on_vm_start refused")
		}
	}
	if vm.fn.configure != nil {
		vm.configuring = true
		accepted, alive = vm.call(vm.fn.configure, vm.root, vm.root, uint32(len(vm.proxy.config.PluginConfig)))
		vm.configuring = false
		if !alive {
			return vm.dead
		}
		if accepted == 0 {
			return errors.New("proxy_on_configure refused")
		}
	}
	return nil
}

// shutdown ends the open streams and the plugin context, and frees the VM.
func (vm *VM) shutdown() error {
	for id := uint32(0); id < vm.nextID && len(vm.streams) > 0; id++ {
		if s := vm.streams[id]; s != nil {
			s.Cancel()
		}
	}
	if vm.dead == nil {
		if vm.fn.done != nil {
			vm.call(vm.fn.done, vm.root, vm.root)
		}
		if vm.fn.delete != nil && vm.dead == nil {
			vm.call(vm.fn.delete, vm.root, vm.root)
		}
	}
	vm.setTick(0)
	if vm.dead == nil {
		vm.dead = errors.New("closed")
	}
	return vm.mod.Close(vm.proxy.ctx)
}
