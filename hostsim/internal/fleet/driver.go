package fleet

import (
	"sync"
	"sync/atomic"
	"time"

	"warmroute/hostsim/internal/vllm"
	"warmroute/hostsim/internal/vllmpages"
)

// driver runs an Engine in real time. Virtual time is real time since the start × speed. A step begins when the last
// one ended, not when a timer fired, so that late timers delay events but do not accumulate.
type driver struct {
	mu      sync.Mutex
	engine  *vllm.Engine
	calls   map[uint64]*call
	nextID  uint64
	metrics *vllmpages.Metrics

	began   time.Time
	speed   float64
	kick    chan struct{} // capacity 1: signals a change in the engine
	stop    chan struct{}
	stopped chan struct{}
	closing sync.Once
}

// call is one request that an HTTP handler waits for.
type call struct {
	id        uint64
	wake      chan struct{} // capacity 1, shared by the calls of one HTTP request
	generated atomic.Int64  // tokens so far
	done      atomic.Bool
	record    vllm.Record // valid once done
	lastToken int64       // ns, of the driver alone
}

func newDriver(e *vllm.Engine, speed float64, m *vllmpages.Metrics) *driver {
	e.SetTokenEvents(true)
	d := &driver{
		engine: e, calls: map[uint64]*call{}, metrics: m, began: time.Now(), speed: speed,
		kick: make(chan struct{}, 1), stop: make(chan struct{}), stopped: make(chan struct{}),
	}
	go d.loop()
	return d
}

func (d *driver) now() int64 { return int64(float64(time.Since(d.began)) * d.speed) }

// seconds converts virtual time to seconds of a client's clock.
func (d *driver) seconds(ns int64) float64 { return float64(ns) / d.speed / 1e9 }

func (d *driver) loop() {
	defer close(d.stopped)
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		d.mu.Lock()
		d.dispatch(d.engine.Advance(d.now()))
		next, busy := d.engine.Next()
		wait := time.Hour
		if busy {
			wait = time.Duration(float64(next-d.now()) / d.speed)
		}
		d.mu.Unlock()
		timer.Reset(max(0, wait))
		select {
		case <-timer.C:
		case <-d.kick:
		case <-d.stop:
			return
		}
	}
}

// dispatch passes events to handlers and metrics. The caller holds mu.
func (d *driver) dispatch(events []vllm.Event) {
	for _, ev := range events {
		c := d.calls[ev.Record.ID]
		if c == nil {
			continue // aborted since
		}
		if d.engine.HoldsAdapters() && ev.Kind == vllm.FirstToken {
			st := d.engine.Stats()
			d.metrics.NoteAdapters(&st)
		}
		r := ev.Record
		switch ev.Kind {
		case vllm.FirstToken:
			d.metrics.TTFT.Observe(d.seconds(ev.At - r.Queued))
			d.metrics.Computed.Observe(float64(r.PromptTokens - r.CachedTokens))
			c.lastToken = ev.At
			c.generated.Add(1)
		case vllm.Token:
			d.metrics.InterToken.Observe(d.seconds(ev.At - c.lastToken))
			c.lastToken = ev.At
			c.generated.Add(1)
		case vllm.Finished:
			d.metrics.Queued.Observe(d.seconds(r.Scheduled - r.Entered))
			d.metrics.Latency.Observe(d.seconds(ev.At - r.Queued))
			c.record = *r
			c.done.Store(true)
			delete(d.calls, r.ID)
		case vllm.Preempted:
			continue
		}
		signal(c.wake)
	}
}

// submit starts a request; the returned call signals wake at each of its events.
func (d *driver) submit(r vllm.Request, wake chan struct{}) (*call, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.nextID++
	r.ID = d.nextID
	if err := d.engine.Submit(d.now(), r); err != nil {
		return nil, err
	}
	c := &call{id: r.ID, wake: wake}
	d.calls[r.ID] = c
	signal(d.kick)
	return c, nil
}

// abort drops a request whose client has disconnected. It does nothing if the request is done.
func (d *driver) abort(c *call) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.engine.Abort(d.now(), c.id) {
		d.metrics.Aborted++
	}
	delete(d.calls, c.id)
}

func (d *driver) stats() vllm.Stats {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.engine.Stats()
}

func (d *driver) resetCache() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.engine.ResetCache()
}

func (d *driver) setSlowdown(factor float64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.engine.SetSlowdown(factor)
}

func (d *driver) close() {
	d.closing.Do(func() { close(d.stop) })
	<-d.stopped
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
