package host

import (
	"errors"
	"fmt"

	"github.com/tetratelabs/wazero"
)

// newVM instantiates the module and takes it through its start: _initialize and main, or _start; the plugin
// context; proxy_on_vm_start; proxy_on_configure.
func (p *Proxy) newVM(worker int) (*VM, error) {
	vm := &VM{proxy: p, worker: worker, nextID: 1, roots: map[uint32]*root{}, streams: map[uint32]*Stream{}}
	vm.ctx = &callContext{p.ctx, vm}
	vm.random = NewRandom(p.config.Seed, worker)
	begin := p.log.count
	err := vm.boot()
	if err == nil {
		vm.booted = true
		return vm, nil
	}
	vm.stopTicks()
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

// configure starts the filters.
func (vm *VM) configure() error {
	for _, plugin := range vm.proxy.plugins {
		if plugin == nil { // it has ended
			continue
		}
		if err := vm.startPlugin(plugin); err != nil {
			return err
		}
	}
	return nil
}

// shutdown ends the open streams and the plugin contexts, and frees the VM.
func (vm *VM) shutdown() error {
	for id := uint32(0); id < vm.nextID && len(vm.streams) > 0; id++ {
		if s := vm.streams[id]; s != nil {
			s.Cancel()
		}
	}
	for _, plugin := range vm.proxy.plugins {
		if plugin != nil && vm.dead == nil {
			vm.endPlugin(plugin)
		}
	}
	vm.stopTicks()
	if vm.dead == nil {
		vm.dead = errors.New("closed")
	}
	return vm.mod.Close(vm.proxy.ctx)
}
