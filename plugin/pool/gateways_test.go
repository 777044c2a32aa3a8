package pool

import (
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/queue"
	"warmroute/plugin/speed"
)

// Gateways begin at different endpoints as long as there are enough, and what they have not told yet is what they send on average.
func TestGateways(t *testing.T) {
	cfg, err := config.Parse([]byte(`{"endpoints":["10.0.0.1:80","10.0.0.2:80","10.0.0.3:80","10.0.0.4:80"]}`))
	if err != nil {
		t.Fatal(err)
	}
	p := New(&cfg, cfg.IndexBytes)
	seen := map[int]bool{}
	for place := range 4 {
		p.SetGatewayPlace(place, 4)
		seen[p.Turn()] = true
	}
	if len(seen) != 4 {
		t.Errorf("four gateways begin at %d of four endpoints", len(seen))
	}
	if got := p.OtherGateways(); got != 3 {
		t.Errorf("%d others, want 3", got)
	}
	p.SetGatewayPlace(99, 7) // a broken value
	if got := p.Turn(); got < 0 || got > 3 {
		t.Errorf("endpoint %d of four", got)
	}
	if got := p.Unseen(5e9); got != 0 {
		t.Errorf("without other gateways %v tokens are unseen", got)
	}
	p.SetGatewayRequests(10, 5e9)
	p.SetGatewayLoad(0, 2, 6000, queue.Line{Queued: 300})
	p.SetGatewayLoad(3, 1, 54000, queue.Line{})
	if got := p.Unseen(5e9 + 1e8); got != 100 { // 60,000 tokens in a minute
		t.Errorf("after 100 ms %v tokens are unseen, want 100", got)
	}
	if p.Counted(0) != 2 || p.Queue(0, 5e9) != 300 || p.InFlight(0) != 0 {
		t.Errorf("counts %v, queue %v, own %d", p.Counted(0), p.Queue(0, 5e9), p.InFlight(0))
	}
	if got, want := p.Queue(0, 5e9+1e7), 300-0.01/speed.AssumedPerToken; got != want {
		t.Errorf("10 ms later %v tokens of the others are queued, want %v", got, want)
	}
	p.queueStream(0, 5e9, 1000)
	if got, want := p.Queue(0, 5e9+1e7), 1300-0.01/speed.AssumedPerToken; got != want {
		t.Errorf("behind a prompt of its own, %v tokens, want %v: one prompt is computed at a time", got, want)
	}
	p.dequeue(0, 5e9+1e7, 1000)
	if got, want := p.Queue(0, 5e9+2e7), 300-0.01/speed.AssumedPerToken; got != want {
		t.Errorf("10 ms after its own, %v tokens of the others, want %v", got, want)
	}
	p.ClearGateways()
	if p.Counted(0) != 0 || p.Queue(0, 5e9) != 0 || p.Turn() != 0 {
		t.Error("something is left")
	}
}
