package host

import (
	"bytes"
	"fmt"
	"math/rand/v2"

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

	roots       map[uint32]*root   // the plugin contexts, by id
	nextID      uint32             // of contexts
	streams     map[uint32]*Stream // by context id
	current     uint32             // context of the callback that runs, 0 when none does
	effective   uint32             // what proxy_set_effective_context made of it, or 0
	starting    bool               // in _initialize or _start
	booted      bool               // the start was accepted; a trap before is an error of NewProxy
	configuring bool               // the plugin's configuration can be read
	after       []func()           // what the callback asked for, to happen when it has returned
	stack       [8]uint64
	allocStack  [1]uint64
	allocations int // by this host, in the module's memory

	metricIDs  [3][]*Metric
	response   *Callout // the answered HTTP call whose callback runs
	callStatus status   // for proxy_get_status
	callID     uint32   // of the latest HTTP call

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
		alloc:         get("malloc"), // Envoy 1.40 takes it where both are there: TinyGo's is never freed
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
		vm.fn.alloc = get("proxy_on_memory_allocate")
	}
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
	vm.stopTicks()
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

// Used is the bytes of it that are in pages of 4 KB that are not all zero: about what a proxy has to have in memory, as modules
// may reserve much more.
func (vm *VM) Used() (n int) {
	const page = 4 << 10
	memory, _ := vm.mem.Read(0, vm.mem.Size())
	for ; len(memory) >= page; memory = memory[page:] {
		if !bytes.Equal(memory[:page], zeros[:]) {
			n += page
		}
	}
	return n
}

var zeros [4 << 10]byte

// Allocations counts how often the host had the module allocate memory.
func (vm *VM) Allocations() int { return vm.allocations }
