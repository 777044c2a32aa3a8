package host

import (
	"encoding/binary"
	"math/rand/v2"
	"strings"
)

// Results of WASI functions, wasi_errno_t.
const (
	errnoSuccess = 0
	errnoBadFD   = 8
	errnoFault   = 21
	errnoInval   = 28
	errnoNoEnt   = 44
	errnoNoSys   = 52
	errnoNotSup  = 58
)

// wasiFuncs are the names that Envoy 1.40 links; what it leaves out is left out here. There are no files or
// arguments, the environment is Config.Env, time is virtual, and randomness comes from Config.Seed.
var wasiFuncs = []hostFunc{
	{name: "fd_write", params: "iiii", run: fdWrite, atStart: true},
	{name: "clock_time_get", params: "iIi", run: clockTimeGet, atStart: true},
	{name: "clock_res_get", params: "ii", run: func(vm *VM, stack []uint64) status { return vm.wasiU64(u32(stack, 1), 1) }},
	{name: "random_get", params: "ii", run: randomGet, atStart: true},
	{name: "args_sizes_get", params: "ii", run: twoZeroes, atStart: true},
	{name: "args_get", params: "ii", run: wasiResult(errnoSuccess), atStart: true},
	{name: "environ_sizes_get", params: "ii", run: environSizes, atStart: true},
	{name: "environ_get", params: "ii", run: environ, atStart: true},
	{name: "fd_prestat_get", params: "ii", run: wasiResult(errnoBadFD), atStart: true},
	{name: "fd_prestat_dir_name", params: "iii", run: wasiResult(errnoNoSys), atStart: true},
	{name: "fd_fdstat_get", params: "ii", run: fdstatGet, atStart: true},
	{name: "fd_fdstat_set_flags", params: "ii", run: wasiResult(errnoSuccess), atStart: true},
	{name: "proc_exit", params: "i", noValue: true, run: procExit, atStart: true},
	{name: "sched_yield", params: "", run: wasiResult(errnoSuccess), atStart: true},
	{name: "poll_oneoff", params: "iiii", run: pollOneoff, atStart: true},
	{name: "fd_close", params: "i", run: wasiResult(errnoSuccess)},
	{name: "fd_seek", params: "iIii", run: wasiResult(errnoSuccess)},
	{name: "path_open", params: "iiiiiIIii", run: wasiResult(errnoNoEnt)},
	{name: "fd_read", params: "iiii", run: wasiResult(errnoNoSys)},
	{name: "fd_advise", params: "iIIi", run: wasiResult(errnoNoSys)},
	{name: "fd_allocate", params: "iII", run: wasiResult(errnoNoSys)},
	{name: "fd_datasync", params: "i", run: wasiResult(errnoNoSys)},
	{name: "fd_fdstat_set_rights", params: "iII", run: wasiResult(errnoNoSys)},
	{name: "fd_filestat_get", params: "ii", run: wasiResult(errnoNoSys)},
	{name: "fd_filestat_set_size", params: "iI", run: wasiResult(errnoNoSys)},
	{name: "fd_filestat_set_times", params: "iIIi", run: wasiResult(errnoNoSys)},
	{name: "fd_pread", params: "iiiIi", run: wasiResult(errnoNoSys)},
	{name: "fd_pwrite", params: "iiiIi", run: wasiResult(errnoNoSys)},
	{name: "fd_readdir", params: "iiiIi", run: wasiResult(errnoNoSys)},
	{name: "fd_renumber", params: "ii", run: wasiResult(errnoNoSys)},
	{name: "fd_sync", params: "i", run: wasiResult(errnoNoSys)},
	{name: "fd_tell", params: "ii", run: wasiResult(errnoNoSys)},
	{name: "path_create_directory", params: "iii", run: wasiResult(errnoNoSys)},
	{name: "path_filestat_get", params: "iiiii", run: wasiResult(errnoNoSys)},
	{name: "path_filestat_set_times", params: "iiiiIIi", run: wasiResult(errnoNoSys)},
	{name: "path_link", params: "iiiiiii", run: wasiResult(errnoNoSys)},
	{name: "path_readlink", params: "iiiiii", run: wasiResult(errnoNoSys)},
	{name: "path_remove_directory", params: "iii", run: wasiResult(errnoNoSys)},
	{name: "path_rename", params: "iiiiii", run: wasiResult(errnoNoSys)},
	{name: "path_symlink", params: "iiiii", run: wasiResult(errnoNoSys)},
	{name: "path_unlink_file", params: "iii", run: wasiResult(errnoNoSys)},
	{name: "sock_accept", params: "iii", run: wasiResult(errnoNoSys)},
	{name: "sock_recv", params: "iiiiii", run: wasiResult(errnoNoSys)},
	{name: "sock_send", params: "iiiii", run: wasiResult(errnoNoSys)},
	{name: "sock_shutdown", params: "ii", run: wasiResult(errnoNoSys)},
}

func wasiResult(errno status) func(*VM, []uint64) status {
	return func(*VM, []uint64) status { return errno }
}

func (vm *VM) wasiU64(address uint32, value uint64) status {
	if !vm.mem.WriteUint64Le(address, value) {
		return errnoFault
	}
	return errnoSuccess
}

