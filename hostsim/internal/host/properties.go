package host

var propertyFuncs = []hostFunc{
	{name: "proxy_get_property", params: "iiii", run: getProperty},
	{name: "proxy_set_property", params: "iiii", run: setProperty},
}

// statePrefix is what Envoy puts before the path of a property that a module sets, to name it in the filter state.
const statePrefix = "wasm."

// getProperty finds what the module set for its stream, the plugin's own properties, and what Config.Property knows.
func getProperty(vm *VM, stack []uint64) status {
	raw, inside := vm.bytes(stack, 0)
	if !inside {
		return statusInvalidMemoryAccess
	}
	path := splitPath(string(raw))
	s := vm.stream()
	if len(path) == 1 {
		config := &vm.proxy.config
		switch path[0] {
		case "plugin_name":
			return returnValue(vm, stack, 2, vm.root().plugin.Name)
		case "plugin_root_id":
			return returnValue(vm, stack, 2, vm.root().plugin.RootID)
		case "plugin_vm_id":
			return returnValue(vm, stack, 2, config.VMID)
		}
		if s != nil {
			if value, found := s.state[statePrefix+path[0]]; found {
				return returnValue(vm, stack, 2, value)
			}
		}
	}
	if vm.proxy.config.Property != nil {
		if value, found := vm.proxy.config.Property(s, path); found {
			return returnValue(vm, stack, 2, value)
		}
	}
	return statusNotFound
}

func setProperty(vm *VM, stack []uint64) status {
	path, pathInside := vm.bytes(stack, 0)
	value, valueInside := vm.bytes(stack, 2)
	if !pathInside || !valueInside {
		return statusInvalidMemoryAccess
	}
	s := vm.stream()
	if s == nil {
		return statusNotFound
	}
	if s.state == nil {
		s.state = map[string]string{}
	}
	s.state[statePrefix+string(path)] = string(value)
	return statusOK
}
