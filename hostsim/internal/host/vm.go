package host

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// A VM is one instance of the module, on one worker.
type VM struct {
	proxy  *Proxy
	worker int
	ctx    *callContext
	mod    api.Module
	mem    api.Memory
	fn     callbacks
	random *rand.ChaCha8

	root        uint32             // the plugin context's id
	nextID      uint32             // of contexts
	streams     map[uint32]*Stream // by context id
	current     uint32             // context of the callback that runs, 0 when none does
	effective   uint32             // what proxy_set_effective_context made of it, or 0
	starting    bool               // in _initialize or _start
	booted      bool               // the start was accepted; a trap before is an error of NewProxy
	configuring bool               // the plugin's configuration can be read
	donePending bool               // proxy_on_done of the plugin context said false
	after       []func()           // what the callback asked for, to happen when it has returned
	stack       [8]uint64
	allocStack  [1]uint64
	allocations int // by this host, in the module's memory

	tick       *event
	tickPeriod int64 // ns, 0 is never
	metricIDs  [3][]*Metric
	response   *Callout // the answered HTTP call whose callback runs
	callStatus status   // for proxy_get_status

	dead error // the trap that killed the VM
}

// callbacks are the module's exports; those it lacks are nil.
type callbacks struct {
	initialize, main, start           api.Function
	alloc                             api.Function
	contextCreate, vmStart, configure api.Function
	tick, queueReady, callResponse    api.Function
	done, log, delete                 api.Function
	request, response                 messageCallbacks
}

type messageCallbacks struct {
	headers, body, trailers api.Function
}

func (vm *VM) bind() {
	get := vm.mod.ExportedFunction
	vm.fn = callbacks{
		initialize:    get("_initialize"),
		main:          get("main"),
		start:         get("_start"),
		alloc:         get("proxy_on_memory_allocate"),
		contextCreate: get("proxy_on_context_create"),
		vmStart:       get("proxy_on_vm_start"),
		configure:     get("proxy_on_configure"),
		tick:          get("proxy_on_tick"),
		queueReady:    get("proxy_on_queue_ready"),
		callResponse:  get("proxy_on_http_call_response"),
		done:          get("proxy_on_done"),
		log:           get("proxy_on_log"),
		delete:        get("proxy_on_delete"),
		request:       messageCallbacks{get("proxy_on_request_headers"), get("proxy_on_request_body"), get("proxy_on_request_trailers")},
		response:      messageCallbacks{get("proxy_on_response_headers"), get("proxy_on_response_body"), get("proxy_on_response_trailers")},
	}
	if vm.fn.alloc == nil {
		vm.fn.alloc = get("malloc")
	}
}

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

// call runs a callback of the module for a context; its result is 0 if it has none. When the callback has
// returned, what it asked for happens. alive is false if the VM is dead, or died of a trap.
func (vm *VM) call(f api.Function, context uint32, params ...uint32) (result uint32, alive bool) {
	if vm.dead != nil {
		return 0, false
	}
	vm.stack[0] = 0
	for i, param := range params {
		vm.stack[i] = uint64(param)
	}
	current, effective := vm.current, vm.effective
	vm.current, vm.effective = context, 0
	err := f.CallWithStack(vm.ctx, vm.stack[:])
	vm.current, vm.effective = current, effective
	if err != nil {
		vm.kill(fmt.Errorf("%s: %w", f.Definition().ExportNames()[0], err))
		return 0, false
	}
	if len(f.Definition().ResultTypes()) > 0 {
		result = uint32(vm.stack[0])
	}
	vm.runAfter()
	return result, vm.dead == nil
}

// runAfter does what the callback that has just returned asked for.
func (vm *VM) runAfter() {
	if len(vm.after) == 0 {
		return
	}
	actions := vm.after
	vm.after = nil
	for _, act := range actions {
		act()
	}
}

func (vm *VM) kill(err error) {
	vm.dead = err
	vm.after = nil
	vm.setTick(0)
	if vm.booted {
		vm.proxy.logAt(vm.worker, LevelCritical, err.Error())
	}
}

// Dead is the trap that killed the VM, nil while it lives.
func (vm *VM) Dead() error { return vm.dead }

// Worker is the index of the worker that this VM runs or ran on.
func (vm *VM) Worker() int { return vm.worker }

// Streams is the number of streams open in the VM.
func (vm *VM) Streams() int { return len(vm.streams) }

// Memory is the size of the module's linear memory, bytes. WebAssembly memory never shrinks.
func (vm *VM) Memory() int { return int(vm.mem.Size()) }

// Allocations counts how often the host had the module allocate memory.
func (vm *VM) Allocations() int { return vm.allocations }

// shutdown ends the open streams and the plugin context, and frees the VM.
func (vm *VM) shutdown() error {
	for id := uint32(0); id < vm.nextID && len(vm.streams) > 0; id++ {
		if s := vm.streams[id]; s != nil {
			s.Cancel()
		}
	}
	if vm.dead == nil {
		completed := uint32(1)
		if vm.fn.done != nil {
			completed, _ = vm.call(vm.fn.done, vm.root, vm.root)
		}
		if completed == 0 {
			vm.donePending = true
		} else {
			vm.deleteRoot()
		}
	}
	vm.setTick(0)
	if vm.dead == nil {
		vm.dead = errors.New("closed")
	}
	return vm.mod.Close(vm.proxy.ctx)
}

func (vm *VM) deleteRoot() {
	if vm.fn.delete != nil {
		vm.call(vm.fn.delete, vm.root, vm.root)
	}
}
