package pool

import (
	"testing"

	"warmroute/plugin/exposition"
	"warmroute/plugin/health"
)

// A page that shows a busy endpoint as it was once does not keep requests away for ever: responses show that it has stopped.
func TestPagesThatHaveStopped(t *testing.T) {
	const busy = 60
	p, now := newPool(1), second
	page := func(queries float64) {
		now += second
		p.ApplyMetrics(0, now, &exposition.Load{
			Has:     exposition.HasRunning | exposition.HasWaiting | exposition.HasKVUsage | exposition.HasCacheQueries,
			Running: busy, Waiting: 20, KVUsage: 0.99, CacheQueries: queries,
		})
		p.Tick(now)
	}
	answer := func(how health.Ending) {
		f := send(p, 0, textOf(1600), now+second/10)
		p.FirstToken(f, now+second/5)
		p.End(f, now+second/4, Outcome{Ending: how, Usage: true, PromptTokens: 400, OutputTokens: 4})
	}
	for n := range 20 {
		page(float64(1000 + 400*n))
		answer(health.Answered)
	}
	if p.StuckPage() >= 0 || p.metricsOf(0).belief(now) != 1 {
		t.Error("a page that counts prompts has stopped")
	}
	for range 20 {
		page(9000)
	}
	if p.StuckPage() >= 0 {
		t.Error("requests need more memory within twenty seconds")
	}
	answer(health.Cancelled)
	answer(health.Cancelled)
	answer(health.Cancelled)
	page(9000)
	if p.StuckPage() >= 0 {
		t.Error("a page has stopped though nothing was computed")
	}
	answer(health.Answered)
	page(9000)
	if p.StuckPage() >= 0 {
		t.Error("a page that may have been read before the response came has stopped")
	}
	page(9000)
	if p.StuckPage() != 0 || p.metricsOf(0).belief(now) != 0 {
		t.Error("a page is believed that does not count the prompts that its server answered")
	}
	if used, _ := p.UsedTokens(0, now); used != 0 {
		t.Errorf("%v tokens are in use by it", used)
	}
	page(9400)
	if p.StuckPage() >= 0 || p.metricsOf(0).belief(now) != 1 {
		t.Error("a page that goes on is not believed")
	}
}

// A worker that does not read pages itself gets them up to two ticks later: those that were read before a response came say nothing of it, however
// many they are.
func TestPagesThatComeLate(t *testing.T) {
	p := newPool(1)
	page := func(at int64, queries float64) {
		p.ApplyMetrics(0, at, &exposition.Load{Has: exposition.HasRunning | exposition.HasKVUsage | exposition.HasCacheQueries, CacheQueries: queries})
	}
	page(second, 1000)
	f := send(p, 0, textOf(1600), 3*second)
	p.End(f, 3*second+second/100, Outcome{Ending: health.Answered, Usage: true, PromptTokens: 400, OutputTokens: 4})
	for n := range int64(5) {
		page(2*second+n*second/5, 1000)
	}
	if p.StuckPage() >= 0 {
		t.Error("pages that were read before the response came have stopped")
	}
	for n := range int64(2) {
		page(4*second+n*second/5, 1000)
	}
	if p.StuckPage() != 0 {
		t.Error("pages that were read after it have not")
	}
}

func TestRunningRequestsNeedMoreMemory(t *testing.T) {
	for _, running := range []float64{0, 1} {
		p := newPool(1)
		for n := range int64(40) {
			p.ApplyMetrics(0, (n+1)*second, &exposition.Load{
				Has: exposition.HasRunning | exposition.HasKVUsage | exposition.HasCacheQueries, Running: running, KVUsage: 0.5, CacheQueries: 1000,
			})
		}
		if got := p.StuckPage() >= 0; got != (running > 0) {
			t.Errorf("%v run, and the page stays as it is for 40 s: stopped %v", running, got)
		}
	}
}

func TestServersThatCountNoPromptsAreNotStuck(t *testing.T) {
	p := newPool(1)
	for n := range int64(20) {
		now := (n + 1) * second
		p.ApplyMetrics(0, now, &exposition.Load{Has: exposition.HasRunning | exposition.HasCacheQueries, Running: 1}) // without a prefix cache
		f := send(p, 0, textOf(1600), now)
		p.FirstToken(f, now+second/5)
		p.End(f, now+second/4, Outcome{Ending: health.Answered, Usage: true, PromptTokens: 400, OutputTokens: 4})
	}
	if p.StuckPage() >= 0 {
		t.Error("a page without counts has stopped")
	}
}

func (p *Pool) metricsOf(i int) *metrics { return &p.ends[i].metrics }
