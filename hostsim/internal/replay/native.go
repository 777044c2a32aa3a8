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
func (n *Native) Begin(worker int, r *Request) (*Ticket, error) {
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
		return &Ticket{end: func(Answer) {}}, nil
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

func (n *Native) pick(router *route.Router, req *route.Request) *Ticket {
	var d route.Decision
	router.Pick(req, &d)
	router.Load.Acquire(d.Order[0])
	t := &Ticket{Decision: string(d.Append(nil, router.Endpoints)), end: func(Answer) { router.Load.Release(d.Order[0]) }}
	if n.cfg.Steer.Target == config.TargetCluster {
		t.Endpoints = []string{router.Endpoints[d.Order[0]].Cluster}
		return t
	}
	for _, e := range d.Order {
		t.Endpoints = append(t.Endpoints, router.Endpoints[e].Address)
	}
	return t
}

// Close implements Engine.
func (n *Native) Close() error { return nil }
