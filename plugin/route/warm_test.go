package route

import (
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/decision"
	"warmroute/plugin/prompt"
)

// An endpoint that joins others is slow to start where the configuration says so: whatever the policy, it has a part of the requests
// under way that grows with time, and never none.
func TestSlowStart(t *testing.T) {
	for policy := range config.Policies {
		for _, window := range []string{"0s", "100s"} {
			cfg, err := config.Parse([]byte(`{"policy":"` + policy.String() + `","slow_start":"` + window + `","discovery":{"cluster":"c"}}`))
			if err != nil {
				t.Fatal(err)
			}
			r := newRig(&cfg, 1)
			addresses := []string{"10.0.0.1:80", "10.0.0.2:80", "10.0.0.3:80", "10.0.0.4:80", "10.0.0.5:80"}
			members := func(n int, now int64) {
				r.SetMembers(n, func(i int) (config.Endpoint, bool) { return config.Endpoint{Address: addresses[i], Weight: 1}, true }, now)
			}
			members(4, 1000*second)
			for i := range 4 {
				r.add(i, 25)
			}
			if r.Warming(1000 * second) {
				t.Fatalf("%v: the first endpoints are slow to start", policy)
			}
			members(5, 1000*second)
			sent := 0
			until := func(now int64) int { // how many the new one takes until others get all
				for n := range 400 {
					var d decision.Decision
					text := []byte{byte(n), byte(n >> 8), 1, 2, 3, 4, 5, 6, 7, 8}
					if r.Pick(&decision.Request{Prompt: &prompt.Prompt{Text: text, Session: text[:2], Stream: true}, Now: now}, &d); d.Order[0] == 4 {
						r.add(4, 1)
						sent++
					}
				}
				return sent
			}
			early, late, after := until(1001*second), until(1050*second), until(1101*second)
			switch {
			case window == "0s" && r.Warming(1001*second):
				t.Errorf("%v: without a window an endpoint is slow to start", policy)
			case window == "0s":
			case early < 1 || early > 3 || late < early || late > 14 || after < late:
				t.Errorf("%v: of 100 requests under way a new endpoint gets %d at first, %d at half of the window, %d after it", policy, early, late, after)
			case policy.ByLoad() && policy != config.PolicyRandom && policy != config.PolicyRoundRobin && after <= late:
				t.Errorf("%v: it gets no more after the window: %d, %d", policy, late, after)
			}
		}
	}
}
