package host

import (
	"errors"
	"fmt"
)

// u32 is parameter i of a host function; the upper half of an i32 on wazero's stack is undefined.
func u32(stack []uint64, i int) uint32 { return uint32(stack[i]) }

// bytes is the guest's memory of parameters i (address) and i+1 (size), not copied. It must not be kept, nor
// used after the guest may have grown its memory, as any allocation may.
func (vm *VM) bytes(stack []uint64, i int) ([]byte, bool) {
	size := u32(stack, i+1)
	if size == 0 {
		return nil, true
	}
	return vm.mem.Read(u32(stack, i), size)
}

// alloc has the guest allocate size bytes, more than 0, and gives their address. It panics, which traps the
// callback that is running, when the guest's allocator traps.
func (vm *VM) alloc(size uint32) (uint32, bool) {
	vm.allocStack[0] = uint64(size)
	vm.allocations++
	if err := vm.fn.alloc.CallWithStack(vm.ctx, vm.allocStack[:]); err != nil {
		panic(fmt.Errorf("in the module's allocator: %w", err))
	}
	address := uint32(vm.allocStack[0])
	return address, address != 0
}

// reserve has the guest allocate size bytes and gives them to be filled, with their address. Size 0 is never
// allocated, since allocators exist that cannot: it is the null pointer.
func (vm *VM) reserve(size int) ([]byte, uint32, bool) {
	if size == 0 {
		return nil, 0, true
	}
	address, done := vm.alloc(uint32(size))
	if !done {
		return nil, 0, false
	}
	space, inside := vm.mem.Read(address, uint32(size))
	return space, address, inside
}

// returnValue copies value to memory the guest allocates, and writes address and size where parameters i and i+1 point.
func returnValue[T []byte | string](vm *VM, stack []uint64, i int, value T) status {
	addressAt, sizeAt := u32(stack, i), u32(stack, i+1)
	if !vm.writable(addressAt, 4) || !vm.writable(sizeAt, 4) {
		return statusInvalidMemoryAccess
	}
	space, address, done := vm.reserve(len(value))
	if !done {
		return statusInvalidMemoryAccess
	}
	copy(space, value)
	vm.mem.WriteUint32Le(addressAt, address)
	vm.mem.WriteUint32Le(sizeAt, uint32(len(value)))
	return statusOK
}

// returnU32 writes value where parameter i points.
func (vm *VM) returnU32(stack []uint64, i int, value uint32) status {
	if !vm.mem.WriteUint32Le(u32(stack, i), value) {
		return statusInvalidMemoryAccess
	}
	return statusOK
}

// returnU64 writes value where parameter i points.
func (vm *VM) returnU64(stack []uint64, i int, value uint64) status {
	if !vm.mem.WriteUint64Le(u32(stack, i), value) {
		return statusInvalidMemoryAccess
	}
	return statusOK
}

func (vm *VM) writable(address, size uint32) bool {
	return uint64(address)+uint64(size) <= uint64(vm.mem.Size())
}

var errNoMemory = errors.New("the module exports no memory")
