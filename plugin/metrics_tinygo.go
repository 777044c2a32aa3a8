//go:build tinygo

package main

import (
	"unsafe"

	"warmroute/plugin/metrics"
)

// The SDK's own metric functions panic where the proxy refuses, and bring in fmt to say so (50 KB). A metric must never
// take a request down, so these three calls of the ABI (proxy-wasm 0.2.1, "Metrics") are made here.

//go:wasmimport env proxy_define_metric
func proxyDefineMetric(kind uint32, name unsafe.Pointer, size uint32, id unsafe.Pointer) uint32

//go:wasmimport env proxy_increment_metric
func proxyIncrementMetric(id uint32, offset int64) uint32

//go:wasmimport env proxy_record_metric
func proxyRecordMetric(id uint32, value uint64) uint32

// proxyMetrics is where the module's metrics live: in the proxy.
type proxyMetrics struct{}

func (proxyMetrics) DefineMetric(kind metrics.Kind, name string) (id uint32, ok bool) {
	status := proxyDefineMetric(uint32(kind), unsafe.Pointer(unsafe.StringData(name)), uint32(len(name)), unsafe.Pointer(&id))
	return id, status == 0
}

func (proxyMetrics) AddMetric(id uint32, n int64) { proxyIncrementMetric(id, n) }

func (proxyMetrics) RecordMetric(id uint32, value uint64) { proxyRecordMetric(id, value) }
