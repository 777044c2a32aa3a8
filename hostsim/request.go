package main

import (
	"fmt"
	"strings"

	"warmroute/hostsim/internal/console"
	"warmroute/hostsim/internal/decision"
	"warmroute/hostsim/internal/host"
	"warmroute/hostsim/internal/input"
	"warmroute/hostsim/internal/ours"
	"warmroute/hostsim/internal/router"
	"warmroute/plugin/config"
)

// requestCmd shows one request to the module and explains what it decided.
type requestCmd struct {
	Config string   `help:"File with the module's configuration, JSON or YAML; or a WasmPlugin, another resource or an Envoy configuration with the module inside." required:"" placeholder:"FILE"`
	Body   string   `help:"File with the request's body; - is standard input." required:"" placeholder:"FILE"`
	Path   string   `help:"The request's path." default:"/v1/chat/completions"`
	Header []string `help:"A request header, name:value; may be repeated." short:"H" sep:"none"`
	Chunk  int      `help:"Bytes of the body that arrive at a time; 0: all at once."`
	Wasm   string   `help:"The module's file." default:"build/warmroute.wasm"`
	Engine string   `help:"wasm runs the module, native the same Go code without it." enum:"wasm,native" default:"wasm"`
	JSON   string   `help:"Write the decision's fields to this file; - is standard output." placeholder:"FILE"`
}

// requestResult is what request writes as JSON.
type requestResult struct {
	Decision map[string]string `json:"decision"` // empty: passed on unsteered
}

// Run prints the decision, explained.
func (c *requestCmd) Run(s *console.Streams) error {
	if err := console.Writable(c.JSON); err != nil {
		return err
	}
	configuration, err := c.configuration(s)
	if err != nil {
		return err
	}
	request, err := c.request(s)
	if err != nil {
		return err
	}
	engine, err := c.engine(s, configuration)
	if err != nil {
		return err
	}
	defer engine.Close()
	ticket, err := engine.Begin(0, request)
	if err != nil {
		return err
	}
	if asked := discovering(configuration); ticket.Decision() == "" && asked != "" {
		return fmt.Errorf("%s: passed on unsteered; a request of the pools %s passes here too, for their endpoints are asked of a running Envoy: list some in endpoints instead", c.Config, asked)
	}
	if c.JSON != "" {
		if err := s.WriteJSON(c.JSON, requestResult{decision.Fields(ticket.Decision())}); err != nil {
			return err
		}
	}
	return decision.Explain(s.Tables(c.JSON), ticket.Decision())
}

func (c *requestCmd) configuration(s *console.Streams) ([]byte, error) {
	text, _, err := input.Settings(s, c.Config)
	if err != nil {
		return nil, err
	}
	parsed, err := config.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Config, err)
	}
	if parsed.Discovery.Cluster != "" && len(parsed.Endpoints) == 0 {
		return nil, fmt.Errorf("%s: discovery: its endpoints are asked of a running Envoy, and there is none here: list some in endpoints instead", c.Config)
	}
	return text, nil
}

// discovering names the pools of a configuration that have no endpoints without a running Envoy; "": none.
func discovering(configuration []byte) string {
	parsed, _ := config.Parse(configuration) // it was taken before
	var names []string
	for i := range parsed.Pools {
		if p := &parsed.Pools[i]; p.Discovery.Cluster != "" && len(p.Endpoints) == 0 {
			names = append(names, p.Name)
		}
	}
	return strings.Join(names, ", ")
}

func (c *requestCmd) request(s *console.Streams) (*router.Request, error) {
	r := &router.Request{Path: c.Path, Chunk: c.Chunk}
	for _, header := range c.Header {
		name, value, ok := strings.Cut(header, ":")
		if !ok {
			return nil, fmt.Errorf("header: %q is not name:value", header)
		}
		r.Headers = append(r.Headers, [2]string{strings.ToLower(name), strings.TrimSpace(value)})
	}
	var err error
	r.Body, err = s.ReadFile(c.Body)
	return r, err
}

func (c *requestCmd) engine(s *console.Streams, configuration []byte) (router.Engine, error) {
	if c.Engine == "native" {
		return ours.NewNative(configuration, 1)
	}
	return ours.NewWasm(s.Ctx, c.Wasm, configuration, 1, func(e host.Entry) { fmt.Fprintln(s.Stderr, e.Message) })
}
