package advice

import (
	"strings"
	"testing"

	"warmroute/hostsim/internal/replay"
)

func TestParseGoals(t *testing.T) {
	goals, err := ParseGoals([]string{"ttft_p95=500ms", "e2e_mean=2s"})
	if err != nil || len(goals) != 2 || goals[0].Limit != 500 || goals[1].Limit != 2000 {
		t.Fatalf("%+v, %v", goals, err)
	}
	var r replay.Result
	r.Requests = 1
	r.TTFT.P95, r.Latency.Mean = 500, 2000
	if !met(goals, &r) {
		t.Error("at the limits it is not met")
	}
	if r.TTFT.P95 = 501; met(goals, &r) {
		t.Error("above a limit it is met")
	}
	for _, bad := range []string{"", "ttft", "ttft_p95", "ttft_p95=", "ttft_p95=0s", "ttft_p95=-1s", "ttft_p50ms=1s", "wait_mean=1s", "ttft_p95=500"} {
		if _, err := ParseGoals([]string{bad}); err == nil || !strings.Contains(err.Error(), "slo") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
