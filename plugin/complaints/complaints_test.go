package complaints

import (
	"fmt"
	"slices"
	"testing"

	"warmroute/plugin/scout"
)

// With all endpoints down each is named once, then once a minute with its failures, and once when it answers again; never more than
// one line comes in a second, which is all that has room.
func TestComplaints(t *testing.T) {
	const fault = "no answer"
	var list List
	calls := []scout.Call{{Cluster: "vllm", Authority: "a:1", Path: "/metrics"}, {Cluster: "vllm", Authority: "b:1", Path: "/metrics"}}
	second := int64(1000)
	ask := func(seconds int, fault scout.Fault, answered bool) (said []string) {
		for range seconds {
			room := true
			for i := range calls {
				if line := list.Heard(calls[i], fault, answered, second*1e9, room); line != "" {
					said = append(said, fmt.Sprintf("%d %s", second-1000, line))
					room = false
				}
			}
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
			list.Heard(calls[i], fault, false, second*1e9, true)
		}
	}); n != 0 {
		t.Errorf("%v allocations where nothing is logged", n)
	}
}

// What is kept of endpoints that never answer is bounded.
func TestListIsBounded(t *testing.T) {
	var list List
	for i := range most + 10 {
		list.Heard(scout.Call{Authority: fmt.Sprint(i)}, "no answer", false, int64(i)*1e9, true)
	}
	if n := len(list); n != most || list[n-1].authority != fmt.Sprint(most+9) {
		t.Errorf("%d are kept", n)
	}
}
