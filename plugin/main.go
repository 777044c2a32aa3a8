// Command plugin is the warmroute module: TinyGo compiles it to the proxy-wasm filter that Envoy loads.
package main

import "github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm"

// The context is registered in init, which every build mode runs; main stays empty, so that _start returns.
func init() { proxywasm.SetVMContext(&vm{}) }

func main() {}
