//go:build trap

package main

import (
	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm"
	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"
)

// A build with the tag trap fails where a response has the header that a test asks for: what a defect of ours would do to
// a proxy is shown on build/warmroute-trap.wasm. No module that is shipped has it.

const trapHeader = "x-warmroute-test-trap"

// The file comes behind main.go, and so does its init.
func init() { proxywasm.SetVMContext(&trapVM{}) }

type trapVM struct{ vm }

func (*trapVM) NewPluginContext(uint32) types.PluginContext { return trapPlugin{&plugin{}} }

type trapPlugin struct{ *plugin }

func (p trapPlugin) NewHttpContext(id uint32) types.HttpContext {
	s, routes := p.plugin.NewHttpContext(id).(*stream)
	if !routes {
		return &answer{plugin: p.plugin}
	}
	return &trapStream{stream: s}
}

type trapStream struct {
	*stream
	asked bool
}

func (s *trapStream) OnHttpRequestHeaders(n int, ends bool) types.Action {
	for _, pair := range requestHeaders() {
		s.asked = s.asked || pair[0] == trapHeader
	}
	return s.stream.OnHttpRequestHeaders(n, ends)
}

func (s *trapStream) OnHttpResponseHeaders(n int, ends bool) types.Action {
	if s.asked {
		logCritical("a test asked for it") // a panic is silent (toolchain/module.sh)
		panic("")
	}
	return s.stream.OnHttpResponseHeaders(n, ends)
}
