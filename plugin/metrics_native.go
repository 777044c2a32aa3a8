//go:build !tinygo

package main

import (
	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm"

	"warmroute/plugin/metrics"
)

// proxyMetrics is where the module's metrics live: natively in the SDK's test host.
type proxyMetrics struct{}

func (proxyMetrics) DefineMetric(kind metrics.Kind, name string) (id uint32, ok bool) {
	switch kind {
	case metrics.Counter:
		return uint32(proxywasm.DefineCounterMetric(name)), true
	case metrics.Gauge:
		return uint32(proxywasm.DefineGaugeMetric(name)), true
	default:
		return uint32(proxywasm.DefineHistogramMetric(name)), true
	}
}

func (proxyMetrics) AddMetric(id uint32, n int64) { proxywasm.MetricGauge(id).Add(n) }

func (proxyMetrics) RecordMetric(id uint32, value uint64) {
	proxywasm.MetricHistogram(id).Record(value)
}
