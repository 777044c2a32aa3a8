// Package fleet is HTTP servers that drive the engine of package vllm in real time, and answer like vLLM's OpenAI server.
package fleet

import (
	"errors"
	"fmt"
	"net"

	"warmroute/hostsim/internal/vllm"
	"warmroute/plugin/config"
)

// Options describe the fleet to start.
type Options struct {
	N        int          // replicas, 1 to config.MaxEndpoints
	Ranks    int          // data-parallel ranks of each, with an engine each; 0: one
	Host     string       // loopback only; 127.0.0.1 when empty
	Port     int          // of the first replica, the others follow; 0 takes free ones
	Profile  vllm.Profile // of every replica; see LoadProfile
	Model    string       // name served; "warmroute-sim" when empty
	Adapters []string     // LoRA adapters served beside it, by name
	Speed    float64      // virtual seconds per real second, > 0; 0 means 1
	Seed     int64        // of the answers' text
}

// DefaultModel is the model's name unless Options say otherwise.
const DefaultModel = vllm.DefaultModel

// Fleet is a number of replicas that are serving.
type Fleet struct {
	Replicas []*Server // named replica-0, replica-1, …
}

// Start serves N replicas. Errors name the port in use, or the wrong option or field of the profile; no replica is then
// left running.
func Start(o Options) (*Fleet, error) {
	if o.Host == "" {
		o.Host = "127.0.0.1"
	}
	if o.Model == "" {
		o.Model = DefaultModel
	}
	if o.Speed == 0 {
		o.Speed = 1
	}
	if o.N < 1 || o.N > config.MaxEndpoints {
		return nil, fmt.Errorf("replicas: %d is not within 1 to %d", o.N, config.MaxEndpoints)
	}
	if o.Port < 0 || o.Port > 0 && o.Port+o.N-1 > 65535 {
		return nil, fmt.Errorf("port: %d replicas from port %d on do not fit below 65536", o.N, o.Port)
	}
	if !(o.Speed > 0) {
		return nil, fmt.Errorf("speed: %v is not above 0", o.Speed)
	}
	if ip := net.ParseIP(o.Host); o.Host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, fmt.Errorf("host: %s is not a loopback address; simulated replicas have no authentication", o.Host)
	}
	f := new(Fleet)
	for i := range o.N {
		port := o.Port
		if port > 0 {
			port += i
		}
		s, err := newServer(fmt.Sprintf("replica-%d", i), o.Host, port, o)
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		f.Replicas = append(f.Replicas, s)
	}
	return f, nil
}

// URLs are the replicas' addresses in order, each http://host:port.
func (f *Fleet) URLs() []string {
	urls := make([]string, len(f.Replicas))
	for i, s := range f.Replicas {
		urls[i] = s.URL()
	}
	return urls
}

// Close stops all replicas at once.
func (f *Fleet) Close() error {
	var errs []error
	for _, s := range f.Replicas {
		errs = append(errs, s.Close())
	}
	return errors.Join(errs...)
}
