package scout

import (
	"fmt"
	"testing"

	"warmroute/plugin/decision"
	"warmroute/plugin/health"
	"warmroute/plugin/pool"
)

// An idle gateway reads metrics every quietInterval, and of many endpoints more seldom after longAfter; from the first request on,
// of any worker, as configured.
func TestIdleGatewaysReadSeldom(t *testing.T) {
	for _, n := range []int{16, 64} {
		t.Run(fmt.Sprint(n), func(t *testing.T) { readSeldom(t, float64(n)) })
	}
}

func readSeldom(t *testing.T, n float64) {
	endpoints := ""
	for i := range int(n) {
		endpoints += fmt.Sprintf(`,"10.0.0.%d:80"`, i+1)
	}
	w := newWorld(t, fmt.Sprintf(`{"endpoints": [%s], "scrape": {"cluster": "vllm", "interval": "1s"}}`, endpoints[1:]), 2)
	for i := range int(n) {
		w.metrics[fmt.Sprintf("10.0.0.%d:80", i+1)] = "vllm:num_requests_running 0\nvllm:num_requests_waiting 0\n"
	}
	readings := func(seconds float64) float64 {
		clear(w.asked)
		w.step(seconds)
		all := 0
		for _, k := range w.asked {
			all += k
		}
		return float64(all) / n / seconds
	}
	var open []*decision.Decision
	send := func(worker int) {
		d := &decision.Decision{}
		if !w.workers[worker].router.Pick(&decision.Request{Now: w.now}, d) {
			t.Fatal("no endpoint")
		}
		w.workers[worker].board.Sync(w.now)
		w.workers[worker].pool.Begin(&d.Flight, d.Order[0], w.now)
		w.workers[worker].board.RecordRouted(d.Endpoint(), d.Entered(), w.now)
		open = append(open, d)
	}
	end := func(worker int) {
		for _, d := range open {
			w.workers[worker].pool.End(&d.Flight, w.now, pool.Outcome{Ending: health.Answered})
		}
		open = nil
		w.workers[worker].board.Publish(w.now)
	}
	if got := readings(9); got < 0.8 || got > 1.2 {
		t.Errorf("%.2f readings of a replica a second at first, want 1", got)
	}
	w.step(10)
	if got := readings(20); got > 0.3 {
		t.Errorf("%.2f readings of a replica a second by an idle gateway, want 0.2", got)
	}
	w.step(60)
	if got, want := readings(60)*n, min(4, n/5); got < 0.7*want || got > 1.2*want {
		t.Errorf("%.2f readings a second by a gateway that is idle for long, want %.2f", got, want)
	}
	for worker := range w.workers { // one of them leads
		send(worker)
		end(worker)
		w.step(1) // the other worker's counts come with its next tick, and metrics within an interval of it
		if got := readings(8); got < 0.7 {
			t.Errorf("worker %d: %.2f readings of a replica a second after a request, want 1", worker, got)
		}
		send(worker)
		w.step(30)
		if got := readings(10); got < 0.8 {
			t.Errorf("worker %d: %.2f readings of a replica a second with a request in flight, want 1", worker, got)
		}
		end(worker)
		w.step(12)
		if got := readings(20); got > 0.3 {
			t.Errorf("worker %d: %.2f readings of a replica a second when idle again, want 0.2", worker, got)
		}
	}
}
