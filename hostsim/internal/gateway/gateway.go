// Package gateway runs a real Envoy from one of the shipped example configurations, on free ports, so that the demo and the
// end-to-end tests run what the examples contain.
package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Options say what to run.
type Options struct {
	Envoy       string         // path of the Envoy binary
	Config      string         // path of a configuration in examples/envoy
	Wasm        string         // path of the module
	Replicas    []string       // "127.0.0.1:port" in place of the example's replicas, in its order
	Plugin      map[string]any // members of the module's configuration to replace; nil values remove
	Concurrency int            // worker threads; 0 means 1
	Env         []string       // further environment variables, NAME=value
	Args        []string       // further arguments of Envoy
	HotRestart  bool           // another Envoy may take over, or this one does: Args say which
	Edit        func(doc any)  // further changes of the decoded configuration; may be nil
}

// Gateway is a running Envoy.
type Gateway struct {
	URL   string // of its listener
	Admin string // URL of its admin interface

	dir    string
	cmd    *exec.Cmd
	exited chan struct{}
	err    error // how it exited; valid once exited is closed
	once   sync.Once
}

// readyWithin bounds an Envoy's start, which compiles the module.
const readyWithin = 60 * time.Second

// Start starts Envoy and waits until it accepts requests. If Envoy refuses its configuration, the error contains Envoy's
// messages.
func Start(ctx context.Context, opt Options) (*Gateway, error) {
	for what, path := range map[string]string{"the module (./build.sh build makes it)": opt.Wasm, "Envoy (./build.sh setup installs it)": opt.Envoy} {
		if _, err := os.Stat(path); err != nil {
			return nil, fmt.Errorf("%s is missing: %w", what, err)
		}
	}
	doc, err := render(opt)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "warmroute-envoy-")
	if err != nil {
		return nil, err
	}
	g := &Gateway{dir: dir, exited: make(chan struct{})}
	if err := g.launch(opt, doc); err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	if err := g.await(ctx); err != nil {
		g.Close()
		return nil, err
	}
	return g, nil
}

func (g *Gateway) launch(opt Options, doc []byte) error {
	config := filepath.Join(g.dir, "envoy.json")
	if err := os.WriteFile(config, doc, 0o600); err != nil {
		return err
	}
	out, err := os.Create(filepath.Join(g.dir, "stdout"))
	if err != nil {
		return err
	}
	defer out.Close()
	log, err := os.Create(filepath.Join(g.dir, "stderr"))
	if err != nil {
		return err
	}
	defer log.Close()
	g.cmd = exec.Command(opt.Envoy, "-c", config, "--concurrency", strconv.Itoa(max(opt.Concurrency, 1)), "--service-node", "warmroute", "--service-cluster", "warmroute", "--file-flush-interval-msec", "50", "--admin-address-path", filepath.Join(g.dir, "admin"), "--log-level", "info")
	g.cmd.Args = append(g.cmd.Args, opt.Args...)
	if !opt.HotRestart {
		g.cmd.Args = append(g.cmd.Args, "--disable-hot-restart")
	}
	g.cmd.Stdout, g.cmd.Stderr = out, log
	g.cmd.Env = append(os.Environ(), opt.Env...)
	g.cmd.SysProcAttr = tied()
	if err := g.cmd.Start(); err != nil {
		return fmt.Errorf("starting Envoy: %w", err)
	}
	go func() {
		g.err = g.cmd.Wait()
		close(g.exited)
	}()
	return nil
}

// await polls the admin interface until Envoy is live.
func (g *Gateway) await(ctx context.Context) error {
	deadline := time.NewTimer(readyWithin)
	defer deadline.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-g.exited:
			return fmt.Errorf("envoy stopped at its start (%v): %s", g.err, criticals(g.Log()))
		case <-deadline.C:
			return fmt.Errorf("envoy was not ready within %s:\n%s", readyWithin, g.Log())
		case <-time.After(20 * time.Millisecond):
		}
		if g.live() {
			return nil
		}
	}
}

func (g *Gateway) live() bool {
	address, err := os.ReadFile(filepath.Join(g.dir, "admin"))
	if err != nil || len(address) == 0 {
		return false
	}
	g.Admin = "http://" + strings.TrimSpace(string(address))
	if state, err := g.Get("/ready"); err != nil || !strings.HasPrefix(state, "LIVE") {
		return false
	}
	text, err := g.Get("/listeners?format=json")
	if err != nil {
		return false
	}
	var listeners struct {
		Statuses []struct {
			Local struct {
				Socket struct {
					Address string
					Port    int `json:"port_value"`
				} `json:"socket_address"`
			} `json:"local_address"`
		} `json:"listener_statuses"`
	}
	if json.Unmarshal([]byte(text), &listeners) != nil || len(listeners.Statuses) == 0 {
		return false
	}
	socket := listeners.Statuses[0].Local.Socket
	g.URL = fmt.Sprintf("http://%s:%d", socket.Address, socket.Port)
	return true
}

// Get returns a page of Envoy's admin interface.
func (g *Gateway) Get(path string) (string, error) {
	response, err := http.Get(g.Admin + path)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if response.StatusCode != http.StatusOK {
		err = errors.Join(err, fmt.Errorf("%s answered %s", path, response.Status))
	}
	return string(text), err
}

// Pid is the id of Envoy's process.
func (g *Gateway) Pid() int { return g.cmd.Process.Pid }

// Log is what Envoy logged so far.
func (g *Gateway) Log() string { return g.read("stderr") }

// AccessLog is what Envoy's access log has so far, except the last 50 ms.
func (g *Gateway) AccessLog() string { return g.read("stdout") }

func (g *Gateway) read(name string) string {
	text, _ := os.ReadFile(filepath.Join(g.dir, name)) // removed once closed
	return string(text)
}

// Close stops Envoy and removes what it wrote. A second call does nothing.
func (g *Gateway) Close() {
	g.once.Do(func() {
		_ = g.cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-g.exited:
		case <-time.After(5 * time.Second):
			_ = g.cmd.Process.Kill()
			<-g.exited
		}
		os.RemoveAll(g.dir)
	})
}

// criticals are the lines of an Envoy log that say why it stopped.
func criticals(log string) string {
	var lines []string
	for line := range strings.Lines(log) {
		if strings.Contains(line, "[critical]") || strings.Contains(line, "[error]") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	if len(lines) == 0 {
		return log
	}
	return strings.Join(lines, "\n")
}
