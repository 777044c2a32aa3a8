package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/proxytest"
	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"

	"warmroute/plugin/exposition"
	"warmroute/plugin/inspect"
	"warmroute/plugin/proxy"
	"warmroute/plugin/worker"
)

// knownVM keeps the plugin that it makes.
type knownVM struct {
	vm
	plugin *plugin
}

func (v *knownVM) NewPluginContext(id uint32) types.PluginContext {
	v.plugin = v.vm.NewPluginContext(id).(*plugin)
	return v.plugin
}

// crowdedPlugin is one whose replicas' memory is full for long enough that new prompts wait. at is the time from then on.
func crowdedPlugin(t *testing.T) (p *plugin, host proxytest.HostEmulator) {
	t.Helper()
	at, clock := int64(1e9), proxy.Now
	proxy.Now = func() int64 { return at }
	t.Cleanup(func() { proxy.Now = clock })
	v := &knownVM{}
	host, reset := proxytest.NewHostEmulator(proxytest.NewEmulatorOption().WithVMContext(v).WithPluginConfiguration(
		[]byte(`{"endpoints":["10.0.0.1:80","10.0.0.2:80","10.0.0.3:80"],"seed":5,"scrape":{"path":""}}`)))
	t.Cleanup(reset)
	if status := host.StartPlugin(); status != types.OnPluginStartStatusOK {
		t.Fatalf("start: got %v, logs %v", status, host.GetCriticalLogs())
	}
	p = v.plugin
	ask := func(n int, answered bool) {
		x := new(worker.Exchange)
		x.Begin(p.worker, &inspect.Head{Method: "POST", Path: "/v1/completions", ContentType: "application/json"})
		x.Write([]byte(longPrompt(n)))
		if x.Hold(99, at) || x.Decide(true, at) != "" || !answered {
			if x.Address() == "" { // it waits
				x.End(at, true)
			}
			return
		}
		x.Headers(worker.Server{Address: x.Address()}, 200, "application/json", at)
		x.Chunk(at)
		x.Complete()
		x.End(at+3e9, false)
	}
	for n := range 50 {
		ask(n/2, n < 40)
	}
	for n, later := range []int64{4e9, 10e9} { // it lasts
		at = later
		p.tick()
		for i := range 3 {
			p.worker.Pools()[0].Known().ApplyMetrics(i, at, &exposition.Load{
				Has:      exposition.HasRunning | exposition.HasWaiting | exposition.HasKVTokens | exposition.HasKVUsage,
				KVTokens: 100_000, KVUsage: 1,
			})
		}
		ask(0, true)
		ask(1000+n, false)
	}
	return p, host
}

func longPrompt(n int) string {
	return fmt.Sprintf(`{"model":"m","prompt":"%d%s"}`, n, strings.Repeat(" and so on", 100))
}

// A new prompt waits for room however its request ends: one that ended with trailers went past all that wait.
func TestNewPromptsWaitWhateverEndsThem(t *testing.T) {
	p, host := crowdedPlugin(t)
	for n, end := range map[string]func(id uint32) types.Action{
		"the last part": func(id uint32) types.Action { return host.CallOnRequestBody(id, nil, true) },
		"trailers":      func(id uint32) types.Action { return host.CallOnRequestTrailers(id, [][2]string{{"x-trailer", "1"}}) },
	} {
		id, waiting := host.InitializeHttpContext(), len(p.waiting)
		host.CallOnRequestHeaders(id, postHeaders, false)
		host.CallOnRequestBody(id, []byte(longPrompt(2000+len(n))), false)
		if got := end(id); got != types.ActionPause || len(p.waiting) != waiting+1 {
			t.Errorf("ended by %s: got action %v, and %d wait; want pause, and %d", n, got, len(p.waiting), waiting+1)
		}
		host.CompleteHttpContext(id)
	}
}
