package host

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMetrics(t *testing.T) {
	p := run(t, `
		configure|define|0|requests
		configure|define|1|load
		configure|define|2|ttft
		configure|define|0|requests
		configure|define|3|x
		configure|increment|4|2
		configure|increment|8|3
		configure|increment|4|0
		configure|increment|4|-1
		configure|increment|12|1
		configure|increment|5|5
		configure|increment|5|-2
		configure|increment|6|1
		configure|increment|9|1
		configure|record|4|10
		configure|record|6|7
		configure|record|6|9
		configure|record|10|1
		configure|metric|4
		configure|metric|5
		configure|metric|6
		configure|metric|12
		configure|metric|7
		configure|record|5|42
		configure|metric|5`, Config{HistogramSamples: 1})
	wantSaid(t, p, `
		define(0,requests) = 4
		define(1,load) = 5
		define(2,ttft) = 6
		define(0,requests) = 8
		define(3,x) = status 2
		increment(4,2) = ok
		increment(8,3) = ok
		increment(4,0) = status 2
		increment(4,-1) = status 2
		increment(12,1) = status 1
		increment(5,5) = ok
		increment(5,-2) = ok
		increment(6,1) = status 2
		increment(9,1) = status 1
		record(4,10) = ok
		record(6,7) = ok
		record(6,9) = ok
		record(10,1) = status 1
		metric(4) = 15
		metric(5) = 3
		metric(6) = status 2
		metric(12) = status 1
		metric(7) = status 2
		record(5,42) = ok
		metric(5) = 42`)
	want := []*Metric{
		{Name: "requests", Type: Counter, Value: 15},
		{Name: "load", Type: Gauge, Value: 42},
		{Name: "ttft", Type: Histogram, Count: 2, Sum: 16, Samples: []uint64{7}},
	}
	if diff := cmp.Diff(want, p.Metrics()); diff != "" {
		t.Errorf("metrics (-want +got):\n%s", diff)
	}
	if p.Metric("load").Value != 42 || p.Metric("nothing") != nil {
		t.Error("found the wrong metrics")
	}
}

func TestMetricsAreOfTheProcess(t *testing.T) {
	p := run(t, "configure|define|0|n\nconfigure|increment|4|1", Config{Workers: 3})
	if got := p.Metric("n").Value; got != 3 {
		t.Errorf("three VMs counted %d", got)
	}
}
