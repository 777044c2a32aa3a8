package replay

import (
	"strings"

	"warmroute/plugin/config"
	"warmroute/plugin/inspect"
	"warmroute/plugin/route"
	"warmroute/plugin/scout"
	"warmroute/plugin/share"
)

// Native runs the module's rooms as Go code: the same decisions without a virtual machine, several times as fast.
type Native struct {
	cfg     config.Config
	workers []nativeWorker
	now     int64 // ns
	ticks   int64 // a period apart
	pages   Pages // or nil: nobody answers
}

type nativeWorker struct {
	inspector *inspect.Inspector
	router    *route.Router // nil where the proxy chooses by a key
	board     *share.Board
	scout     *scout.Scout
	shadow    *inspect.Shadow // nil: none
	calls     *calls
}

// NewNative makes an engine from a plugin configuration, in as many workers. Errors name the field.
func NewNative(configuration []byte, workers int) (*Native, error) {
	cfg, err := config.Parse(configuration)
	if err != nil {
		return nil, err
	}
	n := &Native{cfg: cfg}
	store := sharedData{}
	for range workers {
		inspector, err := inspect.New(&n.cfg)
		if err != nil {
			return nil, err
		}
		w := nativeWorker{inspector: inspector, calls: &calls{}}
		if cfg.Steer.Target != config.TargetHash {
			w.router = route.New(&n.cfg, cfg.Seed)
			w.board = share.New(store, w.router)
			w.scout = scout.New(&n.cfg, w.router, w.board, store, w.calls, epoch)
			inspector.Settled = w.router.Settled
			w.shadow = inspect.NewShadow(&n.cfg, w.router, store, cfg.Seed)
		}
		n.workers = append(n.workers, w)
	}
	return n, nil
}

// sharedData is a proxy's, without the proxy: by key, the value and how often it was set.
type sharedData map[string]*sharedValue

type sharedValue struct {
	value   []byte
	version uint32
}

func (d sharedData) Get(key string) ([]byte, uint32, bool) {
	v, ok := d[key]
	if !ok {
		return nil, 0, false
	}
	return v.value, v.version, true
}

func (d sharedData) Set(key string, value []byte, version uint32) bool {
	v, ok := d[key]
	if !ok {
		v = &sharedValue{}
		d[key] = v
	} else if version != 0 && version != v.version {
		return false
	}
	v.value, v.version = append(v.value[:0], value...), v.version+1
	return true
}

// Begin implements Engine.
func (n *Native) Begin(worker int, r *Request) (Ticket, error) {
	w := n.workers[worker]
	reading, verdict, why := w.inspector.Begin(head(w.inspector, r))
	switch verdict {
	case inspect.Read:
		defer w.inspector.End(reading)
		return n.read(w, reading, r), nil
	case inspect.ByLoad:
		return n.steer(w, &route.Request{Why: why}), nil
	default:
		return passedTicket{}, nil
	}
}

func head(in *inspect.Inspector, r *Request) *inspect.Head {
	h := &inspect.Head{Method: "POST", Path: r.Path, ContentType: "application/json", NoBody: len(r.Body) == 0, Length: len(r.Body)}
	for _, pair := range r.Headers {
		in.Take(h, strings.ToLower(pair[0]), pair[1])
	}
	return h
}

// read does what the module's stream does with a body: decide as soon as it can, and read on to the end.
func (n *Native) read(w nativeWorker, reading *inspect.Reading, r *Request) (t Ticket) {
	for body := r.Body; len(body) > 0; {
		end := len(body)
		if r.Chunk > 0 {
			end = min(end, r.Chunk)
		}
		enough := reading.Write(body[:end])
		body = body[end:]
		if t == nil && (enough || len(body) == 0) {
			t = n.steer(w, reading.Request())
		}
	}
	if whole := reading.Whole(); whole != nil {
		if t, ok := t.(*nativeTicket); ok {
			t.answer.Extend(whole, epoch+n.now)
		}
	}
	return t
}

func (n *Native) steer(w nativeWorker, req *route.Request) Ticket {
	t := &nativeTicket{engine: n}
	if n.cfg.Steer.Target == config.TargetHash {
		if why := t.answer.DecideKey(w.inspector, req, &t.decision, epoch+n.now); why != "" {
			return passedTicket{}
		}
		return t
	}
	if !t.answer.Decide(w.router, w.board, req, &t.decision, epoch+n.now) {
		return passedTicket{}
	}
	if w.shadow != nil {
		t.answer.DecideShadow(w.shadow, req, epoch+n.now)
	}
	return t
}

// nativeTicket does what the module's stream does.
type nativeTicket struct {
	engine   *Native
	decision route.Decision
	answer   inspect.Answer
}

func (t *nativeTicket) Decision() string {
	return string(t.answer.Describe())
}

func (t *nativeTicket) Endpoints() []string {
	return strings.Split(t.answer.Steering(&t.engine.cfg), ",")
}

func (t *nativeTicket) Headers(served string, status int, contentType string) {
	t.answer.Headers(inspect.Server{Address: served}, status, contentType, epoch+t.engine.now)
}

func (t *nativeTicket) Chunk(part []byte, ends bool) {
	now := epoch + t.engine.now
	if len(part) > 0 {
		t.answer.Chunk(now)
		t.answer.Read(part)
	}
	if ends {
		t.answer.Complete()
		t.answer.End(now, false)
	}
}

// passedTicket is a request that is not ours.
type passedTicket struct{}

func (passedTicket) Decision() string            { return "" }
func (passedTicket) Endpoints() []string         { return nil }
func (passedTicket) Headers(string, int, string) {}
func (passedTicket) Chunk([]byte, bool)          {}

// Advance implements Engine, with a tick in each worker where the module's timer would have one.
func (n *Native) Advance(now int64) {
	for tick, _ := n.Next(); tick <= now; tick, _ = n.Next() {
		n.now = tick
		for _, w := range n.workers {
			if w.router == nil {
				continue
			}
			w.scout.Tick(epoch + tick)
			if w.shadow != nil {
				w.shadow.Tick(w.board, epoch+tick)
			}
			n.answer(w)
		}
		n.ticks++
	}
	n.now = max(n.now, now)
}

// Next implements Engine.
func (n *Native) Next() (int64, bool) { return (n.ticks + 1) * scout.Period(&n.cfg), true }

// calls are what a scout has asked and nobody has answered yet.
type calls struct{ open []scout.Call }

// Get implements scout.Caller.
func (c *calls) Get(call scout.Call) bool {
	c.open = append(c.open, call)
	return true
}

// Answers implements Scraped.
func (n *Native) Answers(pages Pages) { n.pages = pages }

// answer gives a worker the pages that it has asked for; without pages, its calls break off.
func (n *Native) answer(w nativeWorker) {
	for _, c := range w.calls.open {
		page := scout.Page{}
		if n.pages != nil {
			text := n.pages(c.Endpoint)
			page = scout.Page{Status: 200, Size: len(text), Read: func(from, size int) []byte {
				return text[min(from, len(text)):min(from+size, len(text))]
			}}
		}
		w.scout.Answered(c.Token, page, epoch+n.now)
	}
	w.calls.open = w.calls.open[:0]
}

// Close implements Engine.
func (n *Native) Close() error { return nil }
