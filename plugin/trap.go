//go:build trap && tinygo

package main

import "warmroute/plugin/proxy"

// A build with the tag trap fails where a request has the header that a test asks for: what a defect of ours would do to
// a proxy is shown on build/warmroute-trap.wasm. No module that is shipped has it.

const trapHeader = "x-warmroute-test-trap"

// doomed are the requests that have the header.
var doomed = map[uint32]bool{}

// noteTrap is called with a request's headers.
func noteTrap(id uint32) {
	for _, pair := range proxy.RequestHeaders() {
		if pair[0] == trapHeader {
			doomed[id] = true
		}
	}
}

// trapIfAsked is called with the response's.
func trapIfAsked(id uint32) {
	if doomed[id] {
		proxy.LogCritical("a test asked for it") // a panic is silent (toolchain/module.sh)
		panic("")
	}
}
