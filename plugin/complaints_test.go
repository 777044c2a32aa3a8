package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"warmroute/plugin/scout"
)

// With all endpoints down each is named once, then once a minute with its failures, and once when it answers again; never more than
// one line comes in a second.
func TestComplaints(t *testing.T) {
	const fault = "no answer"
	host := started(t)
	p := &plugin{}
	calls := []scout.Call{{Cluster: "vllm", Authority: "a:1", Path: "/metrics"}, {Cluster: "vllm", Authority: "b:1", Path: "/metrics"}}
	second, before := int64(1000), len(host.GetWarnLogs())
	ask := func(seconds int, fault scout.Fault, answered bool) (said []string) {
		for range seconds {
			for i := range calls {
				p.heard(calls[i], fault, answered, second*1e9)
			}
			for _, line := range host.GetWarnLogs()[before:] {
				said = append(said, fmt.Sprintf("%d %s", second-1000, strings.TrimPrefix(line, "warmroute: ")))
			}
			before = len(host.GetWarnLogs())
			second++
		}
		return said
	}
	for _, c := range []struct {
		name     string
		seconds  int
		fault    scout.Fault
		answered bool
		want     []string
	}{
		{"at first", 60, fault, false, []string{"0 no answer (a:1 through the cluster vllm)", "1 no answer (b:1 through the cluster vllm); failures so far: 2"}},
		{"after a minute", 10, fault, false, []string{
			"60 no answer (a:1 through the cluster vllm); failures since the last such line: 60", "61 no answer (b:1 through the cluster vllm); failures since the last such line: 60"}},
		{"it has left", 2, "", false, nil},
		{"it answers", 3, "", true, []string{
			"72 a:1 through the cluster vllm answers again when asked for /metrics, after 70 failures", "73 b:1 through the cluster vllm answers again when asked for /metrics, after 70 failures"}},
		{"all is well", 100, "", true, nil},
		{"anew", 2, fault, false, []string{"175 no answer (a:1 through the cluster vllm)", "176 no answer (b:1 through the cluster vllm); failures so far: 2"}},
	} {
		if got := ask(c.seconds, c.fault, c.answered); !slices.Equal(got, c.want) {
			t.Errorf("%s:\ngot  %q\nwant %q", c.name, got, c.want)
		}
	}
	if n := testing.AllocsPerRun(100, func() {
		for i := range calls {
			p.heard(calls[i], fault, false, second*1e9)
		}
	}); n != 0 {
		t.Errorf("%v allocations where nothing is logged", n)
	}
}

// What is kept of endpoints that never answer is bounded.
func TestComplaintsAreBounded(t *testing.T) {
	started(t)
	p := &plugin{}
	for i := range maxComplaints + 10 {
		p.heard(scout.Call{Authority: fmt.Sprint(i)}, "no answer", false, int64(i)*1e9)
	}
	if n := len(p.complaints); n != maxComplaints || p.complaints[n-1].authority != fmt.Sprint(maxComplaints+9) {
		t.Errorf("%d are kept", n)
	}
}
