package cost

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"

	"warmroute/hostsim/internal/gateway"
)

// process is a running external processing server.
type process struct {
	cmd     *exec.Cmd
	stdin   io.WriteCloser // its end ends the server
	address string
}

func (p *process) pid() int { return p.cmd.Process.Pid }

func (p *process) close() {
	p.stdin.Close()
	_ = p.cmd.Wait() // it was told to stop
}

// moduleConfig is the configuration that the module has in an Envoy's file, with other members in place of its own; nil removes
// one. Error: a file with none of it, or several.
func moduleConfig(file string, members map[string]any) ([]byte, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var doc any
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	found := gateway.Find(doc, "configuration")
	if len(found) != 1 {
		return nil, fmt.Errorf("%s has %d configurations of the module; an external processing server takes the one", file, len(found))
	}
	of, _ := found[0]["configuration"].(map[string]any) // nil: no JSON
	value, _ := of["value"].(string)
	var config map[string]any
	if err := json.Unmarshal([]byte(value), &config); err != nil {
		return nil, fmt.Errorf("%s: the module's configuration: %w", file, err)
	}
	maps.Copy(config, members)
	maps.DeleteFunc(config, func(_ string, value any) bool { return value == nil })
	return json.Marshal(config)
}

// startExtProc starts the server (package extproc) with a configuration of the module.
func startExtProc(ctx context.Context, binary string, config []byte) (*process, error) {
	p := &process{cmd: exec.CommandContext(ctx, binary, string(config))}
	var err error
	p.cmd.Stderr = os.Stderr
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if p.address = strings.TrimSpace(line); err != nil {
		p.close()
		return nil, fmt.Errorf("%s named no address: %w", binary, err)
	}
	return p, nil
}

// putExtProc puts the server's filter before the router: it gets the headers, the whole body and the response's headers.
func putExtProc(doc any, address string) {
	host, port, _ := net.SplitHostPort(address) // as its listener has it
	n, _ := strconv.Atoi(port)
	filter := map[string]any{"name": "ext_proc", "typed_config": map[string]any{
		"@type":           "type.googleapis.com/envoy.extensions.filters.http.ext_proc.v3.ExternalProcessor",
		"grpc_service":    map[string]any{"envoy_grpc": map[string]any{"cluster_name": "ext_proc"}, "timeout": "60s"},
		"message_timeout": "60s",
		"processing_mode": map[string]any{"request_header_mode": "SEND", "request_body_mode": "BUFFERED", "response_header_mode": "SEND"},
	}}
	for _, manager := range gateway.Find(doc, "http_filters") {
		manager["http_filters"] = append([]any{filter}, manager["http_filters"].([]any)...)
	}
	cluster := map[string]any{
		"name": "ext_proc", "type": "STATIC", "connect_timeout": "5s",
		"typed_extension_protocol_options": map[string]any{"envoy.extensions.upstreams.http.v3.HttpProtocolOptions": map[string]any{
			"@type":                "type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions",
			"explicit_http_config": map[string]any{"http2_protocol_options": map[string]any{}},
		}},
		"load_assignment": map[string]any{"cluster_name": "ext_proc", "endpoints": []any{map[string]any{"lb_endpoints": []any{
			map[string]any{"endpoint": map[string]any{"address": map[string]any{"socket_address": map[string]any{"address": host, "port_value": n}}}},
		}}}},
	}
	for _, resources := range gateway.Find(doc, "clusters") {
		resources["clusters"] = append(resources["clusters"].([]any), cluster)
	}
}
