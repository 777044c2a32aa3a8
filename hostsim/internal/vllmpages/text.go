package vllmpages

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"warmroute/hostsim/internal/vllm"
)

// Prometheus' text format 0.0.4, as vLLM's Python client writes it: labels in alphabetical order, whole
// numbers with a ".0". client_golang v1.25.0 is not used because it needs a module
// (pandatix/go-abnf v0.5.3, through prometheus/common) that not every module proxy serves.
type page struct {
	buf   []byte
	model string
	form  *Form // or nil
	fills bool  // the form, so that only values count
	head  int   // in buf, of the next value's head; where it fills: in the form
}

// Form is what stands before each value of a replica's pages, which differ in nothing but values.
type Form struct {
	of    *vllm.Engine
	heads [][]byte
}

func (p *page) add(parts ...string) {
	if p.fills {
		return
	}
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
	if p.fills {
		return
	}
	p.add(name)
	for i := 0; i < len(labels); i += 2 {
		p.buf = append(p.buf, "{,"[min(i, 1)])
		p.add(labels[i], `="`, escapeLabel.Replace(labels[i+1]), `"`)
	}
	p.add("} ")
}

func (p *page) value(v float64) {
	switch {
	case p.fills:
		p.buf = append(p.buf, p.form.heads[p.head]...)
		p.head++
	case p.form != nil:
		p.form.heads = append(p.form.heads, slices.Clone(p.buf[p.head:]))
	}
	p.buf = append(appendPythonFloat(p.buf, v), '\n')
	if !p.fills {
		p.head = len(p.buf)
	}
}

var escapeLabel = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// single writes a metric of one sample for each rank.
func (p *page) single(name, help, kind string, ranks []Rank, of func(r *Rank) float64) {
	p.family(name, help, kind)
	for i := range ranks {
		p.sample(name, of(&ranks[i]), "engine", strconv.Itoa(i), "model_name", p.model)
	}
}

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
