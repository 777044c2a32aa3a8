//go:build tinygo

// A module that reads headers and body once and sets one header: the least that a router can do.
package main

import (
	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm"
	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"
)

func main() {}

func init() { proxywasm.SetVMContext(&vm{}) }

type vm struct{ types.DefaultVMContext }

func (*vm) NewPluginContext(uint32) types.PluginContext { return &plugin{} }

type plugin struct{ types.DefaultPluginContext }

func (*plugin) NewHttpContext(uint32) types.HttpContext { return &stream{} }

type stream struct {
	types.DefaultHttpContext
	seen int
}

func (*stream) OnHttpRequestHeaders(int, bool) types.Action {
	_, _ = proxywasm.GetHttpRequestHeaders()
	return types.ActionPause
}

func (s *stream) OnHttpRequestBody(size int, ends bool) types.Action {
	for s.seen < size {
		piece, err := proxywasm.GetHttpRequestBody(s.seen, min(size-s.seen, 64<<10))
		if err != nil || len(piece) == 0 {
			break
		}
		s.seen += len(piece)
	}
	if !ends {
		return types.ActionPause
	}
	_ = proxywasm.ReplaceHttpRequestHeader("x-floor", "1")
	return types.ActionContinue
}
