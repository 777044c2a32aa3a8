//go:build !tinygo

package proxy

import (
	"crypto/rand"
	"encoding/binary"
	"os"
	"strings"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm"

	"warmroute/plugin/metrics"
)

// Metrics is where the module's metrics live: natively in the SDK's test host.
type Metrics struct{}

func (Metrics) DefineMetric(kind metrics.Kind, name string) (id uint32, ok bool) {
	switch kind {
	case metrics.Counter:
		return uint32(proxywasm.DefineCounterMetric(name)), true
	case metrics.Gauge:
		return uint32(proxywasm.DefineGaugeMetric(name)), true
	default:
		return uint32(proxywasm.DefineHistogramMetric(name)), true
	}
}

func (Metrics) AddMetric(id uint32, n int64) { proxywasm.MetricGauge(id).Add(n) }

func (Metrics) RecordMetric(id uint32, value uint64) {
	proxywasm.MetricHistogram(id).Record(value)
}

// Property is one whose path is joined by zero bytes; nil: there is none.
func Property(path string) []byte {
	value, err := proxywasm.GetProperty(strings.Split(path, "\x00"))
	if err != nil {
		return nil
	}
	return value
}

func reuse() {}

// callForeign does nothing: the test host has no such functions, and ends the process.
func callForeign(string, []byte) {}

// SetProperty sets one, a filter state of ours.
func SetProperty(path string, value []byte) {
	_ = proxywasm.SetProperty(strings.Split(path, "\x00"), value)
}

// RequestHeaders are the headers of the request, valid until the next call.
func RequestHeaders() [][2]string {
	headers, err := proxywasm.GetHttpRequestHeaders()
	if err != nil {
		return nil
	}
	return headers
}

func responseHeaders() [][2]string {
	headers, err := proxywasm.GetHttpResponseHeaders()
	if err != nil {
		return nil
	}
	return headers
}

// Arena is nil: Go's collector does not walk what has no pointers.
func Arena() []byte { return nil }

// Collect does nothing: Go's collector runs by itself.
func Collect() {}

// Environment is the value of an environment variable; "" if it is not set.
func Environment(name string) string { return os.Getenv(name) }

// Random is 64 bits that nobody can guess.
func Random() uint64 {
	var bits [8]byte
	_, _ = rand.Read(bits[:]) // never fails
	return binary.LittleEndian.Uint64(bits[:])
}
