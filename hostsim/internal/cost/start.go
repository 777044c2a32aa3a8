package cost

import (
	"context"
	"fmt"
	"maps"
	"os"

	"warmroute/hostsim/internal/gateway"
)

// Variant is one Envoy.
type Variant struct {
	Name    string
	Wasm    string // its module; "": none
	Scrape  bool   // reads the endpoints' metrics
	Gate    bool   // as in Envoy Gateway: no flag for the module, and a second instance behind it, role gate
	ExtProc string // instead of a module, the binary of an external processing server; "": none
}

// Setting is what the Envoys of one part are given.
type Setting struct {
	Endpoints int `json:"endpoints"`   // of each pool, 1 to 1024
	Workers   int `json:"workers"`     // threads of each Envoy
	Pools     int `json:"pools"`       // 1 to 256; requests are spread over them by a header that the route matches
	Block     int `json:"block_bytes"` // of the module; 0: its default
}

func (s Setting) String() string {
	text := fmt.Sprintf("%d endpoints, %d workers", s.Endpoints, s.Workers)
	if s.Pools > 1 {
		text += fmt.Sprintf(", %d pools", s.Pools)
	}
	if s.Block > 0 {
		text += fmt.Sprintf(", blocks of %d bytes", s.Block)
	}
	return text
}

// poolHeader says which pool's route a request takes.
const poolHeader = "x-pool"

// target is a running variant: its Envoy and, beside it, its external processing server.
type target struct {
	*gateway.Gateway
	beside  *process // or nil
	setting Setting
}

func (t *target) close() {
	t.Close()
	if t.beside != nil {
		t.beside.close()
	}
}

// pids are the processes whose CPU counts.
func (t *target) pids() []int {
	if t.beside == nil {
		return []int{t.Pid()}
	}
	return []int{t.Pid(), t.beside.pid()}
}

// plugin is the module's configuration where it differs from the example's.
func plugin(s Setting, v Variant, addresses []string) map[string]any {
	p := map[string]any{"scrape": map[string]any{"path": ""}, "endpoints": addresses, "response_header": nil}
	if v.Scrape {
		delete(p, "scrape") // as in the example
	}
	if v.Gate {
		p["steer"] = map[string]any{"target": "endpoint", "via": "property"}
	}
	if s.Block > 0 {
		p["block_bytes"] = s.Block
	}
	if s.Pools > 1 {
		var pools []any
		for i := range s.Pools {
			pools = append(pools, map[string]any{"name": poolName(i), "match": map[string]any{"cluster": poolName(i)}, "endpoints": addresses})
		}
		p["endpoints"], p["pools"] = nil, pools
	}
	return p
}

func poolName(i int) string { return fmt.Sprintf("pool-%d", i) }

// start starts a variant in front of the servers.
func start(ctx context.Context, o Options, s Setting, v Variant, addresses []string) (t *target, err error) {
	t = &target{setting: s}
	if v.ExtProc != "" {
		config, err := moduleConfig(o.Config, plugin(s, v, addresses))
		if err != nil {
			return nil, err
		}
		if t.beside, err = startExtProc(ctx, v.ExtProc, config); err != nil {
			return nil, err
		}
	}
	options := gateway.Options{
		Envoy: o.Envoy, Config: o.Config, Wasm: v.Wasm, Plugin: plugin(s, v, addresses), Replicas: addresses[:min(3, len(addresses))], Concurrency: s.Workers,
		Edit: func(doc any) {
			for _, manager := range gateway.Find(doc, "http_filters") {
				delete(manager, "access_log")
				if filters := manager["http_filters"].([]any); v.Wasm == "" {
					manager["http_filters"] = filters[len(filters)-1:]
				}
			}
			if v.Gate {
				putGate(doc)
			}
			for _, c := range gateway.Find(doc, "lb_endpoints") {
				c["lb_endpoints"] = hosts(addresses)
			}
			if s.Pools > 1 {
				putPools(doc, s.Pools)
			}
			if t.beside != nil {
				putExtProc(doc, t.beside.address)
			}
		},
	}
	if v.Wasm == "" {
		options.Wasm = o.Envoy // any file: no filter names it
	}
	if t.Gateway, err = gateway.Start(ctx, options); err != nil && t.beside != nil {
		t.beside.close()
	}
	return t, err
}

// putGate makes of the module's filter the two of examples/envoy-gateway.
func putGate(doc any) {
	for _, manager := range gateway.Find(doc, "http_filters") {
		filters := manager["http_filters"].([]any)
		typed := filters[0].(map[string]any)["typed_config"].(map[string]any)
		config := typed["config"].(map[string]any)
		delete(config, "allow_on_headers_stop_iteration")
		behind, vm, text := maps.Clone(config), maps.Clone(config["vm_config"].(map[string]any)), maps.Clone(config["configuration"].(map[string]any))
		vm["vm_id"], text["value"] = "gate", `{"role":"gate"}`
		behind["vm_config"], behind["configuration"] = vm, text
		gate := map[string]any{"name": "gate", "typed_config": map[string]any{"@type": typed["@type"], "config": behind}}
		manager["http_filters"] = []any{filters[0], gate, filters[len(filters)-1]}
	}
	for _, listener := range gateway.Find(doc, "per_connection_buffer_limit_bytes") {
		listener["per_connection_buffer_limit_bytes"] = 8 << 20 // of the example's ClientTrafficPolicy
	}
}

// putPools makes a cluster of each pool, and a route to it.
func putPools(doc any, n int) {
	for _, resources := range gateway.Find(doc, "clusters") {
		first := resources["clusters"].([]any)[0].(map[string]any)
		for i := range n {
			c := maps.Clone(first)
			c["name"] = poolName(i)
			resources["clusters"] = append(resources["clusters"].([]any), c)
		}
	}
	for _, host := range gateway.Find(doc, "routes") {
		all := host["routes"].([]any)
		usual := all[len(all)-1].(map[string]any) // before it is the switch that turns the module off
		var routes []any
		for i := range n {
			r, action := maps.Clone(usual), maps.Clone(usual["route"].(map[string]any))
			action["cluster"] = poolName(i)
			r["match"] = map[string]any{"prefix": "/", "headers": []any{map[string]any{"name": poolHeader, "string_match": map[string]any{"exact": fmt.Sprint(i)}}}}
			r["route"] = action
			routes = append(routes, r)
		}
		host["routes"] = append(routes, usual)
	}
}

// bind binds the target to a processor.
func (t *target) bind(cpu int) error {
	for _, pid := range t.pids() {
		if err := pin(pid, cpu); err != nil {
			return err
		}
	}
	return nil
}

// apart binds this process to all of its processors but the last, which is returned; −1: there is only one, or they are not known.
// back undoes it.
func apart() (last int, back func(), err error) {
	all := processors()
	if len(all) < 2 {
		return -1, func() {}, nil
	}
	back = func() { _ = pin(os.Getpid(), all...) } // as it was: what was allowed then
	return all[len(all)-1], back, pin(os.Getpid(), all[:len(all)-1]...)
}
