//go:build !tinygo

package main

import "github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm"

// Natively the proxy is the SDK's test host.

func defineMetric(kind metricKind, name string) metric {
	switch kind {
	case counter:
		return metric(proxywasm.DefineCounterMetric(name))
	case gauge:
		return metric(proxywasm.DefineGaugeMetric(name))
	default:
		return metric(proxywasm.DefineHistogramMetric(name))
	}
}

func (m metric) add(n int64) {
	if m != noMetric && n != 0 {
		proxywasm.MetricGauge(m).Add(n)
	}
}

func (m metric) record(value uint64) {
	if m != noMetric {
		proxywasm.MetricHistogram(m).Record(value)
	}
}
