//go:build tinygo

package main

import (
	"slices"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"

	"warmroute/plugin/config"
	"warmroute/plugin/contexts"
	"warmroute/plugin/proxy"
)

// The proxy's calls for a request come here and not to the SDK, which looks each context up in several maps. The build gives
// these functions, which begin with w, the names that the proxy calls, and the SDK's another one (toolchain/module.sh). What is not
// a request of a filter that routes is passed on to the SDK.

// requests are those of this VM.
var requests contexts.Table[stream]

// roots are the filters of this VM, by the IDs of their contexts.
var roots []root

type root struct {
	id     uint32
	plugin *plugin
}

// remember notes a filter's context.
func remember(id uint32, p *plugin) {
	if roots == nil {
		requests.Grow()
	}
	roots = append(roots, root{id, p})
}

// context is never called: no request of a filter that routes is the SDK's, so that its calls need not be compiled for them.
func (p *plugin) context(uint32) types.HttpContext { return nil }

//export wroxy_on_context_create
func onContextCreate(id, of uint32) {
	for i := range roots {
		if p := roots[i].plugin; roots[i].id == of && p.cfg.Role == config.RoleGateway {
			requests.Add(id, p.newStream(id))
			return
		}
	}
	sdkOnContextCreate(id, of)
}

//export wroxy_on_request_headers
func onRequestHeaders(id uint32, n int, ends bool) types.Action {
	if s := requests.Find(id); s != nil {
		noteTrap(id)
		return s.OnHttpRequestHeaders(n, ends)
	}
	return sdkOnRequestHeaders(id, n, ends)
}

//export wroxy_on_request_body
func onRequestBody(id uint32, size int, ends bool) types.Action {
	if s := requests.Find(id); s != nil {
		return s.OnHttpRequestBody(size, ends)
	}
	return sdkOnRequestBody(id, size, ends)
}

//export wroxy_on_request_trailers
func onRequestTrailers(id uint32, n int) types.Action {
	if s := requests.Find(id); s != nil {
		return s.OnHttpRequestTrailers(n)
	}
	return sdkOnRequestTrailers(id, n)
}

//export wroxy_on_response_headers
func onResponseHeaders(id uint32, n int, ends bool) types.Action {
	if s := requests.Find(id); s != nil {
		trapIfAsked(id)
		return s.OnHttpResponseHeaders(n, ends)
	}
	return sdkOnResponseHeaders(id, n, ends)
}

//export wroxy_on_response_body
func onResponseBody(id uint32, size int, ends bool) types.Action {
	if s := requests.Find(id); s != nil {
		return s.OnHttpResponseBody(size, ends)
	}
	return sdkOnResponseBody(id, size, ends)
}

//export wroxy_on_response_trailers
func onResponseTrailers(id uint32, n int) types.Action {
	if s := requests.Find(id); s != nil {
		return s.OnHttpResponseTrailers(n)
	}
	return sdkOnResponseTrailers(id, n)
}

//export wroxy_on_log
func onLog(id uint32) {
	if s := requests.Find(id); s != nil {
		if s.id == id { // else it serves another request by now
			s.OnHttpStreamDone()
		}
		return
	}
	sdkOnLog(id)
}

// onDelete is also where a filter ends: there is no proxy_on_done, which all it could do is to say yes to, and which the proxy
// would call for each request.
//
//export wroxy_on_delete
func onDelete(id uint32) {
	deleteContext(id)
	proxy.Collect()
}

func deleteContext(id uint32) {
	onLog(id) // over HTTP/3 the proxy logs a request later, when it is not here any more; a second call does nothing
	if requests.Remove(id) {
		return
	}
	for i := range roots {
		if roots[i].id == id {
			roots[i].plugin.OnPluginDone()
			roots = slices.Delete(roots, i, i+1)
			break
		}
	}
	sdkOnDelete(id)
}

//export proxy_on_context_create
func sdkOnContextCreate(id, of uint32)

//export proxy_on_request_headers
func sdkOnRequestHeaders(id uint32, n int, ends bool) types.Action

//export proxy_on_request_body
func sdkOnRequestBody(id uint32, size int, ends bool) types.Action

//export proxy_on_request_trailers
func sdkOnRequestTrailers(id uint32, n int) types.Action

//export proxy_on_response_headers
func sdkOnResponseHeaders(id uint32, n int, ends bool) types.Action

//export proxy_on_response_body
func sdkOnResponseBody(id uint32, size int, ends bool) types.Action

//export proxy_on_response_trailers
func sdkOnResponseTrailers(id uint32, n int) types.Action

//export proxy_on_log
func sdkOnLog(id uint32)

//export proxy_on_delete
func sdkOnDelete(id uint32)
