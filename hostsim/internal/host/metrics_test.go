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
		configure|increment|0|2
		configure|increment|4|3
		configure|increment|0|0
		configure|increment|0|-1
		configure|increment|8|1
		configure|increment|1|5
		configure|increment|1|-2
		configure|increment|2|1
		configure|increment|5|1
		configure|record|0|10
		configure|record|2|7
		configure|record|2|9
		configure|record|6|1
		configure|metric|0
		configure|metric|1
		configure|metric|2
		configure|metric|8
		configure|metric|3
		configure|record|1|42
		configure|metric|1`, Config{HistogramSamples: 1})
	wantSaid(t, p, `
		define(0,requests) = 0
		define(1,load) = 1
		define(2,ttft) = 2
		define(0,requests) = 4
		define(3,x) = status 2
		increment(0,2) = ok
		increment(4,3) = ok
		increment(0,0) = status 2
		increment(0,-1) = status 2
		increment(8,1) = status 1
		increment(1,5) = ok
		increment(1,-2) = ok
		increment(2,1) = status 2
		increment(5,1) = status 1
		record(0,10) = ok
		record(2,7) = ok
		record(2,9) = ok
		record(6,1) = status 1
		metric(0) = 15
		metric(1) = 3
		metric(2) = status 2
		metric(8) = status 1
		metric(3) = status 2
		record(1,42) = ok
		metric(1) = 42`)
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
	p := run(t, "configure|define|0|n\nconfigure|increment|0|1", Config{Workers: 3})
	if got := p.Metric("n").Value; got != 3 {
		t.Errorf("three VMs counted %d", got)
	}
}
