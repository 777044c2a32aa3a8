package pool

import (
	"bytes"
	"fmt"

	"warmroute/plugin/config"
	"warmroute/plugin/prompt"
)

const second = int64(1e9)

// newPool is a pool of n endpoints, by the defaults.
func newPool(n int) *Pool {
	cfg, err := config.Parse([]byte(`{"discovery": {"cluster": "vllm", "admin_cluster": "admin"}}`))
	if err != nil {
		panic(err)
	}
	p := New(&cfg, cfg.IndexBytes)
	for i := range n {
		p.Place(i, config.Endpoint{Address: fmt.Sprintf("10.0.0.%d:80", i), Weight: 1}, 0)
	}
	return p
}

// textOf is a prompt of that many bytes, streamed.
func textOf(size int) *prompt.Prompt {
	return &prompt.Prompt{Model: []byte("m"), Text: bytes.Repeat([]byte("text"), size/4), BodyBytes: size, Stream: true, IncludeUsage: true}
}

// send begins a request with that prompt at endpoint i.
func send(p *Pool, i int, of *prompt.Prompt, now int64) *Flight {
	f := new(Flight)
	p.Prepare(f, of, nil, 0)
	p.Match(f)
	p.Expect(f, i)
	p.Begin(f, i, now)
	return f
}

// begin sends a request with 4 bytes a token to endpoint i.
func begin(p *Pool, i int, now int64, tokens int, streams bool) *Flight {
	of := textOf(4 * tokens)
	of.Stream = streams
	return send(p, i, of, now)
}
