package main

// metric is a metric of the proxy; noMetric is one that the proxy refused: its calls do nothing.
type metric uint32

const noMetric = ^metric(0)

// metricKind is as in proxy-wasm 0.2.1.
type metricKind uint32

const (
	counter metricKind = iota
	gauge
	histogram
)
