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

// total is a counter whose additions wait in memory for tell: the tick calls it, so that requests pay nothing.
type total struct {
	metric metric
	waits  int64
}

func (t *total) add(n int64) { t.waits += n }

func (t *total) tell() {
	if t.waits > 0 {
		t.metric.add(t.waits)
		t.waits = 0
	}
}
