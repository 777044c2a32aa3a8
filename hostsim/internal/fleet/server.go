package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/cespare/xxhash/v2"

	"warmroute/hostsim/internal/render"
	"warmroute/hostsim/internal/vllm"
	"warmroute/hostsim/internal/vllmpages"
)

// maxBody bounds a request body in bytes.
const maxBody = 64 << 20

// Server is one replica: an engine in real time behind an HTTP server that answers like vLLM's, with the header
// x-replica in every response.
type Server struct {
	name     string
	model    string
	adapters []string
	seed     int64
	profile  vllm.Profile
	drivers  []*driver // of its data-parallel ranks, at least one
	turns    atomic.Int64
	faults   *faults
	http     *http.Server
	listener net.Listener
	ids      atomic.Uint64
	scrapes  atomic.Int64
	routes   map[string]route
}

type route struct {
	method string
	serve  http.HandlerFunc
}

// newServer makes a replica and serves it on a loopback address; port 0 takes a free one.
func newServer(name, host string, port int, o Options) (*Server, error) {
	engines := make([]*vllm.Engine, max(o.Ranks, 1))
	for i := range engines {
		var err error
		if engines[i], err = vllm.NewEngine(o.Profile); err != nil {
			return nil, err
		}
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("port %d on %s is in use", port, host)
	}
	if err != nil {
		return nil, fmt.Errorf("port %d: %w", port, err)
	}
	s := &Server{
		name: name, model: o.Model, adapters: o.Adapters, seed: o.Seed, profile: o.Profile,
		faults: newFaults(), listener: listener,
	}
	for _, e := range engines {
		s.drivers = append(s.drivers, newDriver(e, o.Speed, vllmpages.NewMetrics(&o.Profile)))
	}
	s.routes = map[string]route{
		"/v1/chat/completions":      {http.MethodPost, s.generates(render.Chat)},
		"/v1/completions":           {http.MethodPost, s.generates(render.Completions)},
		"/v1/responses":             {http.MethodPost, s.generates(render.Responses)},
		"/v1/messages":              {http.MethodPost, s.generates(render.Messages)},
		"/v1/messages/count_tokens": {http.MethodPost, s.handleCountTokens},
		"/v1/embeddings":            {http.MethodPost, s.generates(render.Embeddings)},
		"/v1/models":                {http.MethodGet, s.handleModels},
		"/health":                   {http.MethodGet, func(http.ResponseWriter, *http.Request) {}},
		"/metrics":                  {http.MethodGet, s.handleMetrics},
		"/tokenize":                 {http.MethodPost, s.handleTokenize},
		"/reset_prefix_cache":       {http.MethodPost, func(http.ResponseWriter, *http.Request) { s.eachDriver(func(d *driver) { d.resetCache() }) }},
		"/fault":                    {http.MethodPost, s.handleFault},
	}
	s.http = &http.Server{Handler: s, ReadHeaderTimeout: time.Minute}
	go func() { _ = s.http.Serve(listener) }() // returns ErrServerClosed on Close
	return s, nil
}

// Name is the value of x-replica.
func (s *Server) Name() string { return s.name }

// Addr is the address served, host:port.
func (s *Server) Addr() string { return s.listener.Addr().String() }

// URL is http:// and Addr.
func (s *Server) URL() string { return "http://" + s.Addr() }

// Stats returns the gauges and counters of the replica now, of all its ranks together.
func (s *Server) Stats() vllm.Stats {
	all := s.RankStats(0)
	for i := 1; i < len(s.drivers); i++ {
		all = all.Plus(s.RankStats(i))
	}
	return all
}

func (s *Server) eachDriver(do func(d *driver)) {
	for _, d := range s.drivers {
		do(d)
	}
}

// Scrapes is how often the replica's metrics were read.
func (s *Server) Scrapes() int { return int(s.scrapes.Load()) }

// Close stops serving at once; connections are closed. A second call does nothing.
func (s *Server) Close() error {
	err := s.http.Close()
	s.eachDriver((*driver).close)
	return err
}

// ServeHTTP routes one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if f, _ := s.faults.get(); f.Mode == "refuse" && r.URL.Path != "/fault" {
		dropConnection(w)
		return
	}
	w.Header().Set("X-Replica", s.name)
	to, ok := s.routes[r.URL.Path]
	switch {
	case !ok:
		_, _ = io.Copy(io.Discard, r.Body) // or a proxy that is still sending sees a reset, and not the answer
		writeJSON(w, http.StatusNotFound, map[string]string{"detail": "Not Found"})
	case r.Method != to.method:
		w.Header().Set("Allow", to.method)
		writeJSON(w, http.StatusMethodNotAllowed, map[string]string{"detail": "Method Not Allowed"})
	default:
		to.serve(w, r)
	}
}

