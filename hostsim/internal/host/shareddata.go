package host

import (
	"maps"
	"slices"
)

// sharedData is the key-value store of the VMs of one vm_id. Every write gives the key another CAS number.
type sharedData struct {
	items map[string]*sharedItem
	cas   uint32
}

type sharedItem struct {
	value []byte
	cas   uint32
}

// set writes a value; cas 0 is unconditional. As in Envoy a missing key is created whatever cas is.
func (d *sharedData) set(key, value []byte, cas uint32) status {
	item := d.items[string(key)]
	if item == nil {
		if d.items == nil {
			d.items = map[string]*sharedItem{}
		}
		item = &sharedItem{}
		d.items[string(key)] = item
	} else if cas != 0 && cas != item.cas {
		return statusCASMismatch
	}
	d.cas++
	if d.cas == 0 { // 0 would mean unconditional
		d.cas = 1
	}
	item.value = append(item.value[:0], value...)
	item.cas = d.cas
	return statusOK
}

// SharedData is a copy of the value that the VMs share under key.
func (p *Proxy) SharedData(key string) (value []byte, found bool) {
	item := p.shared.items[key]
	if item == nil {
		return nil, false
	}
	return slices.Clone(item.value), true
}

// SetSharedData writes a value as a VM would.
func (p *Proxy) SetSharedData(key string, value []byte) { p.shared.set([]byte(key), value, 0) }

// SharedKeys are the keys of the shared data, sorted.
func (p *Proxy) SharedKeys() []string { return slices.Sorted(maps.Keys(p.shared.items)) }

var sharedDataFuncs = []hostFunc{
	{name: "proxy_get_shared_data", params: "iiiii", run: getSharedData},
	{name: "proxy_set_shared_data", params: "iiiii", run: setSharedData},
}

func getSharedData(vm *VM, stack []uint64) status {
	key, inside := vm.bytes(stack, 0)
	if !inside || !vm.writable(u32(stack, 4), 4) {
		return statusInvalidMemoryAccess
	}
	item := vm.proxy.shared.items[string(key)]
	if item == nil {
		return statusNotFound
	}
	if result := returnValue(vm, stack, 2, item.value); result != statusOK {
		return result
	}
	return vm.returnU32(stack, 4, item.cas)
}

func setSharedData(vm *VM, stack []uint64) status {
	key, keyInside := vm.bytes(stack, 0)
	value, valueInside := vm.bytes(stack, 2)
	if !keyInside || !valueInside {
		return statusInvalidMemoryAccess
	}
	return vm.proxy.shared.set(key, value, u32(stack, 4))
}
