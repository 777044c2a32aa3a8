package host

import "slices"

// MetricType is a type of metric of the ABI, proxy_metric_type_t.
type MetricType uint32

const (
	Counter MetricType = iota
	Gauge
	Histogram
)

func (t MetricType) String() string {
	if t > Histogram {
		return "unknown"
	}
	return [...]string{"counter", "gauge", "histogram"}[t]
}

// A Metric is one metric of the process, whichever VM defined it. Its name is as the module gave it; Envoy
// puts "wasmcustom." in front.
type Metric struct {
	Name    string
	Type    MetricType
	Value   uint64   // of a counter or gauge; a gauge below zero wraps, as in Envoy
	Count   uint64   // of values recorded in a histogram
	Sum     uint64   // of values recorded in a histogram
	Samples []uint64 // the first Config.HistogramSamples values recorded in a histogram
}

type metricKey struct {
	kind MetricType
	name string
}

// metrics are those of a process. Names are apart for each type.
type metrics struct {
	byKey map[metricKey]*Metric
	all   []*Metric // in the order of their definition
}

func (m *metrics) define(kind MetricType, name string) *Metric {
	key := metricKey{kind, name}
	if found := m.byKey[key]; found != nil {
		return found
	}
	if m.byKey == nil {
		m.byKey = map[metricKey]*Metric{}
	}
	metric := &Metric{Name: name, Type: kind}
	m.byKey[key] = metric
	m.all = append(m.all, metric)
	return metric
}

// Metric is the metric of that name, of any type; nil if no VM defined one.
func (p *Proxy) Metric(name string) *Metric {
	for _, kind := range []MetricType{Counter, Gauge, Histogram} {
		if found := p.metrics.byKey[metricKey{kind, name}]; found != nil {
			return found
		}
	}
	return nil
}

// Metrics are all metrics, in the order in which they were first defined.
func (p *Proxy) Metrics() []*Metric { return slices.Clone(p.metrics.all) }

// Metric ids are of one VM. As in Envoy the lowest two bits are the type, the others count from 1; defining a name again
// gives another id of the same metric.
const metricTypeBits = 2

func (vm *VM) metric(id uint32) *Metric {
	kind, number := id&(1<<metricTypeBits-1), id>>metricTypeBits
	if kind > uint32(Histogram) || number == 0 || int(number) > len(vm.metricIDs[kind]) {
		return nil
	}
	return vm.metricIDs[kind][number-1]
}

var metricFuncs = []hostFunc{
	{name: "proxy_define_metric", params: "iiii", run: defineMetric},
	{name: "proxy_increment_metric", params: "iI", run: incrementMetric},
	{name: "proxy_record_metric", params: "iI", run: recordMetric},
	{name: "proxy_get_metric", params: "ii", run: getMetric},
}

func defineMetric(vm *VM, stack []uint64) status {
	kind := MetricType(u32(stack, 0))
	name, inside := vm.bytes(stack, 1)
	if !inside {
		return statusInvalidMemoryAccess
	}
	if kind > Histogram {
		return statusBadArgument
	}
	id := uint32(len(vm.metricIDs[kind])+1)<<metricTypeBits | uint32(kind)
	if result := vm.returnU32(stack, 3, id); result != statusOK {
		return result
	}
	vm.metricIDs[kind] = append(vm.metricIDs[kind], vm.proxy.metrics.define(kind, string(name)))
	return statusOK
}

func incrementMetric(vm *VM, stack []uint64) status {
	id, delta := u32(stack, 0), int64(stack[1])
	if id&(1<<metricTypeBits-1) >= uint32(Histogram) {
		return statusBadArgument
	}
	m := vm.metric(id)
	switch {
	case m == nil:
		return statusNotFound
	case m.Type == Counter && delta <= 0:
		return statusBadArgument
	}
	m.Value += uint64(delta)
	return statusOK
}

func recordMetric(vm *VM, stack []uint64) status {
	m := vm.metric(u32(stack, 0))
	if m == nil {
		return statusNotFound
	}
	switch value := stack[1]; m.Type {
	case Counter: // Envoy adds, where the specification sets
		m.Value += value
	case Gauge:
		m.Value = value
	case Histogram:
		m.Count++
		m.Sum += value
		if len(m.Samples) < vm.proxy.config.HistogramSamples {
			m.Samples = append(m.Samples, value)
		}
	}
	return statusOK
}

func getMetric(vm *VM, stack []uint64) status {
	id := u32(stack, 0)
	if id&(1<<metricTypeBits-1) >= uint32(Histogram) {
		return statusBadArgument
	}
	m := vm.metric(id)
	if m == nil {
		return statusNotFound
	}
	return vm.returnU64(stack, 1, m.Value)
}
