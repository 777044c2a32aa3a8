package ours

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"warmroute/hostsim/internal/host"
	"warmroute/hostsim/internal/router"
	"warmroute/plugin/config"
	"warmroute/plugin/share"
)

// Wasm runs the module.
type Wasm struct {
	owned  *host.Module // closed with the engine; nil where others use it
	proxy  *host.Proxy
	header string       // that steers; "" where the filter state steers
	state  string       // the filter state that does
	served string       // what the property upstream.address says
	pages  router.Pages // or nil: calls are refused
	send   func(to, ask string, done func(int, []byte))
	asked  bool // the request under way came to the listener for news
	held   []heldStream
	late   []*wasmTicket // held until there is room
}

// NewWasm starts the module of a file with a plugin configuration, in as many workers. A configuration that the module
// refuses is an error with the module's words.
func NewWasm(ctx context.Context, file string, configuration []byte, workers int, onLog func(host.Entry)) (*Wasm, error) {
	module, err := Load(ctx, file)
	if err != nil {
		return nil, err
	}
	w, err := StartWasm(ctx, module, configuration, workers, onLog)
	if err != nil {
		return nil, errors.Join(err, module.Close(ctx))
	}
	w.owned = module
	return w, nil
}

// Load compiles the module of a file; several engines may run it.
func Load(ctx context.Context, file string) (*host.Module, error) {
	code, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%w (./build.sh build makes the module)", err)
	}
	if err != nil {
		return nil, err
	}
	module, err := compile(ctx, code)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return module, nil
}

// StartWasm is NewWasm with a module that is loaded; Close leaves it open.
func StartWasm(ctx context.Context, module *host.Module, configuration []byte, workers int, onLog func(host.Entry)) (*Wasm, error) {
	w := &Wasm{}
	var err error
	w.proxy, err = module.NewProxy(ctx, host.Config{
		VMID: "warmroute", RootID: "warmroute", PluginName: "warmroute", PluginConfig: configuration,
		Workers: workers, AllowOnHeadersStopIteration: true, FailurePolicy: host.FailReload,
		LogLevel: host.LevelInfo, OnLog: onLog, Property: w.property, Start: epoch, OnCallout: w.answer,
		Env: []string{"WARMROUTE_PEERS_SECRET=" + syncSecret}, Seed: incarnation(configuration),
		SharedData: map[string][]byte{share.SecretKey: make([]byte, 8)}, // the native engine's: its index is to forget the same blocks
	})
	if err != nil {
		return nil, err
	}
	cfg, err := config.Parse(configuration)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("the module took a configuration that Parse refuses: %w", err), w.Close())
	}
	switch {
	case cfg.Steer.Via == config.ViaHeader:
		w.header = cfg.Steer.Header
	case cfg.Steer.Target == config.TargetHash:
		w.state = "wasm.warmroute_key"
	default:
		w.state = "wasm.warmroute_endpoint"
	}
	return w, nil
}

func (w *Wasm) StartAt(now int64) { w.proxy.Skip(epoch + now) }

// compile keeps machine code between runs where the user has a cache folder.
func compile(ctx context.Context, code []byte) (*host.Module, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return host.Compile(ctx, code)
	}
	return host.CompileCached(ctx, code, filepath.Join(dir, "warmroute", "wazero"))
}

func (w *Wasm) property(_ *host.Stream, path []string) ([]byte, bool) {
	switch name := strings.Join(path, "."); {
	case (name == "upstream.address" || name == "upstream.local_address") && w.served != "":
		return []byte(w.served), true
	case name == "destination.port" && w.asked:
		return binary.LittleEndian.AppendUint64(nil, router.NewsPort), true
	}
	return nil, false
}

// Answers implements router.Scraped.
func (w *Wasm) Answers(pages router.Pages) { w.pages = pages }

// answer plays the cluster of the replicas, and that of the gateways.
func (w *Wasm) answer(c *host.Callout) {
	to, _ := c.Headers.Get(config.EndpointHeader)
	if c.Cluster == router.GatewaysCluster {
		w.ask(c, to)
		return
	}
	path, _ := c.Headers.Get(":path")
	if w.pages == nil || to == "" && !router.IsHosts(path) {
		c.Fail(0)
		return
	}
	status, text := "200", w.pages(to, path)
	if text == nil {
		status = "404"
	}
	c.Respond(host.Response{Headers: host.Headers{{Name: ":status", Value: status}, {Name: "content-type", Value: "text/plain"}}, Body: text}, 0)
}

// Proxy is the simulated proxy, for its metrics and logs.
func (w *Wasm) Proxy() *host.Proxy { return w.proxy }

// Advance implements router.Engine.
func (w *Wasm) Advance(now int64) {
	if at := epoch + now; at >= w.proxy.Now() {
		w.proxy.Advance(at)
		w.told()
	}
}

// Next implements router.Engine.
func (w *Wasm) Next() (int64, bool) {
	at, ok := w.proxy.NextEvent()
	return at - epoch, ok
}

// Begin implements router.Engine. It fails where the module did not let the request go on.
func (w *Wasm) Begin(worker int, r *router.Request) (router.Ticket, error) {
	s := w.proxy.NewStream(worker)
	headers := host.Headers{
		{Name: ":method", Value: "POST"}, {Name: ":path", Value: r.Path}, {Name: ":authority", Value: "gateway"},
		{Name: "content-type", Value: "application/json"}, {Name: "content-length", Value: strconv.Itoa(len(r.Body))},
	}
	for _, h := range r.Headers {
		headers = append(headers, host.Header{Name: strings.ToLower(h[0]), Value: h[1]})
	}
	s.RequestHeaders(headers, len(r.Body) == 0)
	step := r.Chunk
	if step <= 0 {
		step = max(len(r.Body), 1)
	}
	body := bytes.Clone(r.Body) // the proxy keeps it
	for at := 0; at < len(body); at += step {
		end := min(at+step, len(body))
		s.RequestBody(body[at:end], end == len(body))
	}
	w.told()
	if t := (&wasmTicket{w, s}); t.Held() && s.Details() == "" {
		w.late = append(w.late, t)
		return t, nil
	} else if t.Held() {
		return nil, fmt.Errorf("the module held the request or ended it (%s); its last words: %s", s.Details(), w.lastWords())
	}
	return &wasmTicket{w, s}, nil
}

// Freed implements router.Holder.
func (w *Wasm) Freed() (freed []router.Ticket) {
	w.late = slices.DeleteFunc(w.late, func(t *wasmTicket) bool {
		if !t.Held() {
			freed = append(freed, t)
		}
		return !t.Held()
	})
	return freed
}

func (w *Wasm) lastWords() string {
	if logs := w.proxy.Logs(); len(logs) > 0 {
		return logs[len(logs)-1].Message
	}
	return "none"
}

// Close implements router.Engine.
func (w *Wasm) Close() error {
	err := w.proxy.Close()
	if w.owned != nil {
		err = errors.Join(err, w.owned.Close(context.Background()))
	}
	return err
}
