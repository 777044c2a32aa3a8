package host

import "bytes"

// queues are the shared queues of the process. A queue's id is its index plus 1.
type queues struct {
	all []*queue
}

type queue struct {
	name  string
	items [][]byte
	root  *root // the last that registered the queue: it alone is told of new items
}

func (q *queues) find(name string) (id uint32, found bool) {
	for i := range q.all {
		if q.all[i].name == name {
			return uint32(i) + 1, true
		}
	}
	return 0, false
}

func (q *queues) get(id uint32) *queue {
	if id == 0 || int(id) > len(q.all) {
		return nil
	}
	return q.all[id-1]
}

// Queues is how many shared queues there are. As in Envoy none goes.
func (p *Proxy) Queues() int { return len(p.queues.all) }

var queueFuncs = []hostFunc{
	{name: "proxy_register_shared_queue", params: "iii", run: registerQueue},
	{name: "proxy_resolve_shared_queue", params: "iiiii", run: resolveQueue},
	{name: "proxy_enqueue_shared_queue", params: "iii", run: enqueue},
	{name: "proxy_dequeue_shared_queue", params: "iii", run: dequeue},
}

func registerQueue(vm *VM, stack []uint64) status {
	name, inside := vm.bytes(stack, 0)
	if !inside || !vm.writable(u32(stack, 2), 4) {
		return statusInvalidMemoryAccess
	}
	queues := &vm.proxy.queues
	id, found := queues.find(string(name))
	if !found {
		queues.all = append(queues.all, &queue{name: string(name)})
		id = uint32(len(queues.all))
	}
	queues.get(id).root = vm.root()
	return vm.returnU32(stack, 2, id)
}

func resolveQueue(vm *VM, stack []uint64) status {
	vmID, idInside := vm.bytes(stack, 0)
	name, nameInside := vm.bytes(stack, 2)
	if !idInside || !nameInside {
		return statusInvalidMemoryAccess
	}
	id, found := vm.proxy.queues.find(string(name))
	if !found || len(vmID) > 0 && string(vmID) != vm.proxy.config.VMID {
		return statusNotFound
	}
	return vm.returnU32(stack, 4, id)
}

func enqueue(vm *VM, stack []uint64) status {
	item, inside := vm.bytes(stack, 1)
	if !inside {
		return statusInvalidMemoryAccess
	}
	id := u32(stack, 0)
	q := vm.proxy.queues.get(id)
	if q == nil {
		return statusNotFound
	}
	q.items = append(q.items, bytes.Clone(item))
	told := q.root
	vm.proxy.clock.at(0, func() {
		if vm := told.vm; vm.fn.queueReady != nil && vm.roots[told.id] != nil {
			vm.call(vm.fn.queueReady, told.id, told.id, id)
		}
	})
	return statusOK
}

func dequeue(vm *VM, stack []uint64) status {
	q := vm.proxy.queues.get(u32(stack, 0))
	switch {
	case q == nil:
		return statusNotFound
	case len(q.items) == 0:
		return statusEmpty
	}
	result := returnValue(vm, stack, 1, q.items[0])
	if result == statusOK {
		q.items = q.items[1:]
	}
	return result
}
