package replay

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"warmroute/hostsim/internal/host"
	"warmroute/plugin/config"
)

// Wasm runs the module.
type Wasm struct {
	module *host.Module
	proxy  *host.Proxy
	header string // that steers
	served string // what the property upstream.address says
}

// NewWasm starts the module of a file with a plugin configuration, in as many workers. A configuration that the module
// refuses is an error with the module's words.
func NewWasm(ctx context.Context, file string, configuration []byte, workers int, onLog func(host.Entry)) (*Wasm, error) {
	code, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%w (./build.sh build makes the module)", err)
	}
	if err != nil {
		return nil, err
	}
	w := &Wasm{}
	if w.module, err = compile(ctx, code); err != nil {
		return nil, err
	}
	w.proxy, err = w.module.NewProxy(ctx, host.Config{
		VMID: "warmroute", RootID: "warmroute", PluginName: "warmroute", PluginConfig: configuration,
		Workers: workers, AllowOnHeadersStopIteration: true, FailurePolicy: host.FailReload,
		LogLevel: host.LevelInfo, OnLog: onLog, Property: w.property,
	})
	if err != nil {
		return nil, errors.Join(err, w.module.Close(ctx))
	}
	cfg, err := config.Parse(configuration)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("the module took a configuration that Parse refuses: %w", err), w.Close())
	}
	w.header = cfg.Steer.Header
	return w, nil
}

// compile keeps machine code between runs where the user has a cache folder.
func compile(ctx context.Context, code []byte) (*host.Module, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return host.Compile(ctx, code)
	}
	return host.CompileCached(ctx, code, filepath.Join(dir, "warmroute", "wazero"))
}

func (w *Wasm) property(_ *host.Stream, path []string) ([]byte, bool) {
	if strings.Join(path, ".") == "upstream.address" && w.served != "" {
		return []byte(w.served), true
	}
	return nil, false
}

// Proxy is the simulated proxy, for its metrics and logs.
func (w *Wasm) Proxy() *host.Proxy { return w.proxy }

// Begin implements Engine. It fails where the module did not let the request go on.
func (w *Wasm) Begin(worker int, r *Request) (*Ticket, error) {
	s := w.proxy.NewStream(worker)
	headers := host.Headers{
		{Name: ":method", Value: "POST"}, {Name: ":path", Value: r.Path}, {Name: ":authority", Value: "gateway"},
		{Name: "content-type", Value: "application/json"},
	}
	for _, h := range r.Headers {
		headers = append(headers, host.Header{Name: strings.ToLower(h[0]), Value: h[1]})
	}
	s.RequestHeaders(headers, len(r.Body) == 0)
	step := r.Chunk
	if step <= 0 {
		step = max(len(r.Body), 1)
	}
	for at := 0; at < len(r.Body); at += step {
		end := min(at+step, len(r.Body))
		s.RequestBody(r.Body[at:end], end == len(r.Body))
	}
	if !s.Upstream().Started {
		return nil, fmt.Errorf("the module held the request or ended it (%s); its last words: %s", s.Details(), w.lastWords())
	}
	t := &Ticket{end: func(a Answer) { w.answer(s, a) }}
	t.Decision, _ = s.FilterState("wasm.warmroute")
	if steering, ok := s.Upstream().Headers.Get(w.header); ok {
		t.Endpoints = strings.Split(steering, ",")
	}
	return t, nil
}

func (w *Wasm) answer(s *host.Stream, a Answer) {
	w.served = a.Served
	s.ResponseHeaders(host.Headers{
		{Name: ":status", Value: strconv.Itoa(a.Status)}, {Name: "content-type", Value: a.ContentType},
	}, len(a.Body) == 0)
	if len(a.Body) > 0 {
		s.ResponseBody(a.Body, true)
	}
}

func (w *Wasm) lastWords() string {
	if logs := w.proxy.Logs(); len(logs) > 0 {
		return logs[len(logs)-1].Message
	}
	return "none"
}

// Close implements Engine.
func (w *Wasm) Close() error {
	return errors.Join(w.proxy.Close(), w.module.Close(context.Background()))
}
