package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"sigs.k8s.io/yaml"

	"warmroute/hostsim/internal/host"
	"warmroute/hostsim/internal/replay"
)

// requestCmd shows one request to the module and explains what it decided.
type requestCmd struct {
	Config string   `help:"The module's configuration, JSON or YAML." required:"" placeholder:"FILE"`
	Body   string   `help:"The request's body; - is standard input." required:"" placeholder:"FILE"`
	Path   string   `help:"The request's path." default:"/v1/chat/completions"`
	Header []string `help:"A request header, name:value; may be repeated." short:"H" sep:"none"`
	Chunk  int      `help:"Bytes of the body that arrive at a time; 0 is all at once."`
	Wasm   string   `help:"The module." default:"build/warmroute.wasm"`
	Engine string   `help:"wasm runs the module, native the same Go code." enum:"wasm,native" default:"wasm"`
}

// Run prints the decision, explained.
func (c *requestCmd) Run(s *streams) error {
	configuration, err := c.configuration()
	if err != nil {
		return err
	}
	request, err := c.request(s.stdin)
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
	explain(s.stdout, ticket)
	return nil
}

func (c *requestCmd) configuration() ([]byte, error) {
	text, err := os.ReadFile(c.Config)
	if err != nil {
		return nil, err
	}
	if strings.HasSuffix(c.Config, ".json") {
		return text, nil // the module's own reader names lines
	}
	if text, err = yaml.YAMLToJSON(text); err != nil {
		return nil, fmt.Errorf("%s: %w", c.Config, err)
	}
	return text, nil
}

func (c *requestCmd) request(stdin io.Reader) (*replay.Request, error) {
	r := &replay.Request{Path: c.Path, Chunk: c.Chunk}
	for _, header := range c.Header {
		name, value, ok := strings.Cut(header, ":")
		if !ok {
			return nil, fmt.Errorf("header: %q is not name:value", header)
		}
		r.Headers = append(r.Headers, [2]string{strings.ToLower(name), strings.TrimSpace(value)})
	}
	var err error
	if c.Body == "-" {
		r.Body, err = io.ReadAll(stdin)
	} else {
		r.Body, err = os.ReadFile(c.Body)
	}
	return r, err
}

func (c *requestCmd) engine(s *streams, configuration []byte) (replay.Engine, error) {
	if c.Engine == "native" {
		return replay.NewNative(configuration, 1)
	}
	return replay.NewWasm(s.ctx, c.Wasm, configuration, 1, func(e host.Entry) { fmt.Fprintln(s.stderr, e.Message) })
}

// meanings say what the fields of a decision are, in the order of printing.
var meanings = []struct{ name, meaning string }{
	{"policy", "the rule in force"},
	{"reason", "why the endpoint is first"},
	{"why", "why the prompt was not read"},
	{"endpoint", "tried first"},
	{"next", "tried after it, in order"},
	{"key", "affinity key: equal for prompts that belong together"},
	{"home", "the ring's own endpoint for the key"},
	{"home_in_flight", "requests in flight there"},
	{"bound", "requests in flight that it may have, this one included"},
	{"in_flight", "requests in flight at the endpoint"},
	{"matched", "leading blocks it is believed to hold, of all blocks"},
}

// reasons say more about each reason.
var reasons = map[string]string{
	"random":      "drawn at random",
	"round_robin": "its turn had come",
	"home":        "the ring gives it this prompt, and it is below its load bound",
	"bounded":     "the home is at its load bound; the next on the ring below it",
	"by_load":     "nothing is known of the prompt, so the least loaded",
}

// explain prints a decision as a list of fields with their meanings.
func explain(w io.Writer, t replay.Ticket) {
	if t.Decision() == "" {
		fmt.Fprintln(w, "passed on unsteered: not an LLM request that warmroute reads")
		return
	}
	values := map[string]string{}
	var order []string
	for pair := range strings.SplitSeq(t.Decision(), ";") {
		name, value, _ := strings.Cut(pair, "=")
		values[name] = value
		order = append(order, name)
	}
	told := map[string]bool{}
	line := func(name, meaning string) {
		if value, ok := values[name]; ok && !told[name] {
			told[name] = true
			if more := reasons[value]; name == "reason" && more != "" {
				meaning = more
			}
			fmt.Fprintf(w, "%-15s %-32s %s\n", name, value, meaning)
		}
	}
	for _, m := range meanings {
		line(m.name, m.meaning)
	}
	for _, name := range order {
		line(name, "")
	}
}
