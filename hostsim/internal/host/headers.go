package host

import "slices"

var headerFuncs = []hostFunc{
	{name: "proxy_get_header_map_size", params: "ii", run: getHeaderMapSize},
	{name: "proxy_get_header_map_pairs", params: "iii", run: getHeaderMapPairs},
	{name: "proxy_set_header_map_pairs", params: "iii", run: setHeaderMapPairs},
	{name: "proxy_get_header_map_value", params: "iiiii", run: getHeaderMapValue},
	{name: "proxy_add_header_map_value", params: "iiiii", run: addHeaderMapValue},
	{name: "proxy_replace_header_map_value", params: "iiiii", run: replaceHeaderMapValue},
	{name: "proxy_remove_header_map_value", params: "iii", run: removeHeaderMapValue},
}

// readable is the map that can be read now; open is false if there is none.
func (vm *VM) readable(kind uint32) (hs Headers, open bool) {
	if kind == mapCallResponseHeaders || kind == mapCallResponseTrailers {
		if vm.response == nil || vm.response.answer == nil {
			return nil, false
		}
		if kind == mapCallResponseHeaders {
			return vm.response.answer.Headers, true
		}
		return vm.response.answer.Trailers, true
	}
	s := vm.stream()
	if s != nil && s.logging {
		switch kind {
		case mapRequestHeaders:
			return s.request.headers, s.request.seen
		case mapResponseHeaders:
			return s.response.headers, s.response.seen || s.response.out.Started
		case mapResponseTrailers:
			return s.response.trailers, s.response.hasTrailers
		}
	}
	m := vm.writeable(kind)
	if m == nil {
		return nil, false
	}
	return *m, true
}

// writeable is the map that can be changed now, or nil. What has left the proxy is not changed with it.
func (vm *VM) writeable(kind uint32) *Headers {
	s := vm.stream()
	if s == nil || kind > mapResponseTrailers {
		return nil
	}
	h := &s.request
	if kind >= mapResponseHeaders {
		h = &s.response
	}
	if kind == mapRequestTrailers || kind == mapResponseTrailers {
		if !h.trailerOpen {
			return nil
		}
		return &h.trailers
	}
	if !h.headersOpen {
		return nil
	}
	return &h.headers
}

// detached is writeable for a change: a map that has left the proxy is copied first.
func (vm *VM) detached(kind uint32) *Headers {
	m := vm.writeable(kind)
	if m == nil || kind != mapRequestHeaders && kind != mapResponseHeaders {
		return m
	}
	s := vm.stream()
	h := &s.request
	if kind == mapResponseHeaders {
		h = &s.response
	}
	if h.out.Started {
		*m = slices.Clone(*m)
	}
	return m
}

func getHeaderMapSize(vm *VM, stack []uint64) status {
	m := vm.writeable(u32(stack, 0))
	if m == nil {
		return statusBadArgument
	}
	size := 0
	for _, h := range *m {
		size += len(h.Name) + len(h.Value)
	}
	return vm.returnU32(stack, 1, uint32(size))
}

func getHeaderMapPairs(vm *VM, stack []uint64) status {
	kind, addressAt, sizeAt := u32(stack, 0), u32(stack, 1), u32(stack, 2)
	if kind > mapLast {
		return statusBadArgument
	}
	if !vm.writable(addressAt, 4) || !vm.writable(sizeAt, 4) {
		return statusInvalidMemoryAccess
	}
	hs, _ := vm.readable(kind)
	size := hs.serializedSize()
	space, address, done := vm.reserve(size)
	if !done {
		return statusInvalidMemoryAccess
	}
	hs.serialize(space)
	vm.mem.WriteUint32Le(addressAt, address)
	vm.mem.WriteUint32Le(sizeAt, uint32(size))
	return statusOK
}

func setHeaderMapPairs(vm *VM, stack []uint64) status {
	kind := u32(stack, 0)
	pairs, inside := vm.bytes(stack, 1)
	if kind <= mapLast && !inside {
		return statusInvalidMemoryAccess
	}
	m := vm.writeable(kind)
	if m == nil {
		return statusBadArgument
	}
	*m = parseHeaders(pairs)
	return statusOK
}

func getHeaderMapValue(vm *VM, stack []uint64) status {
	kind := u32(stack, 0)
	if kind > mapLast {
		return statusBadArgument
	}
	key, inside := vm.bytes(stack, 1)
	if !inside {
		return statusInvalidMemoryAccess
	}
	hs, open := vm.readable(kind)
	if !open {
		if s := vm.stream(); s != nil && s.logging {
			return statusNotFound
		}
		return statusBadArgument
	}
	key = lowerKey(key)
	for i := range hs {
		if hs[i].Name == string(key) {
			return returnValue(vm, stack, 3, hs[i].Value)
		}
	}
	return statusNotFound
}

// change finds the map and the memory that add, replace and remove share.
func (vm *VM) change(stack []uint64, hasValue bool) (m *Headers, name, value string, result status) {
	kind := u32(stack, 0)
	if kind > mapLast {
		return nil, "", "", statusBadArgument
	}
	key, keyInside := vm.bytes(stack, 1)
	text, textInside := []byte(nil), true
	if hasValue {
		text, textInside = vm.bytes(stack, 3)
	}
	if !keyInside || !textInside {
		return nil, "", "", statusInvalidMemoryAccess
	}
	if m = vm.detached(kind); m == nil {
		return nil, "", "", statusBadArgument
	}
	return m, string(lowerKey(key)), string(text), statusOK
}

func addHeaderMapValue(vm *VM, stack []uint64) status {
	m, name, value, result := vm.change(stack, true)
	if result == statusOK {
		m.Add(name, value)
	}
	return result
}

func replaceHeaderMapValue(vm *VM, stack []uint64) status {
	m, name, value, result := vm.change(stack, true)
	if result == statusOK {
		m.Set(name, value)
	}
	return result
}

func removeHeaderMapValue(vm *VM, stack []uint64) status {
	m, name, _, result := vm.change(stack, false)
	if result == statusOK {
		m.Del(name)
	}
	return result
}
