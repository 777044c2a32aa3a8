package main

import "unsafe"

// Addresses are passed as i32, so that wrong ones can be passed too.

func address(b []byte) uint32 {
	return uint32(uintptr(unsafe.Pointer(unsafe.SliceData(b))))
}

func at[T any](p *T) uint32 { return uint32(uintptr(unsafe.Pointer(p))) }

// take is the memory that the host had this module allocate.
func take(address, size uint32) string {
	if address == 0 {
		return ""
	}
	p := (*byte)(unsafe.Pointer(uintptr(address)))
	delete(kept, p)
	return string(unsafe.Slice(p, size))
}

//go:wasmimport env proxy_log
func proxyLog(level, address, size uint32) uint32

//go:wasmimport env proxy_get_log_level
func proxyGetLogLevel(level uint32) uint32

//go:wasmimport env proxy_set_tick_period_milliseconds
func proxySetTick(ms uint32) uint32

//go:wasmimport env proxy_get_current_time_nanoseconds
func proxyTime(at uint32) uint32

//go:wasmimport env proxy_get_header_map_size
func proxyMapSize(kind, at uint32) uint32

//go:wasmimport env proxy_get_header_map_pairs
func proxyMapPairs(kind, address, size uint32) uint32

//go:wasmimport env proxy_set_header_map_pairs
func proxySetMapPairs(kind, address, size uint32) uint32

//go:wasmimport env proxy_get_header_map_value
func proxyMapValue(kind, key, keySize, address, size uint32) uint32

//go:wasmimport env proxy_add_header_map_value
func proxyAddMapValue(kind, key, keySize, value, valueSize uint32) uint32

//go:wasmimport env proxy_replace_header_map_value
func proxyReplaceMapValue(kind, key, keySize, value, valueSize uint32) uint32

//go:wasmimport env proxy_remove_header_map_value
func proxyRemoveMapValue(kind, key, keySize uint32) uint32

//go:wasmimport env proxy_get_buffer_bytes
func proxyBuffer(kind, start, length, address, size uint32) uint32

//go:wasmimport env proxy_get_buffer_status
func proxyBufferStatus(kind, size, flags uint32) uint32

//go:wasmimport env proxy_set_buffer_bytes
func proxySetBuffer(kind, start, length, address, size uint32) uint32

//go:wasmimport env proxy_get_shared_data
func proxySharedData(key, keySize, address, size, cas uint32) uint32

//go:wasmimport env proxy_set_shared_data
func proxySetSharedData(key, keySize, value, valueSize, cas uint32) uint32

//go:wasmimport env proxy_register_shared_queue
func proxyRegisterQueue(name, nameSize, id uint32) uint32

//go:wasmimport env proxy_resolve_shared_queue
func proxyResolveQueue(vm, vmSize, name, nameSize, id uint32) uint32

//go:wasmimport env proxy_enqueue_shared_queue
func proxyEnqueue(id, value, valueSize uint32) uint32

//go:wasmimport env proxy_dequeue_shared_queue
func proxyDequeue(id, address, size uint32) uint32

//go:wasmimport env proxy_define_metric
func proxyDefineMetric(kind, name, nameSize, id uint32) uint32

//go:wasmimport env proxy_increment_metric
func proxyIncrementMetric(id uint32, delta int64) uint32

//go:wasmimport env proxy_record_metric
func proxyRecordMetric(id uint32, value uint64) uint32

//go:wasmimport env proxy_get_metric
func proxyMetric(id, at uint32) uint32

//go:wasmimport env proxy_http_call
func proxyHTTPCall(cluster, clusterSize, headers, headersSize, body, bodySize, trailers, trailersSize, timeout, id uint32) uint32

//go:wasmimport env proxy_get_property
func proxyProperty(path, pathSize, address, size uint32) uint32

//go:wasmimport env proxy_set_property
func proxySetProperty(path, pathSize, value, valueSize uint32) uint32

//go:wasmimport env proxy_set_effective_context
func proxySetEffectiveContext(id uint32) uint32

//go:wasmimport env proxy_done
func proxyDone() uint32

//go:wasmimport env proxy_continue_stream
func proxyContinue(kind uint32) uint32

//go:wasmimport env proxy_close_stream
func proxyClose(kind uint32) uint32

//go:wasmimport env proxy_send_local_response
func proxyLocalResponse(code, details, detailsSize, body, bodySize, headers, headersSize, grpc uint32) uint32

//go:wasmimport env proxy_get_status
func proxyStatus(code, address, size uint32) uint32

//go:wasmimport env proxy_call_foreign_function
func proxyForeign(name, nameSize, arguments, argumentsSize, address, size uint32) uint32

//go:wasmimport env proxy_grpc_call
func proxyGRPCCall(a, b, c, d, e, f, g, h, i, j, k, l uint32) uint32

//go:wasmimport env proxy_grpc_stream
func proxyGRPCStream(a, b, c, d, e, f, g, h, i uint32) uint32

//go:wasmimport env proxy_grpc_send
func proxyGRPCSend(a, b, c, d uint32) uint32

//go:wasmimport env proxy_grpc_cancel
func proxyGRPCCancel(a uint32) uint32

//go:wasmimport env proxy_grpc_close
func proxyGRPCClose(a uint32) uint32

//go:wasmimport wasi_snapshot_preview1 clock_time_get
func wasiClock(id uint32, precision uint64, at uint32) uint32

//go:wasmimport wasi_snapshot_preview1 random_get
func wasiRandom(address, size uint32) uint32

//go:wasmimport wasi_snapshot_preview1 fd_write
func wasiWrite(fd, vectors, count, written uint32) uint32
