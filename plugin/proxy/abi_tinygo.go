//go:build tinygo

package proxy

import (
	"unsafe"

	"warmroute/plugin/metrics"
)

// These calls of the ABI (proxy-wasm 0.2.1) are made here and not by the SDK, which makes a string, a path and a map of
// slices anew each time: 3 µs of a request of 4 KB, and as much for the collector. What they return is valid until the
// callback ends (memory_tinygo.go).

//go:wasmimport env proxy_get_property
func proxyGetProperty(path unsafe.Pointer, size uint32, value, valueSize unsafe.Pointer) uint32

//go:wasmimport env proxy_set_property
func proxySetProperty(path unsafe.Pointer, size uint32, value unsafe.Pointer, valueSize uint32) uint32

//go:wasmimport env proxy_get_header_map_pairs
func proxyGetHeaderMapPairs(kind uint32, value, valueSize unsafe.Pointer) uint32

//go:wasmimport env proxy_call_foreign_function
func proxyCallForeignFunction(name unsafe.Pointer, size uint32, arguments unsafe.Pointer, argumentsSize uint32, result, resultSize unsafe.Pointer) uint32

// callForeign calls a function of the proxy's own. One that it does not have does nothing.
func callForeign(name string, arguments []byte) {
	var at unsafe.Pointer
	var size uint32
	proxyCallForeignFunction(unsafe.Pointer(unsafe.StringData(name)), uint32(len(name)), unsafe.Pointer(unsafe.SliceData(arguments)), uint32(len(arguments)), unsafe.Pointer(&at), unsafe.Pointer(&size))
}

// Property is one whose path is joined by zero bytes; nil: there is none.
func Property(path string) []byte {
	var at unsafe.Pointer
	var size uint32
	if proxyGetProperty(unsafe.Pointer(unsafe.StringData(path)), uint32(len(path)), unsafe.Pointer(&at), unsafe.Pointer(&size)) != 0 {
		return nil
	}
	return unsafe.Slice((*byte)(at), size)
}

// SetProperty sets one, a filter state of ours.
func SetProperty(path string, value []byte) {
	proxySetProperty(unsafe.Pointer(unsafe.StringData(path)), uint32(len(path)), unsafe.Pointer(unsafe.SliceData(value)), uint32(len(value)))
}

// headers is the memory of headersOf. What is behind its end is zero, and all of it when the collector runs: for each pointer that walks back to the
// beginning of what it leads into, four seconds for 90,000 headers that were where 7 MB are now.
var headers [][2]string

func forgetHeaders() {
	clear(headers)
	headers = headers[:0]
}

// headersOf are the headers of a request or a response, valid until the next call.
func headersOf(kind uint32) [][2]string {
	var at unsafe.Pointer
	var size uint32
	forgetHeaders()
	reuse()
	if proxyGetHeaderMapPairs(kind, unsafe.Pointer(&at), unsafe.Pointer(&size)) != 0 || size < 4 {
		return headers
	}
	page := unsafe.Slice((*byte)(at), size)
	word := func(at int) int {
		return int(page[at]) | int(page[at+1])<<8 | int(page[at+2])<<16 | int(page[at+3])<<24
	}
	n := word(0)
	if n < 0 || n > (len(page)-4)/8 {
		return headers
	}
	for i, from := 0, 4+8*n; i < n && from < len(page); i++ {
		name, value := word(4+8*i), word(8+8*i)
		if name < 0 || value < 0 || name+value+2 > len(page)-from {
			break
		}
		headers = append(headers, [2]string{unsafe.String(&page[from], name), unsafe.String(&page[from+name+1], value)})
		from += name + value + 2
	}
	return headers
}

// The kinds of headers.
const (
	ofRequest  = 0
	ofResponse = 2
)

// RequestHeaders are the headers of the request, valid until the next call.
func RequestHeaders() [][2]string { return headersOf(ofRequest) }

func responseHeaders() [][2]string { return headersOf(ofResponse) }

// The SDK's own metric functions panic where the proxy refuses, and bring in fmt to say so (50 KB). A metric must never
// take a request down, so these three calls of the ABI (proxy-wasm 0.2.1, "Metrics") are made here.

//go:wasmimport env proxy_define_metric
func proxyDefineMetric(kind uint32, name unsafe.Pointer, size uint32, id unsafe.Pointer) uint32

//go:wasmimport env proxy_increment_metric
func proxyIncrementMetric(id uint32, offset int64) uint32

//go:wasmimport env proxy_record_metric
func proxyRecordMetric(id uint32, value uint64) uint32

// Metrics is where the module's metrics live: in the proxy.
type Metrics struct{}

func (Metrics) DefineMetric(kind metrics.Kind, name string) (id uint32, ok bool) {
	status := proxyDefineMetric(uint32(kind), unsafe.Pointer(unsafe.StringData(name)), uint32(len(name)), unsafe.Pointer(&id))
	return id, status == 0
}

func (Metrics) AddMetric(id uint32, n int64) { proxyIncrementMetric(id, n) }

func (Metrics) RecordMetric(id uint32, value uint64) { proxyRecordMetric(id, value) }
