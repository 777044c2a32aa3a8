//go:build !tinygo

package main

import (
	"strings"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm"
	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"
)

// Natively the proxy is the SDK's test host.

func property(path string) []byte {
	value, err := proxywasm.GetProperty(strings.Split(path, "\x00"))
	if err != nil {
		return nil
	}
	return value
}

func reuse() {}

func useArena() {} // Go's collector does not walk what has no pointers

// The SDK's test host makes the calls.

func remember(uint32, *plugin) {}

func (p *plugin) context(id uint32) types.HttpContext { return p.newStream(id) }

// callForeign does nothing: the test host has no such functions, and ends the process.
func callForeign(string, []byte) {}

func setProperty(path string, value []byte) {
	_ = proxywasm.SetProperty(strings.Split(path, "\x00"), value)
}

func requestHeaders() [][2]string {
	headers, err := proxywasm.GetHttpRequestHeaders()
	if err != nil {
		return nil
	}
	return headers
}

func responseHeaders() [][2]string {
	headers, err := proxywasm.GetHttpResponseHeaders()
	if err != nil {
		return nil
	}
	return headers
}
