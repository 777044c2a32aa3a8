package gateway

import (
	"encoding/json"
	"fmt"
	"os"

	"sigs.k8s.io/yaml"
)

// What the examples are written with, and Start replaces.
const (
	exampleListener = 10000
	exampleAdmin    = 9901
	exampleReplica  = 8001 // and on
	exampleWasm     = "build/warmroute.wasm"
)

// render decodes the example, puts in ports, replicas, module and the module's configuration, and encodes it as
// JSON, which Envoy reads as well.
func render(opt Options) ([]byte, error) {
	text, err := os.ReadFile(opt.Config)
	if err != nil {
		return nil, err
	}
	var doc any
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("%s: %w", opt.Config, err)
	}
	ports := map[float64]float64{exampleListener: 0, exampleAdmin: 0} // 0: the kernel chooses
	texts := map[string]string{exampleWasm: opt.Wasm}
	for i, address := range opt.Replicas {
		var port float64
		if _, err := fmt.Sscanf(address, "127.0.0.1:%f", &port); err != nil {
			return nil, fmt.Errorf("replica %d: %q is not 127.0.0.1:port", i, address)
		}
		ports[float64(exampleReplica+i)] = port
		texts[fmt.Sprintf("127.0.0.1:%d", exampleReplica+i)] = address
	}
	doc = substitute(doc, ports, texts, opt.Plugin)
	if opt.Edit != nil {
		opt.Edit(doc)
	}
	return json.Marshal(doc)
}

// substitute replaces port values and whole strings throughout node, and members of the module's configuration.
func substitute(node any, ports map[float64]float64, texts map[string]string, plugin map[string]any) any {
	switch n := node.(type) {
	case map[string]any:
		for name, value := range n {
			if port, ok := value.(float64); ok && name == "port_value" {
				if to, ok := ports[port]; ok {
					n[name] = to
				}
				continue
			}
			n[name] = substitute(value, ports, texts, plugin)
		}
		if config, ok := n["configuration"].(map[string]any); ok {
			override(config["value"].(map[string]any), plugin)
		}
	case []any:
		for i := range n {
			n[i] = substitute(n[i], ports, texts, plugin)
		}
	case string:
		if to, ok := texts[n]; ok {
			return to
		}
	}
	return node
}

// override replaces members of config; nil removes one.
func override(config, with map[string]any) {
	for name, value := range with {
		if value == nil {
			delete(config, name)
		} else {
			config[name] = value
		}
	}
}

// Find returns every object below node that has a member with that name: how an Edit reaches into a configuration.
func Find(node any, name string) []map[string]any {
	var found []map[string]any
	switch n := node.(type) {
	case map[string]any:
		if _, ok := n[name]; ok {
			found = append(found, n)
		}
		for _, value := range n {
			found = append(found, Find(value, name)...)
		}
	case []any:
		for _, value := range n {
			found = append(found, Find(value, name)...)
		}
	}
	return found
}
