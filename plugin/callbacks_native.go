//go:build !tinygo

package main

import "github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"

// The SDK's test host makes the calls.

func remember(uint32, *plugin) {}

func (p *plugin) context(id uint32) types.HttpContext { return p.newStream(id) }
