package main

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"

	core "github.com/envoyproxy/go-control-plane/envoy/config/core/v3"
	extproc "github.com/envoyproxy/go-control-plane/envoy/service/ext_proc/v3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"warmroute/plugin/config"
	"warmroute/plugin/inspect"
	"warmroute/plugin/scout"
	"warmroute/plugin/share/memstore"
	"warmroute/plugin/worker"
)

// picker decides the requests of all streams with one worker: one index, and exact counts of what is in flight.
type picker struct {
	extproc.UnimplementedExternalProcessorServer
	cfg    config.Config
	mu     sync.Mutex
	worker *worker.Worker
}

// calls makes none: metrics and endpoints are not asked for.
type calls struct{}

func (calls) Get(scout.Call) bool { return false }

func newPicker(configuration []byte) (p *picker, err error) {
	p = &picker{}
	if p.cfg, err = config.Parse(configuration); err != nil {
		return nil, err
	}
	if p.cfg.Steer.Target != config.TargetEndpoint || p.cfg.Steer.Via != config.ViaHeader {
		return nil, errors.New("steer: only endpoints in a header can be named here")
	}
	for i := range p.cfg.Pools {
		if p.cfg.Pools[i].Match.Cluster != "" {
			return nil, fmt.Errorf("pools[%d].match.cluster: the route's cluster is not known here", i)
		}
	}
	p.worker, err = worker.New(&p.cfg, memstore.New(), calls{}, p.cfg.Seed, time.Now().UnixNano())
	return p, err
}

// tick keeps the worker's knowledge fresh, as the module's timer does.
func (p *picker) tick() {
	for now := range time.Tick(time.Duration(scout.Period(&p.cfg))) {
		p.mu.Lock()
		p.worker.Tick(now.UnixNano())
		p.mu.Unlock()
	}
}

// request is one stream: a request and its response.
type request struct {
	*picker
	exchange worker.Exchange
	reads    bool // its body
	decided  bool
	answered bool // the response's headers have come
}

// Process implements the service: it answers each message of the proxy.
func (p *picker) Process(stream grpc.BidiStreamingServer[extproc.ProcessingRequest, extproc.ProcessingResponse]) error {
	r := &request{picker: p}
	defer r.end()
	for {
		message, err := stream.Recv()
		if errors.Is(err, io.EOF) || status.Code(err) == codes.Canceled {
			return nil
		}
		if err != nil {
			return err
		}
		answer := r.answer(message)
		if answer == nil {
			return status.Errorf(codes.InvalidArgument, "a message that the processing mode leaves out: %T", message.GetRequest())
		}
		if err := stream.Send(answer); err != nil {
			return err
		}
	}
}

func (r *request) answer(message *extproc.ProcessingRequest) *extproc.ProcessingResponse {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now().UnixNano()
	switch m := message.GetRequest().(type) {
	case *extproc.ProcessingRequest_RequestHeaders:
		verdict, _ := r.exchange.Begin(r.worker, r.head(m.RequestHeaders))
		r.reads = verdict != inspect.Pass && verdict != inspect.ByLoad
		common := &extproc.CommonResponse{}
		if verdict == inspect.ByLoad {
			common = r.decide(now)
		}
		return &extproc.ProcessingResponse{Response: &extproc.ProcessingResponse_RequestHeaders{RequestHeaders: &extproc.HeadersResponse{Response: common}}}
	case *extproc.ProcessingRequest_RequestBody:
		common := &extproc.CommonResponse{}
		if r.reads {
			r.exchange.Write(m.RequestBody.GetBody())
			common = r.decide(now)
		}
		return &extproc.ProcessingResponse{Response: &extproc.ProcessingResponse_RequestBody{RequestBody: &extproc.BodyResponse{Response: common}}}
	case *extproc.ProcessingRequest_ResponseHeaders:
		if r.decided {
			code, kind := 0, ""
			for _, h := range m.ResponseHeaders.GetHeaders().GetHeaders() {
				switch h.GetKey() {
				case ":status":
					code, _ = strconv.Atoi(value(h)) // as the proxy writes it
				case "content-type":
					kind = value(h)
				}
			}
			r.exchange.Headers(worker.Server{Address: r.exchange.Server()}, code, kind, now)
			r.answered = true
		}
		return &extproc.ProcessingResponse{Response: &extproc.ProcessingResponse_ResponseHeaders{ResponseHeaders: &extproc.HeadersResponse{Response: &extproc.CommonResponse{}}}}
	}
	return nil
}

// head is what the request's headers say.
func (r *request) head(m *extproc.HttpHeaders) *inspect.Head {
	h := &inspect.Head{NoBody: m.GetEndOfStream()}
	for _, header := range m.GetHeaders().GetHeaders() {
		r.worker.Take(h, header.GetKey(), value(header))
	}
	return h
}

func value(h *core.HeaderValue) string {
	if raw := h.GetRawValue(); len(raw) > 0 {
		return string(raw)
	}
	return h.GetValue()
}

// decide names the endpoints to try in the header that steers, and their data-parallel rank where they have several.
func (r *request) decide(now int64) *extproc.CommonResponse {
	if code := r.exchange.Decide(true, now); code != "" {
		return &extproc.CommonResponse{}
	}
	r.decided = true
	set := []*core.HeaderValueOption{overwrite(r.cfg.Steer.Header, r.exchange.Steering())}
	if rank := r.exchange.Rank(); rank != "" {
		set = append(set, overwrite(config.RankHeader, []byte(rank)))
	}
	return &extproc.CommonResponse{HeaderMutation: &extproc.HeaderMutation{SetHeaders: set}}
}

func overwrite(name string, value []byte) *core.HeaderValueOption {
	header := &core.HeaderValue{Key: name, RawValue: append([]byte(nil), value...)}
	return &core.HeaderValueOption{Header: header, AppendAction: core.HeaderValueOption_OVERWRITE_IF_EXISTS_OR_ADD}
}

// end is when the proxy is through with the stream; without response headers, the client has left.
func (r *request) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.answered {
		r.exchange.Complete()
	}
	r.exchange.End(time.Now().UnixNano(), !r.answered)
}
