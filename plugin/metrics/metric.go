package metrics

// Proxy is where metrics live: Envoy, or a test's map. It never forgets one, and adds up what all workers count under one name.
type Proxy interface {
	// DefineMetric makes a metric, or finds it; false: the proxy refuses it.
	DefineMetric(kind Kind, name string) (id uint32, ok bool)
	// AddMetric adds to a counter or a gauge; n is not 0, and not below 0 for a counter.
	AddMetric(id uint32, n int64)
	// RecordMetric sets a gauge, or adds a value to a histogram.
	RecordMetric(id uint32, value uint64)
}

// Kind is that of a metric, numbered as in proxy-wasm 0.2.1.
type Kind uint32

// The kinds.
const (
	Counter Kind = iota
	Gauge
	Histogram
)

// proxy is that of this VM, set by New: there is one.
var proxy Proxy

// metric is one more than the proxy's ID of a metric; 0: it is not defined yet, or the proxy refused it, and its calls do nothing.
type metric uint32

func (m metric) add(n int64) {
	if m != 0 && n != 0 { // Envoy refuses to add 0 to a counter
		proxy.AddMetric(uint32(m-1), n)
	}
}

func (m metric) record(value uint64) {
	if m != 0 {
		proxy.RecordMetric(uint32(m-1), value)
	}
}

// total is a counter whose additions wait in memory for flush: the tick calls it, so that requests pay nothing.
type total struct {
	metric metric
	waits  int64
}

func (t *total) add(n int64) { t.waits += n }

func (t *total) flush() {
	if t.waits > 0 {
		t.metric.add(t.waits)
		t.waits = 0
	}
}

// family is a counter by the value of its first label, each defined at its first use: most never occur.
type family struct {
	id   metricID
	rest []string // values of the other labels
	by   []member // they are few: a map would allocate at each look (TinyGo)
}

type member struct {
	value string
	total
}

// of is the counter with that value.
func (f *family) of(value string) *total {
	for i := range f.by {
		if f.by[i].value == value {
			return &f.by[i].total
		}
	}
	f.by = append(f.by, member{value, total{metric: f.id.define(append([]string{value}, f.rest...)...)}})
	return &f.by[len(f.by)-1].total
}

// add counts one, at once.
func (f *family) add(value string) { f.of(value).metric.add(1) }

// flush passes on what waits.
func (f *family) flush() {
	for i := range f.by {
		f.by[i].flush()
	}
}
