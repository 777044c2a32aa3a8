//go:build tinygo

package main

import "unsafe"

// The SDK's own metric functions panic where the proxy refuses, and bring in fmt to say so (50 KB). A metric must never
// take a request down, so these three calls of the ABI (proxy-wasm 0.2.1, "Metrics") are made here.

//go:wasmimport env proxy_define_metric
func proxyDefineMetric(kind uint32, name unsafe.Pointer, size uint32, id unsafe.Pointer) uint32

//go:wasmimport env proxy_increment_metric
func proxyIncrementMetric(id uint32, offset int64) uint32

//go:wasmimport env proxy_record_metric
func proxyRecordMetric(id uint32, value uint64) uint32

func defineMetric(kind metricKind, name string) metric {
	var id uint32
	if proxyDefineMetric(uint32(kind), unsafe.Pointer(unsafe.StringData(name)), uint32(len(name)), unsafe.Pointer(&id)) != 0 {
		return noMetric
	}
	return metric(id)
}

func (m metric) add(n int64) {
	if m != noMetric && n != 0 { // Envoy refuses to add 0 to a counter
		proxyIncrementMetric(uint32(m), n)
	}
}

func (m metric) record(value uint64) {
	if m != noMetric {
		proxyRecordMetric(uint32(m), value)
	}
}
