package faults

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warmroute/hostsim/internal/host"
	"warmroute/plugin/config"
)

// What the fuzzed bytes are.
const (
	asBody = iota
	asBodyInParts
	asHeader
	asAnswer
	asStream
	asMetrics
	asAdmin
	asShared
	asConfiguration
	asModels
	kindsOfInput
)

// FuzzModule gives the compiled module bytes in every place where it reads any that others write: bodies, headers, answers, pages of
// metrics and of the admin interface, values of other versions in shared data, and its configuration. It must not trap, and must let the
// request go on, whole.
func FuzzModule(f *testing.F) {
	m := module(f)
	for _, pattern := range []string{"requests/*", "metrics/*.txt", "clusters/*.json", "config/valid/*.json"} {
		files, err := filepath.Glob("../../../testdata/" + pattern)
		if err != nil || len(files) == 0 {
			f.Fatalf("no seeds in %s, %v", pattern, err)
		}
		for i, file := range files {
			if text, err := os.ReadFile(file); err == nil && len(text) < 8<<10 {
				kind := map[string]int{"requests/*": i % 2, "metrics/*.txt": asMetrics, "clusters/*.json": asAdmin, "config/valid/*.json": asConfiguration}[pattern]
				f.Add(uint8(kind), uint8(i), text)
			}
		}
	}
	f.Add(uint8(asAnswer), uint8(0), []byte(`{"usage":{"prompt_tokens":9,"prompt_tokens_details":{"cached_tokens":7}}}`))
	f.Add(uint8(asStream), uint8(0), []byte("data: {\"usage\":{\"prompt_tokens\":9}}\n\ndata: [DONE]\n\n"))
	f.Add(uint8(asHeader), uint8(3), []byte("x-session-id"))
	for kind := range uint8(3) {
		f.Add(uint8(asShared), kind*40, []byte{1, 2, 3, 4, 5, 6, 7, 8, 1, 0, 3, 0, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2})
	}
	f.Add(uint8(asModels), uint8(0), []byte(`{"object":"list","data":[{"id":"m","parent":null},{"id":"a","parent":"m"}]}`))
	o := Options{Workers: 2, Replicas: 3, Discover: true, CacheTokens: 1 << 14,
		Plugin: `"scrape":{"cluster":"vllm","models":"` + modelsPath + `","models_interval":"1s"}`}
	w, err := New(context.Background(), m, o)
	if err != nil {
		f.Fatal(err)
	}
	runs := 0
	f.Fuzz(func(t *testing.T, kind, at uint8, data []byte) {
		if runs++; runs%5000 == 0 { // shared data has been overwritten in all ways
			w.Proxy.Close()
			var err error
			if w, err = New(context.Background(), m, o); err != nil {
				t.Fatal(err)
			}
		}
		w.Admin = func() []byte { return (&player{World: w, members: 3}).admin() }
		w.Page, w.Models, w.Answers = nil, nil, true
		switch kind % kindsOfInput {
		case asConfiguration:
			p, err := m.NewProxy(t.Context(), host.Config{VMID: "x", RootID: "x", PluginName: "x", PluginConfig: data})
			if err == nil {
				p.Advance(p.Now() + 3e9)
				err = p.VM(0).Dead()
				p.Close()
			}
			if err != nil && !strings.Contains(err.Error(), "refused") {
				t.Fatalf("configuration: %v", err)
			}
			return
		case asMetrics:
			w.Page = func(*Replica) []byte { return data }
			w.Pass(2e9)
		case asModels:
			w.Models = func(*Replica) []byte { return data }
			w.Pass(2e9)
		case asAdmin:
			w.Admin = func() []byte { return data }
			w.Pass(6e9)
		case asShared:
			if keys := w.Proxy.SharedKeys(); len(keys) > 0 {
				w.Proxy.SetSharedData(keys[int(at)*len(keys)/256], data)
			}
			w.Pass(2e9)
		}
		check(t, w, kind%kindsOfInput, at, data)
	})
}

// check sends a request with the bytes in it, or a usual one, and looks at what becomes of it.
func check(t *testing.T, w *World, kind, at uint8, data []byte) {
	path, body, headers := chats, []byte(chat(document(int(at)), "")), []string{}
	switch kind {
	case asBody, asBodyInParts:
		path, body = []string{chats, "/v1/completions", "/v1/responses", "/v1/messages", "/generate"}[at%5], data
	case asHeader:
		name, value, _ := strings.Cut(string(data), "=")
		headers = []string{[]string{":path", "content-type", "content-length", config.EndpointHeader, "x-a", name}[at%6], value}
		if headers[0] == "" {
			headers = nil
		}
	}
	x := w.Open(int(at)%2, path, len(body), headers...)
	step := len(body)
	if kind == asBodyInParts {
		step = 1 + int(at)%97
	}
	for from := 0; from < len(body); from += step {
		x.Write(body[from:min(from+step, len(body))], from+step >= len(body))
	}
	if len(body) > 0 && string(x.Stream.Upstream().Body()) != string(body) {
		t.Fatalf("the body left as %d bytes of %d", x.Stream.Upstream().Bytes(), len(body))
	}
	x.Route()
	switch kind {
	case asAnswer, asStream:
		x.Stream.ResponseHeaders(host.Headers{{Name: ":status", Value: "200"}, {Name: "content-type", Value: []string{"application/json", "text/event-stream"}[kind-asAnswer]}}, false)
		half := len(data) * int(at) / 255
		x.Stream.ResponseBody(data[:half], false)
		x.Stream.ResponseBody(data[half:], true)
		x.release()
	default:
		x.Answer()
	}
	if !x.Stream.Closed() || x.Stream.Local() {
		t.Fatalf("closed %v, local %v %s", x.Stream.Closed(), x.Stream.Local(), x.Stream.Details())
	}
	for i := range w.Proxy.Workers() {
		if err := w.Proxy.VM(i).Dead(); err != nil {
			t.Fatal(err)
		}
		if got := w.Proxy.VM(i).Used(); got > leastMemory {
			t.Fatalf("worker %d has %d MB", i, got>>20)
		}
	}
}
