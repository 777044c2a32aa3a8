//go:build tinygo

// The guest of BenchmarkWasm: the scanner and fastjson over a body that the host has put into its memory. It is built
// as the module is, and exports what the host calls.
package main

import (
	"runtime"
	"unsafe"

	"github.com/valyala/fastjson"

	"warmroute/plugin/prefix"
	"warmroute/plugin/prompt"
)

var (
	body    []byte
	chain   prefix.Chain
	scanner = prompt.NewScanner(prompt.Options{})
	parser  fastjson.Parser
)

func main() {}

//export room
func room(n uint32) uint32 {
	body = make([]byte, n)
	return uint32(uintptr(unsafe.Pointer(&body[0])))
}

// scan reads the body times over, in chunks of 16 KB as Envoy hands them on, and returns the canonical bytes' length.
//
//export scan
func scan(times, format uint32) uint32 {
	n := 0
	for range times {
		scanner.Reset(prompt.Format(format), nil)
		for b := body; len(b) > 0; {
			k := min(len(b), 16<<10)
			scanner.Write(b[:k])
			b = b[k:]
		}
		if scanner.Close() != prompt.Ready {
			return 0
		}
		n = scanner.Prompt().Size()
	}
	return uint32(n)
}

// key is scan with the chain of the text. It returns one more than the chain's length.
//
//export key
func key(times, format uint32) uint32 {
	for range times {
		if scan(1, format) == 0 {
			return 0
		}
		p := scanner.Prompt()
		p.Chain(&chain, prefix.Seed(p.Model, p.Adapter, p.Salt, nil))
	}
	return uint32(chain.Len()) + 1
}

// parse makes fastjson's tree of the body, and reads the model and the contents of the messages from it.
//
//export parse
func parse(times uint32) uint32 {
	n := 0
	for range times {
		v, err := parser.ParseBytes(body)
		if err != nil || len(v.GetStringBytes("model")) == 0 {
			return 0
		}
		n = 0
		for _, turn := range v.GetArray("messages") {
			n += len(turn.GetStringBytes("content")) + len(turn.GetStringBytes("role"))
			for _, part := range turn.GetArray("content") {
				n += len(part.GetStringBytes("text")) + len(part.GetStringBytes("image_url", "url"))
			}
		}
	}
	return uint32(n)
}

// allocated counts the allocations since the module's start.
//
//export allocated
func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Mallocs
}
