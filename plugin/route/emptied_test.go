package route

import (
	"fmt"
	"strings"
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/decision"
	"warmroute/plugin/health"
	"warmroute/plugin/pool"
	"warmroute/plugin/prompt"
)

// A server that restarted unseen, or whose cache was emptied, holds as much again as before: the first answers must not
// teach that its cache is as small as the little it holds by then.
func TestEmptiedCacheIsNotASmallOne(t *testing.T) {
	cfg, err := config.Parse([]byte(`{"policy": "cache_aware", "endpoints": ["10.0.0.1:8000"]}`))
	if err != nil {
		t.Fatal(err)
	}
	r := newRig(&cfg, 1)
	now := int64(0)
	ask := func(n int, warm bool) (matched int) {
		now += 3e9
		var d decision.Decision
		p := &prompt.Prompt{Model: []byte("m"), Text: []byte(strings.Repeat(fmt.Sprintf("Prompt %04d. ", n), 200))}
		r.Pick(&decision.Request{Prompt: p, Now: now}, &d)
		r.begin(&d, now)
		o := pool.Outcome{Ending: health.Answered, Usage: true, PromptTokens: len(p.Text) / 4}
		if warm {
			o.CachedTokens = o.PromptTokens
		}
		r.end(&d, now+1e9, o)
		return d.Matched
	}
	const prompts = 50
	for n := range prompts {
		ask(n, false)
	}
	capacity, _ := r.Index.Capacity(0)
	if got := ask(prompts-1, false); got == 0 {
		t.Fatal("nothing was believed of a prompt that was just asked")
	}
	believed := 0
	for n := range prompts - 1 {
		if ask(n, false) > 0 {
			believed++
		}
	}
	if believed > 4 { // in the ten seconds in which one response is not enough
		t.Errorf("%d prompts were still believed to be in a cache that is empty", believed)
	}
	for n := range prompts {
		if got := ask(n, true); got == 0 {
			t.Errorf("prompt %d: asked since, and forgotten", n)
		}
	}
	if got, _ := r.Index.Capacity(0); got < capacity {
		t.Errorf("the cache is taken to hold %d blocks, %d before it was emptied", got, capacity)
	}
}
