package host

import "slices"

var bufferFuncs = []hostFunc{
	{name: "proxy_get_buffer_bytes", params: "iiiii", run: getBufferBytes},
	{name: "proxy_get_buffer_status", params: "iii", run: getBufferStatus},
	{name: "proxy_set_buffer_bytes", params: "iiiii", run: setBufferBytes},
}

// bufferOf is the buffer as it can be read now. As in Envoy a body outside of its callback reads as empty, while
// what belongs to another callback is not found.
func (vm *VM) bufferOf(kind uint32) ([]byte, status) {
	switch kind {
	case bufferRequestBody:
		if s := vm.stream(); s != nil {
			return s.request.view(), statusOK
		}
	case bufferResponseBody:
		if s := vm.stream(); s != nil {
			return s.response.view(), statusOK
		}
	case bufferCallResponseBody:
		if vm.response == nil || vm.response.answer == nil {
			return nil, statusNotFound
		}
		return vm.response.answer.Body, statusOK
	case bufferVMConfig:
		return vm.proxy.config.VMConfig, statusOK
	case bufferPluginConfig:
		if !vm.configuring {
			return nil, statusNotFound
		}
		return vm.root().plugin.Config, statusOK
	}
	if kind > bufferLast {
		return nil, statusBadArgument
	}
	return nil, statusOK
}

func getBufferBytes(vm *VM, stack []uint64) status {
	buffer, result := vm.bufferOf(u32(stack, 0))
	if result != statusOK {
		return result
	}
	start, size := uint64(u32(stack, 1)), uint64(u32(stack, 2))
	end := min(start+size, uint64(len(buffer)))
	start = min(start, end)
	return returnValue(vm, stack, 3, buffer[start:end])
}

func getBufferStatus(vm *VM, stack []uint64) status {
	buffer, result := vm.bufferOf(u32(stack, 0))
	if result != statusOK {
		return result
	}
	if result := vm.returnU32(stack, 1, uint32(len(buffer))); result != statusOK {
		return result
	}
	return vm.returnU32(stack, 2, 0)
}

// setBufferBytes changes a body. Envoy can put before, put after and replace all, and nothing else.
func setBufferBytes(vm *VM, stack []uint64) status {
	kind := u32(stack, 0)
	old, result := vm.bufferOf(kind)
	if result != statusOK {
		return result
	}
	value, inside := vm.bytes(stack, 3)
	if !inside {
		return statusInvalidMemoryAccess
	}
	s := vm.stream()
	if s == nil || kind > bufferResponseBody {
		return statusBadArgument
	}
	h := &s.request
	if kind == bufferResponseBody {
		h = &s.response
	}
	if !h.buffering && !h.chunkOpen {
		return statusBadArgument
	}
	var changed []byte
	start, size := int64(u32(stack, 1)), int64(u32(stack, 2))
	switch length := int64(len(old)); {
	case start == 0 && size == 0:
		changed = slices.Concat(value, old)
	case start == 0 && size >= length:
		changed = slices.Clone(value)
	case start != 0 && start >= length:
		changed = slices.Concat(old, value)
	default:
		return statusBadArgument
	}
	if h.buffering {
		h.buffer = changed
	} else {
		h.chunk = changed
	}
	return statusOK
}
