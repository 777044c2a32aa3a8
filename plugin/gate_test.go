package main

import (
	"strings"
	"testing"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm"
	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"
)

// A gate holds what a choice is awaited for, until its queue says that there is one; what is not awaited goes on at once, and
// no client steers.
func TestGate(t *testing.T) {
	host := emulate(t, `{"role":"gate"}`)
	if status := host.StartPlugin(); status != types.OnPluginStartStatusOK {
		t.Fatalf("start: got %v, logs %v", status, host.GetCriticalLogs())
	}
	set := func(path, value string) {
		t.Helper()
		if err := host.SetProperty([]string{path}, []byte(value)); err != nil {
			t.Fatal(err)
		}
	}

	free := host.InitializeHttpContext()
	if got := host.CallOnRequestHeaders(free, postHeaders, false); got != types.ActionContinue {
		t.Errorf("nothing is awaited: got action %v, want continue", got)
	}
	if got := header(host.GetCurrentRequestHeaders(free), "x-gateway-destination-endpoint"); got != "" {
		t.Errorf("a forged header stays: %q", got)
	}
	host.CompleteHttpContext(free)

	set(waitPath, "1")
	held, left := host.InitializeHttpContext(), host.InitializeHttpContext()
	for _, id := range []uint32{left, held} { // the emulator's properties are of all requests: the last one's ticket stays
		if got := host.CallOnRequestHeaders(id, postHeaders, false); got != holdAll {
			t.Errorf("a choice is awaited: got action %v, want %v", got, holdAll)
		}
		if got := host.CallOnRequestTrailers(id, postHeaders); got != types.ActionPause {
			t.Errorf("trailers of a request that waits: got action %v, want pause", got)
		}
	}
	host.CompleteHttpContext(left)
	set(endpointPath, "10.0.0.1:80,10.0.0.2:80")
	ticket, err := host.GetProperty([]string{gatePath})
	if err != nil || len(ticket) != 8 {
		t.Fatalf("ticket %v (%v)", ticket, err)
	}
	queue := uint32(ticket[0]) | uint32(ticket[1])<<8
	for _, item := range []string{"odd", "\xff\xff\xff\x7f", string(ticket[4:])} { // odd ones change nothing
		if err := proxywasm.EnqueueSharedQueue(queue, []byte(item)); err != nil {
			t.Fatal(err)
		}
	}
	if got := host.GetCurrentHttpStreamAction(held); got != types.ActionContinue {
		t.Errorf("the choice is made: got action %v, want continue", got)
	}
	if got := header(host.GetCurrentRequestHeaders(held), "x-gateway-destination-endpoint"); got != "10.0.0.1:80,10.0.0.2:80" {
		t.Errorf("steered by %q, want the choice", got)
	}
	host.CompleteHttpContext(held)
}

// The gate names the rank that is chosen. Where it knows of ranks, no client does.
func TestGateNamesTheRank(t *testing.T) {
	for _, c := range []struct{ configuration, chosen, want string }{
		{`{"role":"gate"}`, "3", "3"},
		{`{"role":"gate"}`, "", "99"},
		{`{"role":"gate","data_parallel_ranks":8}`, "3", "3"},
		{`{"role":"gate","data_parallel_ranks":8}`, "", ""},
	} {
		t.Run(c.configuration+" "+c.chosen, func(t *testing.T) {
			host := emulate(t, c.configuration)
			if status := host.StartPlugin(); status != types.OnPluginStartStatusOK {
				t.Fatalf("start: got %v, logs %v", status, host.GetCriticalLogs())
			}
			if c.chosen != "" {
				if err := host.SetProperty([]string{rankPath}, []byte(c.chosen)); err != nil {
					t.Fatal(err)
				}
			}
			id := host.InitializeHttpContext()
			host.CallOnRequestHeaders(id, append(postHeaders[:len(postHeaders):len(postHeaders)], [2]string{"x-data-parallel-rank", "99"}), false)
			if got := header(host.GetCurrentRequestHeaders(id), "x-data-parallel-rank"); got != c.want {
				t.Errorf("rank %q, want %q", got, c.want)
			}
			host.CompleteHttpContext(id)
		})
	}
}

func TestGateIsOfNoCluster(t *testing.T) {
	host := emulate(t, `{"role":"gate","steer":{"target":"cluster"}}`)
	if status := host.StartPlugin(); status == types.OnPluginStartStatusOK || !strings.Contains(strings.Join(host.GetCriticalLogs(), ""), "steer.target") {
		t.Errorf("start: got %v, logs %v; want a refusal that names the field", status, host.GetCriticalLogs())
	}
}
