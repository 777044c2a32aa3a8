// Command guest is a proxy-wasm module for the tests of package host. It knows no SDK. Its plugin configuration is a
// script: each line is an event, an operation and the operation's arguments, with "|" between them. When the event comes, its
// operations run in order, and each logs itself with the status and what it got. Every event is logged too.
package main

import (
	"strconv"
	"strings"
)

func main() {}

type step struct {
	event string
	op    string
	args  []string
}

var (
	script  []step
	allocs  int
	zeroes  int
	kept    = map[*byte][]byte{}
	lastCAS uint32
)

//go:wasmexport proxy_abi_version_0_2_1
func abiVersion() {}

//go:wasmexport proxy_on_memory_allocate
func onMemoryAllocate(size uint32) uint32 {
	allocs++
	if size == 0 {
		zeroes++
		panic("asked to allocate 0 bytes")
	}
	b := make([]byte, size)
	kept[&b[0]] = b
	return address(b)
}

func num(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

func dec(n uint32) string { return strconv.FormatUint(uint64(n), 10) }

// on runs the event's steps; what a step "return" says is the callback's result.
func on(event string, id uint32, result uint32, sizes ...uint32) uint32 {
	pinned = pinned[:0]
	text := "on " + event + " " + dec(id)
	for _, size := range sizes {
		text += " " + dec(size)
	}
	say(text)
	for _, s := range script {
		if s.event != event {
			continue
		}
		switch s.op {
		case "return":
			result = arg(s, 0)
		case "unless-path": // the rest is for other requests
			if _, path := getMapValue(0, ":path"); path == s.args[0] {
				return result
			}
		case "if-size": // the rest is for bodies of at least this size
			if sizes[0] < arg(s, 0) {
				return result
			}
		case "if-end": // the rest is for the end of the stream
			if sizes[1] == 0 {
				return result
			}
		default:
			say(s.op + "(" + strings.Join(s.args, ",") + ") = " + run(s))
		}
	}
	return result
}

//go:wasmexport proxy_on_context_create
func onContextCreate(id, parent uint32) { on("create", id, 0, parent) }

//go:wasmexport proxy_on_vm_start
func onVMStart(id, size uint32) uint32 {
	_, config := getBuffer(6, 0, size)
	if config == "refuse" {
		say("vm refused")
		return 0
	}
	return on("vm_start", id, 1, size)
}

//go:wasmexport proxy_on_configure
func onConfigure(id, size uint32) uint32 {
	_, config := getBuffer(7, 0, size)
	for _, line := range strings.Split(config, "\n") {
		parts := strings.Split(strings.TrimSpace(line), "|")
		if len(parts) >= 2 {
			script = append(script, step{parts[0], parts[1], parts[2:]})
		}
	}
	return on("configure", id, 1, size)
}

//go:wasmexport proxy_on_tick
func onTick(id uint32) { on("tick", id, 0) }

//go:wasmexport proxy_on_queue_ready
func onQueueReady(id, queue uint32) { on("queue", id, 0, queue) }

//go:wasmexport proxy_on_http_call_response
func onCallResponse(id, call, headers, body, trailers uint32) {
	on("call", id, 0, call, headers, body, trailers)
}

//go:wasmexport proxy_on_request_headers
func onRequestHeaders(id, count, end uint32) uint32 { return on("request_headers", id, 0, count, end) }

//go:wasmexport proxy_on_request_body
func onRequestBody(id, size, end uint32) uint32 { return on("request_body", id, 0, size, end) }

//go:wasmexport proxy_on_request_trailers
func onRequestTrailers(id, count uint32) uint32 { return on("request_trailers", id, 0, count) }

//go:wasmexport proxy_on_response_headers
func onResponseHeaders(id, count, end uint32) uint32 {
	return on("response_headers", id, 0, count, end)
}

//go:wasmexport proxy_on_response_body
func onResponseBody(id, size, end uint32) uint32 { return on("response_body", id, 0, size, end) }

//go:wasmexport proxy_on_response_trailers
func onResponseTrailers(id, count uint32) uint32 { return on("response_trailers", id, 0, count) }

//go:wasmexport proxy_on_done
func onDone(id uint32) uint32 { return on("done", id, 1) }

//go:wasmexport proxy_on_log
func onLog(id uint32) { on("log", id, 0) }

//go:wasmexport proxy_on_delete
func onDelete(id uint32) { on("delete", id, 0) }
