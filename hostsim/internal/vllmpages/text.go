package vllmpages

import (
	"math"
	"strconv"
	"strings"
	"sync"
)

// Prometheus' text format 0.0.4, as vLLM's Python client writes it: labels in alphabetical order, whole
// numbers with a ".0". client_golang v1.25.0 is not used because it needs a module
// (pandatix/go-abnf v0.5.3, through prometheus/common) that not every module proxy serves.
type page struct {
	buf   []byte
	model string
}

func (p *page) add(parts ...string) {
	for _, s := range parts {
		p.buf = append(p.buf, s...)
	}
}

// family starts a metric with its help and type.
func (p *page) family(name, help, kind string) {
	p.add("# HELP ", name, " ", help, "\n# TYPE ", name, " ", kind, "\n")
}

// sample writes one line; labels are in pairs of name and value, and in alphabetical order.
func (p *page) sample(name string, value float64, labels ...string) {
	p.labels(name, labels...)
	p.value(value)
}

func (p *page) labels(name string, labels ...string) {
	p.add(name)
	for i := 0; i < len(labels); i += 2 {
		p.buf = append(p.buf, "{,"[min(i, 1)])
		p.add(labels[i], `="`, escapeLabel.Replace(labels[i+1]), `"`)
	}
	p.add("} ")
}

func (p *page) value(v float64) { p.buf = append(appendPythonFloat(p.buf, v), '\n') }

var escapeLabel = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// single writes a metric of one sample for each rank.
func (p *page) single(name, help, kind string, ranks []Rank, of func(r *Rank) float64) {
	key := [2]string{name, p.model}
	head, ok := heads.Load(key)
	if !ok {
		h := page{model: p.model}
		h.family(name, help, kind)
		h.labels(name, "engine", "0", "model_name", p.model)
		head, _ = heads.LoadOrStore(key, h.buf)
	}
	p.buf = append(p.buf, head.([]byte)...)
	p.value(of(&ranks[0]))
	for i := 1; i < len(ranks); i++ {
		p.sample(name, of(&ranks[i]), "engine", strconv.Itoa(i), "model_name", p.model)
	}
}

// heads are what stands before the value of metrics of one sample, by name and model: replays write pages by the second.
var heads sync.Map

// pythonFloat is Python's repr of a float, as on vLLM's page.
func pythonFloat(v float64) string { return string(appendPythonFloat(nil, v)) }

func appendPythonFloat(to []byte, v float64) []byte {
	switch {
	case math.IsInf(v, 1):
		return append(to, "+Inf"...)
	case v == math.Trunc(v) && math.Abs(v) < 1<<53:
		return append(strconv.AppendInt(to, int64(v), 10), ".0"...)
	case v == math.Trunc(v) && math.Abs(v) < 1e16:
		return strconv.AppendFloat(to, v, 'f', 1, 64)
	}
	return strconv.AppendFloat(to, v, 'g', -1, 64)
}

// Histogram counts observations by upper bound. It is not safe for concurrent use.
type Histogram struct {
	name, help string
	bounds     []float64 // ascending, without +Inf
	counts     []float64 // one more than bounds, not cumulative
	sum        float64
}

func newHistogram(name, help string, bounds []float64) *Histogram {
	return &Histogram{name: name, help: help, bounds: bounds, counts: make([]float64, len(bounds)+1)}
}

// Observe adds one.
func (h *Histogram) Observe(v float64) {
	i := 0
	for i < len(h.bounds) && v > h.bounds[i] {
		i++
	}
	h.counts[i]++
	h.sum += v
}

// write writes it as that of a rank; the first one begins the family.
func (h *Histogram) write(p *page, rank int) {
	if rank == 0 {
		p.family(h.name, h.help, "histogram")
	}
	engine, total := strconv.Itoa(rank), 0.0
	for i, n := range h.counts {
		total += n
		bound := math.Inf(1)
		if i < len(h.bounds) {
			bound = h.bounds[i]
		}
		p.sample(h.name+"_bucket", total, "engine", engine, "le", pythonFloat(bound), "model_name", p.model)
	}
	p.sample(h.name+"_count", total, "engine", engine, "model_name", p.model)
	p.sample(h.name+"_sum", h.sum, "engine", engine, "model_name", p.model)
}
