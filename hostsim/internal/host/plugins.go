package host

import "errors"

// A Plugin is a filter of the module. Filters of the same module, VM id and VM configuration are plugin contexts of one VM in each
// worker: those of several listeners, and those of a configuration and the one that follows it.
type Plugin struct {
	Name, RootID string
	Config       []byte
}

// root is a plugin context.
type root struct {
	vm         *VM
	id         uint32
	plugin     *Plugin
	tick       *event
	tickPeriod int64 // ns, 0 is never
}

// AddPlugin starts a further filter in all VMs. Its number is for NewStreamOf and EndPlugin; that of Config's is 0. An error carries
// the most severe of the messages that the module logged.
func (p *Proxy) AddPlugin(plugin Plugin) (number int, err error) {
	p.plugins = append(p.plugins, &plugin)
	begin := p.log.count
	p.enter(func() {
		for i := range p.workers {
			if vm := p.workers[i].vm; vm.dead == nil && err == nil {
				err = vm.startPlugin(&plugin)
			}
		}
	})
	if message, logged := p.log.worstSince(begin); err != nil && logged {
		err = errors.Join(err, errors.New(message))
	}
	return len(p.plugins) - 1, err
}

// EndPlugin ends a filter, as Envoy does once its last stream has ended; streams that are open are reset.
func (p *Proxy) EndPlugin(number int) {
	plugin := p.plugins[number]
	p.plugins[number] = nil
	p.enter(func() {
		for i := range p.workers {
			if vm := p.workers[i].vm; vm.dead == nil {
				vm.endPlugin(plugin)
			}
		}
	})
}

// endPlugin ends a plugin's context.
func (vm *VM) endPlugin(plugin *Plugin) {
	r := vm.rootOf(plugin)
	if r == nil {
		return
	}
	for id := uint32(0); id < vm.nextID; id++ {
		if s := vm.streams[id]; s != nil && s.root == r {
			s.Cancel()
		}
	}
	if vm.fn.done != nil {
		vm.call(vm.fn.done, r.id, r.id)
	}
	if vm.fn.delete != nil {
		vm.call(vm.fn.delete, r.id, r.id)
	}
	r.setTick(0)
	delete(vm.roots, r.id)
}

// rootOf is a plugin's context; nil: it has none here.
func (vm *VM) rootOf(plugin *Plugin) *root {
	for _, r := range vm.roots {
		if r.plugin == plugin {
			return r
		}
	}
	return nil
}

// root is the plugin context that host functions act for: that of the effective context, or of the running callback.
func (vm *VM) root() *root {
	for _, id := range [...]uint32{vm.effective, vm.current} {
		if r := vm.roots[id]; r != nil {
			return r
		}
		if s := vm.streams[id]; s != nil {
			return s.root
		}
	}
	return nil
}

// startPlugin creates a plugin's context and configures it.
func (vm *VM) startPlugin(plugin *Plugin) error {
	r := &root{vm: vm, id: vm.nextID, plugin: plugin}
	vm.nextID++
	vm.roots[r.id] = r
	accepted, alive := uint32(1), true
	vm.configuring = true // Envoy shows it in the first proxy_on_context_create too
	if vm.fn.contextCreate != nil {
		if _, alive = vm.call(vm.fn.contextCreate, r.id, r.id, 0); !alive {
			return vm.dead
		}
	}
	vm.configuring = false
	if vm.fn.vmStart != nil {
		accepted, alive = vm.call(vm.fn.vmStart, r.id, r.id, uint32(len(vm.proxy.config.VMConfig)))
		if !alive {
			return vm.dead
		}
		if accepted == 0 {
			return errors.New("proxy_on_vm_start refused")
		}
	}
	if vm.fn.configure != nil {
		vm.configuring = true
		accepted, alive = vm.call(vm.fn.configure, r.id, r.id, uint32(len(plugin.Config)))
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
