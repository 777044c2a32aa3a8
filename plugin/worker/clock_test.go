package worker

import (
	"fmt"
	"strings"
	"testing"

	"warmroute/plugin/inspect"
	"warmroute/plugin/share/memstore"
)

// A long prompt that comes long after the last tick has what others do read at the time when it comes: by the time of the tick, what another
// worker's prompts wait for would have been computed for as long.
func TestLongPromptsBetweenTicks(t *testing.T) {
	const configuration = `{"seed":5,"scrape":{"path":""},"endpoints":["10.0.0.1:80","10.0.0.2:80"]}`
	queue := func(reads bool) float64 {
		shared := memstore.New()
		one, other := workerOf(t, configuration, shared), workerOf(t, configuration, shared)
		ask(t, one, "Why?", 10*second)
		ask(t, other, "Why?", 10*second)
		one.Tick(10 * second)
		other.Tick(10 * second)
		now := 10*second + 900e6
		x := new(Exchange)
		x.Begin(one, &inspect.Head{Method: "POST", Path: "/v1/completions", ContentType: "application/json"})
		x.Write(fmt.Appendf(nil, `{"model":"m","stream":true,"prompt":%q}`, strings.Repeat("and so on ", 4000)))
		x.Decide(true, now)
		now += 10e6
		if reads {
			other.Clock = func() int64 { return now }
			y, body := long(other, inspect.Head{}, 300)
			feed(y, body[:100<<10], 16<<10)
			y.End(now, true)
		}
		ask(t, other, "Why?", now)
		i := x.decision.Endpoint()
		return other.pools[0].known.Queue(i, now)
	}
	if got, want := queue(true), queue(false); got < want-1000 || want < 5000 {
		t.Errorf("%.0f tokens are taken to wait at the endpoint, want %.0f", got, want)
	}
}
