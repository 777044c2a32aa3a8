package main

import (
	"strings"
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/metrics"
	"warmroute/plugin/scout"
	"warmroute/plugin/share/memstore"
	"warmroute/plugin/worker"
)

// scrapes keeps when metrics were read last, as shown, by the metric's place among those defined.
type scrapes struct {
	names *[]string
	last  map[uint32]uint64
}

func (s scrapes) DefineMetric(_ metrics.Kind, name string) (uint32, bool) {
	*s.names = append(*s.names, name)
	return uint32(len(*s.names)), true
}
func (s scrapes) AddMetric(uint32, int64) {}
func (s scrapes) RecordMetric(id uint32, value uint64) {
	if strings.HasSuffix((*s.names)[id-1], "last_scrape_timestamp_seconds") {
		s.last[id] = value
	}
}

// An endpoint that leaves while its metrics are asked for is not shown as read when the answer comes, or none does: nothing would show
// anything else of it where no request comes.
func TestAnswersOfEndpointsThatHaveLeft(t *testing.T) {
	cfg, err := config.Parse([]byte(`{"endpoints":["10.0.0.1:80","10.0.0.2:80"]}`))
	if err != nil {
		t.Fatal(err)
	}
	shown := scrapes{new([]string), map[uint32]uint64{}}
	p := &plugin{metrics: metrics.New(shown, t.Name(), 8)}
	if p.worker, err = worker.New(&cfg, memstore.New(), p, 1, 0); err != nil {
		t.Fatal(err)
	}
	of := p.worker.Pools()[0]
	answered := func(at int64) {
		p.learned(scout.Call{Authority: "10.0.0.2:80", Token: scout.Token{Endpoint: 1, Pool: 1}}, "", at)
	}
	if answered(5e9); len(shown.last) != 1 {
		t.Fatalf("%v are shown, want one", shown.last)
	}
	clear(shown.last)
	known := of.Known()
	known.Remove(1)
	answered(6e9)
	known.Place(1, config.Endpoint{Address: "10.0.0.3:80"}, 7e9) // another takes its index
	if answered(8e9); len(shown.last) != 0 {
		t.Errorf("what has left is shown as read: %v", shown.last)
	}
}
