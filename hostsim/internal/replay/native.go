package replay

import (
	"strings"

	"warmroute/plugin/config"
	"warmroute/plugin/inspect"
	"warmroute/plugin/route"
)

// Native runs the module's rooms as Go code: the same decisions without a virtual machine, several times as fast.
type Native struct {
	cfg     config.Config
	workers []nativeWorker
	now     int64
}

type nativeWorker struct {
	inspector *inspect.Inspector
	router    *route.Router
}

// NewNative makes an engine from a plugin configuration, in as many workers. Errors name the field.
func NewNative(configuration []byte, workers int) (*Native, error) {
	cfg, err := config.Parse(configuration)
	if err != nil {
		return nil, err
	}
	n := &Native{cfg: cfg}
	for range workers {
		inspector, err := inspect.New(&n.cfg)
		if err != nil {
			return nil, err
		}
		n.workers = append(n.workers, nativeWorker{inspector, route.New(&n.cfg, cfg.Seed)})
	}
	return n, nil
}

// Begin implements Engine.
func (n *Native) Begin(worker int, r *Request) (Ticket, error) {
	w := n.workers[worker]
	reading, verdict, why := w.inspector.Begin(n.head(r))
	switch verdict {
	case inspect.Read:
		defer w.inspector.End(reading)
		n.read(reading, r)
		return n.pick(w.router, reading.Request()), nil
	case inspect.ByLoad:
		return n.pick(w.router, &route.Request{Why: why}), nil
	default:
		return passedTicket{}, nil
	}
}

func (n *Native) head(r *Request) *inspect.Head {
	h := &inspect.Head{Method: "POST", Path: r.Path, ContentType: "application/json", NoBody: len(r.Body) == 0}
	for _, pair := range r.Headers {
		if n.cfg.TenantHeader != "" && strings.EqualFold(pair[0], n.cfg.TenantHeader) {
			h.Tenant = pair[1]
		}
	}
	for _, name := range n.cfg.SessionHeaders {
		for _, pair := range r.Headers {
			if h.Session == "" && strings.EqualFold(pair[0], name) {
				h.Session = pair[1]
			}
		}
	}
	return h
}

func (n *Native) read(reading *inspect.Reading, r *Request) {
	for body, enough := r.Body, false; len(body) > 0 && !enough; {
		end := len(body)
		if r.Chunk > 0 {
			end = min(end, r.Chunk)
		}
		enough = reading.Write(body[:end])
		body = body[end:]
	}
}

func (n *Native) pick(router *route.Router, req *route.Request) Ticket {
	t := &nativeTicket{router: router, cluster: n.cfg.Steer.Target == config.TargetCluster}
	router.Pick(req, &t.decision)
	router.Load.Acquire(t.decision.Order[0])
	return t
}

// nativeTicket does what the module's stream does.
type nativeTicket struct {
	router   *route.Router
	decision route.Decision
	cluster  bool
}

func (t *nativeTicket) Decision() string { return string(t.decision.Append(nil, t.router.Endpoints)) }

func (t *nativeTicket) Endpoints() []string {
	if t.cluster {
		return []string{t.router.Endpoints[t.decision.Order[0]].Cluster}
	}
	var list []string
	for _, e := range t.decision.Order {
		list = append(list, t.router.Endpoints[e].Address)
	}
	return list
}

func (t *nativeTicket) Headers(string, int, string) {}

func (t *nativeTicket) Chunk(_ []byte, ends bool) {
	if ends {
		t.router.Load.Release(t.decision.Order[0])
	}
}

// passedTicket is a request that is not ours.
type passedTicket struct{}

func (passedTicket) Decision() string            { return "" }
func (passedTicket) Endpoints() []string         { return nil }
func (passedTicket) Headers(string, int, string) {}
func (passedTicket) Chunk([]byte, bool)          {}

// Advance implements Engine.
func (n *Native) Advance(now int64) { n.now = now }

// Next implements Engine.
func (n *Native) Next() (int64, bool) { return 0, false }

// Close implements Engine.
func (n *Native) Close() error { return nil }