func twoZeroes(vm *VM, stack []uint64) status {
	if !vm.mem.WriteUint32Le(u32(stack, 0), 0) || !vm.mem.WriteUint32Le(u32(stack, 1), 0) {
		return errnoFault
	}
	return errnoSuccess
}

// environSizes writes how many variables there are, and the bytes of their text.
func environSizes(vm *VM, stack []uint64) status {
	size := uint32(0)
	for _, pair := range vm.proxy.config.Env {
		size += uint32(len(pair)) + 1
	}
	if !vm.mem.WriteUint32Le(u32(stack, 0), uint32(len(vm.proxy.config.Env))) || !vm.mem.WriteUint32Le(u32(stack, 1), size) {
		return errnoFault
	}
	return errnoSuccess
}

// environ writes a pointer to each variable, and the text, each ended by a zero.
func environ(vm *VM, stack []uint64) status {
	pointer, text := u32(stack, 0), u32(stack, 1)
	for _, pair := range vm.proxy.config.Env {
		if !vm.mem.WriteUint32Le(pointer, text) || !vm.mem.Write(text, append([]byte(pair), 0)) {
			return errnoFault
		}
		pointer, text = pointer+4, text+uint32(len(pair))+1
	}
	return errnoSuccess
}

// fdWrite logs what is written: one entry a call, without its last newline.
func fdWrite(vm *VM, stack []uint64) status {
	var level Level
	switch u32(stack, 0) {
	case 1:
		level = LevelInfo
	case 2:
		level = LevelError
	default:
		return errnoBadFD
	}
	var text strings.Builder
	count := uint64(u32(stack, 2))
	for i := uint64(0); i < count; i++ {
		at := uint64(u32(stack, 1)) + 8*i
		if at+8 > uint64(vm.mem.Size()) {
			return errnoFault
		}
		vector, _ := vm.mem.Read(uint32(at), 8)
		part, inside := vm.mem.Read(binary.LittleEndian.Uint32(vector), binary.LittleEndian.Uint32(vector[4:]))
		if !inside {
			return errnoFault
		}
		text.Write(part)
	}
	if text.Len() > 0 {
		vm.proxy.logAt(vm.worker, level, strings.TrimSuffix(text.String(), "\n"))
	}
	if !vm.mem.WriteUint32Le(u32(stack, 3), uint32(text.Len())) {
		return errnoFault
	}
	return errnoSuccess
}

// monotonicZero is what the monotonic clock shows when the proxy starts, ns: not 0, which some runtimes take for an error.
const monotonicZero = 1_000_000_000

func clockTimeGet(vm *VM, stack []uint64) status {
	now := vm.proxy.clock.now
	switch u32(stack, 0) {
	case 0:
		now += vm.proxy.clock.skew
	case 1:
		now += monotonicZero - vm.proxy.config.Start
	default:
		return errnoNotSup
	}
	return vm.wasiU64(u32(stack, 2), uint64(now))
}

// maxRandom is the most bytes that Envoy gives at once.
const maxRandom = 64 << 10

func randomGet(vm *VM, stack []uint64) status {
	size := u32(stack, 1)
	if size > maxRandom {
		return errnoInval
	}
	space, inside := vm.mem.Read(u32(stack, 0), size)
	if !inside {
		return errnoFault
	}
	_, _ = vm.random.Read(space) // never fails
	return errnoSuccess
}

// NewRandom is what a worker of a proxy takes for random, a stream of its own for each.
func NewRandom(seed uint64, worker int) *rand.ChaCha8 {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], seed)
	binary.LittleEndian.PutUint64(key[8:], uint64(worker))
	return rand.NewChaCha8(key)
}

func fdstatGet(vm *VM, stack []uint64) status {
	if fd := u32(stack, 0); fd != 1 && fd != 2 {
		return errnoBadFD
	}
	const rightToWrite = 64
	var stat [24]byte
	binary.LittleEndian.PutUint64(stat[8:], rightToWrite)
	if !vm.mem.Write(u32(stack, 1), stat[:]) {
		return errnoFault
	}
	return errnoSuccess
}

// procExit returns to the module, as Envoy's does; a module that relies on the opposite traps next.
func procExit(vm *VM, _ []uint64) status {
	vm.proxy.logAt(vm.worker, LevelTrace, "proc_exit")
	return errnoSuccess
}

// pollOneoff reports every subscription to a clock as due at once: a callback cannot wait.
func pollOneoff(vm *VM, stack []uint64) status {
	const subscriptionSize, eventSize = 48, 32
	in, out, count := uint64(u32(stack, 0)), uint64(u32(stack, 1)), uint64(u32(stack, 2))
	size := uint64(vm.mem.Size())
	if count == 0 {
		return errnoInval
	}
	if in+count*subscriptionSize > size || out+count*eventSize > size {
		return errnoFault
	}
	for i := range count {
		subscription, _ := vm.mem.Read(uint32(in+i*subscriptionSize), subscriptionSize)
		if subscription[8] != 0 { // the tag; 0 is clock
			return errnoNotSup
		}
		var event [eventSize]byte
		copy(event[:8], subscription[:8]) // user data
		vm.mem.Write(uint32(out+i*eventSize), event[:])
	}
	if !vm.mem.WriteUint32Le(u32(stack, 3), uint32(count)) {
		return errnoFault
	}
	return errnoSuccess
}
