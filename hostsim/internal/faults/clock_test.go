package faults

import (
	"strings"
	"testing"
)

// A clock that leaps, or a proxy that stood still, as a machine that is suspended does: replicas that only had no time to answer are not down, and
// what was under way is no time to a first token.
func TestClockLeaps(t *testing.T) {
	for name, by := range map[string]int64{"by an hour": 3600 * second, "back by an hour": -3600 * second, "not at all": 0} {
		w := start(t, module(t), Options{Replicas: 3, CacheTokens: 400_000, Plugin: `"scrape":{"path":""}`})
		w.Pass(5 * second)
		send := func(n int) *Exchange {
			body := chat(document(n), `,"stream":true`)
			x := w.Open(0, chats, len(body))
			x.Write([]byte(body), true)
			x.Route()
			return x
		}
		for n := range 50 { // so that speeds are known
			x := send(n)
			w.Pass(second / 50)
			x.Answer()
		}
		var list []*Exchange
		for n := range 12 {
			list = append(list, send(100+n))
		}
		w.Pass(second / 2)
		w.Proxy.Skew(by)
		silent, answers := list[0].Replica, list[:0:0]
		for _, x := range list {
			if x.Replica != silent {
				x.Step()
				x.Step() // to its first token
				answers = append(answers, x)
			}
		}
		if n := len(list) - len(answers); n < 2 || n > 10 {
			t.Fatalf("%d of 12 requests are at one replica: the test has lost its point", n)
		}
		for range 5 {
			w.Pass(second)
			if n := w.Gauge("warmroute_endpoints_down"); n > 0 {
				t.Fatalf("%s: %d replicas are down", name, n)
			}
		}
		for _, x := range list {
			x.Answer()
		}
		w.Post(0, chats, chat(document(0), `,"stream":true`))
		w.Pass(2 * second)
		var times, sum uint64
		for _, m := range w.Proxy.Metrics() {
			if strings.HasSuffix(m.Name, "warmroute_ttft_milliseconds") {
				times, sum = times+m.Count, sum+m.Sum
			}
		}
		if by == 0 && times != 63 || by != 0 && times != 51 || sum > 100_000 {
			t.Errorf("%s: %d times to a first token, %d ms together", name, times, sum)
		}
		if n := w.Gauge("warmroute_in_flight"); n != 0 {
			t.Errorf("%s: %d in flight at rest", name, n)
		}
	}
}

// A response that its replica breaks off counts as that.
func TestBrokenOffResponses(t *testing.T) {
	w := start(t, module(t), Options{Replicas: 3, CacheTokens: 400_000})
	for _, r := range w.Replicas {
		r.Mode = Breaks
	}
	w.Post(0, chats, chat(document(0), `,"stream":true`))
	w.Pass(2 * second)
	broken := uint64(0)
	for _, m := range w.Proxy.Metrics() {
		if strings.HasSuffix(m.Name, "warmroute_answers_total") && strings.Contains(m.Name, "broken") {
			broken += m.Value
		}
	}
	if broken != 1 {
		t.Errorf("%d responses are broken, want 1", broken)
	}
}
