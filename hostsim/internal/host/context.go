package host

// stream is the stream that host functions act on: that of the effective context, or of the running callback. It is
// nil in the plugin context.
func (vm *VM) stream() *Stream {
	if vm.effective != 0 {
		if s := vm.streams[vm.effective]; s != nil {
			return s
		}
		if vm.roots[vm.effective] != nil {
			return nil
		}
	}
	return vm.streams[vm.current]
}

var contextFuncs = []hostFunc{
	{name: "proxy_set_effective_context", params: "i", run: setEffectiveContext},
	{name: "proxy_done", params: "", run: always(statusNotFound)}, // nothing here waits for it
	{name: "proxy_continue_stream", params: "i", run: continueStream},
	{name: "proxy_close_stream", params: "i", run: closeStream},
	{name: "proxy_send_local_response", params: "iiiiiiii", run: sendLocalResponse},
	{name: "proxy_get_status", params: "iii", run: getStatus},
}

func setEffectiveContext(vm *VM, stack []uint64) status {
	id := u32(stack, 0)
	if id != 0 && vm.roots[id] == nil && vm.streams[id] == nil {
		return statusBadArgument
	}
	vm.effective = id
	return statusOK
}

func continueStream(vm *VM, stack []uint64) status {
	s := vm.stream()
	switch u32(stack, 0) {
	case streamRequest:
		if s != nil {
			vm.after = append(vm.after, s.request.resume)
		}
	case streamResponse:
		if s != nil {
			vm.after = append(vm.after, s.response.resume)
		}
	case streamDownstream:
		return statusOK
	case streamUpstream:
		return statusUnimplemented
	default:
		return statusBadArgument
	}
	if s != nil { // Envoy takes the request away whichever stream is continued
		s.request.headersOpen, s.request.trailerOpen, s.request.chunkOpen = false, false, false
	}
	return statusOK
}

func closeStream(vm *VM, stack []uint64) status {
	kind := u32(stack, 0)
	if kind > streamUpstream {
		return statusBadArgument
	}
	if s := vm.stream(); s != nil && kind <= streamResponse {
		if s.details == "" {
			s.details = "wasm_close_stream"
		}
		vm.after = append(vm.after, s.abort)
	}
	return statusOK
}

func getStatus(vm *VM, stack []uint64) status {
	message := ""
	if vm.callStatus != statusOK {
		message = "reset"
	}
	if result := vm.returnU32(stack, 0, uint32(vm.callStatus)); result != statusOK {
		return result
	}
	return returnValue(vm, stack, 1, message)
}

// miscFuncs exist but do nothing useful: this host has no foreign functions and no gRPC.
var miscFuncs = []hostFunc{
	{name: "proxy_call_foreign_function", params: "iiiiii", run: func(vm *VM, stack []uint64) status {
		_, nameInside := vm.bytes(stack, 0)
		_, argumentsInside := vm.bytes(stack, 2)
		if !nameInside || !argumentsInside {
			return statusInvalidMemoryAccess
		}
		return statusNotFound
	}},
	{name: "proxy_grpc_call", params: "iiiiiiiiiiii", run: always(statusInternalFailure)},
	{name: "proxy_grpc_stream", params: "iiiiiiiii", run: always(statusInternalFailure)},
	{name: "proxy_grpc_send", params: "iiii", run: always(statusNotFound)},
	{name: "proxy_grpc_cancel", params: "i", run: always(statusNotFound)},
	{name: "proxy_grpc_close", params: "i", run: always(statusNotFound)},
	{name: "pthread_equal", params: "ii", run: func(_ *VM, stack []uint64) status {
		return status(flag(u32(stack, 0) == u32(stack, 1)))
	}},
	{name: "emscripten_notify_memory_growth", params: "i", noValue: true, run: always(statusOK), atStart: true},
}

func always(result status) func(*VM, []uint64) status {
	return func(*VM, []uint64) status { return result }
}