// readBody reads a request's body, within bounds.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, *render.Error) {
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return nil, render.BadRequest("", "reading the body: %s", err)
	}
	return data, nil
}

// generates is the route of an API that runs the model.
func (s *Server) generates(kind render.API) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if bad := s.generate(w, r, kind); bad != nil {
			writeErrorAs(w, bad, kind)
		}
	}
}

// generate parses, submits, and answers; an error was not answered yet.
func (s *Server) generate(w http.ResponseWriter, r *http.Request, kind render.API) *render.Error {
	f, changed := s.faults.get()
	data, bad := readBody(w, r)
	if bad != nil {
		return bad
	}
	switch f.Mode {
	case "fast_error":
		return f.injected()
	case "hang":
		select {
		case <-changed:
		case <-r.Context().Done():
			return nil
		}
	}
	b, prompts, bad := render.Parse(data, kind, s.model, s.adapters)
	if bad != nil {
		return bad
	}
	if kind == render.Messages && b.MaxTokens == nil { // logs may leave it out, clients may not
		return render.BadRequest("max_tokens", "max_tokens: Field required")
	}
	d, bad := s.driverOf(r)
	if bad != nil {
		return bad
	}
	g, bad := s.submit(d, b, prompts, kind)
	if bad != nil {
		return bad
	}
	defer g.abort() // requests that are not done: the client has disconnected
	switch {
	case f.Mode == "error":
		if g.waitFirst(r.Context()) {
			return f.injected()
		}
	case kind == render.Embeddings:
		g.embed(r.Context(), w, b)
	case b.Stream:
		g.stream(r.Context(), w)
	default:
		g.reply(r.Context(), w)
	}
	return nil
}

// idPrefix begins an answer's name, as in vLLM.
var idPrefix = map[render.API]string{
	render.Completions: "cmpl", render.Chat: "chatcmpl", render.Responses: "resp", render.Messages: "chatcmpl", render.Embeddings: "embd",
}

// submit passes all prompts of one HTTP request to a rank's engine; none if one of them is too long.
func (s *Server) submit(d *driver, b *render.Body, prompts [][]uint32, kind render.API) (*generation, *render.Error) {
	limit := b.Limit()
	if kind == render.Embeddings {
		limit = 1 // the prompt's one pass
	}
	for _, p := range prompts {
		if len(p)+limit > s.profile.MaxModelLen {
			return nil, render.BadRequest("input_tokens", "This model's maximum context length is %d tokens. However, you requested %d output tokens and your prompt contains %d input tokens, for a total of %d tokens.",
				s.profile.MaxModelLen, limit, len(p), len(p)+limit)
		}
	}
	g := &generation{
		server: s, driver: d, model: cmp.Or(b.Model, s.model), created: time.Now().Unix(), wake: make(chan struct{}, 1),
		form: formOf(kind, b.StreamOptions != nil && b.StreamOptions.IncludeUsage),
	}
	g.id = fmt.Sprintf("%s-%s-%d", idPrefix[kind], s.name, s.ids.Add(1))
	seed := vllm.CacheSeed(cmp.Or(b.Model, s.model), b.CacheSalt)
	for _, p := range prompts {
		hash := xxhash.Sum64(tokenBytes(p))
		text := render.Answer(hash, s.seed^b.Seed, limit)
		tokens := render.AppendText(p[:len(p):len(p)], text)
		q := vllm.Request{Tokens: tokens, Seed: seed, PromptTokens: len(p), MaxTokens: limit, Priority: b.Priority, Tokenized: b.Tokenized()}
		if s.profile.MaxLoRAs > 0 && b.Model != s.model {
			q.LoRA = b.Model // "" or an adapter: parse has seen to it
		}
		c, err := d.submit(q, g.wake)
		if err != nil {
			g.abort()
			return nil, render.BadRequest("", "%s", err)
		}
		g.parts = append(g.parts, generated{call: c, hash: hash, text: text, promptTokens: len(p)})
	}
	return g, nil
}

// waitFirst waits for a first token; false if the client disconnected before.
func (g *generation) waitFirst(ctx context.Context) bool {
	for g.parts[0].call.generated.Load() == 0 {
		select {
		case <-g.wake:
		case <-ctx.Done():
			return false
		}
	}
	return true
}
