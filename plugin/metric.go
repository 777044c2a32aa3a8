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

// tell passes on what waits.
func (f *family) tell() {
	for i := range f.by {
		f.by[i].tell()
	}
}
