package gateway

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"strconv"

	"sigs.k8s.io/yaml"
)

// Values in the examples that Start replaces.
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
	if isNamedTwice(doc, exampleAdmin) {                              // the module asks the admin interface
		port, err := FreePort()
		if err != nil {
			return nil, err
		}
		ports[exampleAdmin] = float64(port)
	}
	texts := map[string]string{exampleWasm: opt.Wasm}
	for i, address := range opt.Replicas {
		var port float64
		if _, err := fmt.Sscanf(address, "127.0.0.1:%f", &port); err != nil {
			return nil, fmt.Errorf("replica %d: %q is not 127.0.0.1:port", i, address)
		}
		ports[float64(exampleReplica+i)] = port
		texts[fmt.Sprintf("127.0.0.1:%d", exampleReplica+i)] = address
	}
	doc = substitute(doc, ports, texts)
	for _, filter := range Find(doc, "configuration") {
		value, _ := filter["configuration"].(map[string]any) // nil: refused below
		if err := configure(value, texts, opt.Plugin); err != nil {
			return nil, fmt.Errorf("%s: the module's configuration: %w", opt.Config, err)
		}
	}
	if opt.Edit != nil {
		opt.Edit(doc)
	}
	return json.Marshal(doc)
}

func isNamedTwice(doc any, port float64) bool {
	n := 0
	for _, socket := range Find(doc, "port_value") {
		if socket["port_value"] == port {
			n++
		}
	}
	return n > 1
}

// FreePort is a port of loopback at which nobody listens. It is below those that systems give to outgoing connections, so
// that none of them takes it before Envoy does.
func FreePort() (port int, err error) {
	for range 100 {
		port = 12000 + rand.IntN(20000)
		var l net.Listener
		if l, err = net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port))); err == nil {
			return port, l.Close()
		}
	}
	return 0, err
}

// substitute replaces port values and whole strings throughout node.
func substitute(node any, ports map[float64]float64, texts map[string]string) any {
	switch n := node.(type) {
	case map[string]any:
		for name, value := range n {
			n[name] = substitute(value, ports, texts)
			if port, ok := value.(float64); ok && name == "port_value" {
				if to, ok := ports[port]; ok {
					n[name] = to
				}
			}
		}
	case []any:
		for i := range n {
			n[i] = substitute(n[i], ports, texts)
		}
	case string:
		if to, ok := texts[n]; ok {
			return to
		}
	}
	return node
}

// DecisionHeader shows decisions to whoever starts a gateway here. The examples show them to nobody.
const DecisionHeader = "x-warmroute-decision"

// configure changes the module's configuration, which is JSON in a StringValue; nil removes a member.
func configure(stringValue map[string]any, texts map[string]string, members map[string]any) error {
	text, _ := stringValue["value"].(string)
	var doc map[string]any
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		return err
	}
	substitute(doc, nil, texts)
	if _, set := members["response_header"]; !set {
		doc["response_header"] = DecisionHeader
	}
	for name, value := range members {
		if value == nil {
			delete(doc, name)
		} else {
			doc[name] = value
		}
	}
	changed, err := json.Marshal(doc)
	stringValue["value"] = string(changed)
	return err
}

// Find returns every object below node that has a member with that name. Edit functions use it.
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
