package host

import (
	"context"
	"errors"
	"fmt"
)

// FailurePolicy says what happens on a VM that a trap has killed, to requests other than the one that trapped.
type FailurePolicy int

const (
	FailClosed FailurePolicy = iota // they get 503
	FailOpen                        // they pass as if the plugin were not there
	FailReload                      // a new request starts a fresh VM; the dead VM's streams get 503
)

// Config is what Envoy's configuration says of the plugin and of the process around it.
type Config struct {
	VMID, RootID, PluginName string
	VMConfig, PluginConfig   []byte

	Env []string // NAME=value, as vm_config.environment_variables hands over

	Workers                     int           // VMs, one per worker thread; 0 is 1. Envoy has one more, of its main thread, that ticks and gets no requests
	AllowOnHeadersStopIteration bool          // a headers callback's Pause holds the headers only
	HTTP3                       bool          // the module is not told to log a stream that ends without a reset: Envoy logs it once the client has acknowledged all, and has deleted it before
	NoRetries                   bool          // the route has no retry policy, so that the router keeps no request (package comment)
	BodyLimit                   int           // bytes that may be buffered for a paused body callback; 0 is 1 MiB
	FailurePolicy               FailurePolicy // after a trap
	ReloadBackoff               int64         // ns between reloads of one worker, the first being at once; 0 is 1.2 s

	LogLevel Level       // what is less severe is dropped, and proxy_get_log_level says so
	LogKeep  int         // how many entries Proxy.Logs keeps, the latest; 0 is 256
	OnLog    func(Entry) // nil or told of each entry

	Start            int64             // virtual time at which the proxy begins, ns since 1970; 0 is 2026-01-01
	Seed             uint64            // of the modules' randomness
	SharedData       map[string][]byte // what the VMs share at the start
	HistogramSamples int               // samples each histogram keeps; 0 is 65,536

	Clusters  []string                                                  // that proxy_http_call may name; nil is any
	OnCallout func(*Callout)                                            // answers HTTP calls, at once or later; nil leaves them to their timeout
	Property  func(s *Stream, path []string) (value []byte, found bool) // properties other than the plugin's own; s is nil outside of a stream
}

const (
	defaultBodyLimit        = 1 << 20 // bytes, Envoy's per_connection_buffer_limit_bytes
	defaultReloadBackoff    = 1_200_000_000
	defaultLogKeep          = 256
	defaultStart            = 1_767_225_600_000_000_000
	defaultHistogramSamples = 1 << 16
)

func (c *Config) setDefaults() {
	c.Workers = max(c.Workers, 1)
	if c.BodyLimit <= 0 {
		c.BodyLimit = defaultBodyLimit
	}
	if c.ReloadBackoff <= 0 {
		c.ReloadBackoff = defaultReloadBackoff
	}
	if c.LogKeep <= 0 {
		c.LogKeep = defaultLogKeep
	}
	if c.Start == 0 {
		c.Start = defaultStart
	}
	if c.HistogramSamples <= 0 {
		c.HistogramSamples = defaultHistogramSamples
	}
}

// A Proxy is one Envoy process: its worker VMs and what they share.
type Proxy struct {
	ctx     context.Context
	module  *Module
	config  Config
	workers []worker
	plugins []*Plugin // nil: it has ended
	closed  bool

	clock   clock
	entered int // depth of calls from outside into the proxy
	log     logSink
	shared  sharedData
	queues  queues
	metrics metrics
}

// A worker is a thread of Envoy; FailReload gives it another VM.
type worker struct {
	vm         *VM
	nextReload int64 // ns; no reload before it
}

// NewProxy starts the proxy with all its VMs. If a VM refuses its start or its configuration, or traps, the error
// says which and carries the most severe of the latest messages that the module logged.
func (m *Module) NewProxy(ctx context.Context, config Config) (*Proxy, error) {
	config.setDefaults()
	p := &Proxy{ctx: ctx, module: m, config: config, workers: make([]worker, config.Workers)}
	p.plugins = []*Plugin{{config.PluginName, config.RootID, config.PluginConfig}}
	p.clock.now = config.Start
	for key, value := range config.SharedData {
		p.SetSharedData(key, value)
	}
	var err error
	p.enter(func() {
		for i := 0; i < len(p.workers) && err == nil; i++ {
			if p.workers[i].vm, err = p.newVM(i); err != nil {
				err = fmt.Errorf("host: worker %d: %w", i, err)
			}
		}
	})
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// Close cancels the open streams, ends the plugin contexts and frees the VMs.
func (p *Proxy) Close() error {
	if p.closed {
		return nil
	}
	p.closed = true
	var errs []error
	p.enter(func() {
		for i := range p.workers {
			if vm := p.workers[i].vm; vm != nil {
				errs = append(errs, vm.shutdown())
			}
		}
	})
	return errors.Join(errs...)
}

// VM is the VM that worker, 0 … Workers-1, has now.
func (p *Proxy) VM(worker int) *VM { return p.workers[worker].vm }

// Workers is the number of workers.
func (p *Proxy) Workers() int { return len(p.workers) }

// enter wraps whatever may run a VM. What a VM causes in other VMs, and answers that need no time, wait until
// the outermost call is over, as they would on Envoy's threads.
func (p *Proxy) enter(run func()) {
	p.entered++
	run()
	p.entered--
	if p.entered == 0 {
		p.clock.runDue(p)
	}
}
