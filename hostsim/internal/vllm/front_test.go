package vllm

import (
	"math"
	"slices"
	"testing"
)

// entered submits requests, each at its time in ns, to a replica with that front end, and returns when each came to the scheduler.
func entered(t *testing.T, request, token float64, requests []Request, at ...int64) []int64 {
	t.Helper()
	p := small(64, 32, 8)
	p.Frontend, p.FrontendPerToken = request, token
	e := mustEngine(t, p)
	for i, r := range requests {
		r.ID = uint64(i + 1)
		mustSubmit(t, e, at[i], r)
	}
	all := make([]int64, len(requests))
	for _, r := range drain(t, e) {
		all[r.ID-1] = r.Entered
		if r.Scheduled < r.Entered || r.Queued != at[r.ID-1] {
			t.Errorf("%+v: queued at %d, and scheduled before it was entered", r, at[r.ID-1])
		}
	}
	return all
}

func TestFrontEnd(t *testing.T) {
	text := Request{Hashes: []uint64{}, PromptTokens: 10, MaxTokens: 1}
	ids := text
	ids.Tokenized = true
	for _, c := range []struct {
		name           string
		request, token float64
		requests       []Request
		at, want       []int64
	}{
		{"none", 0, 0, []Request{text, ids}, []int64{0, 40}, []int64{0, 40}},
		{"text passes the tokenizer, ids do not", 100, 7, []Request{text, ids}, []int64{0, 1000}, []int64{170, 1100}},
		{"the tokenizer alone", 0, 7, []Request{text, ids}, []int64{0, 1000}, []int64{70, 1000}},
		{"ids overtake text", 0, 7, []Request{text, ids}, []int64{0, 20}, []int64{70, 20}},
		{"together", 100, 0, []Request{text, text, text}, []int64{5, 5, 5}, []int64{305, 305, 305}},
		{"the second comes when half is done", 100, 0, []Request{text, text}, []int64{0, 50}, []int64{150, 200}},
		{"a short one ends first", 100, 10, []Request{text, ids}, []int64{0, 0}, []int64{300, 200}},
		{"idle in between", 100, 0, []Request{text, text}, []int64{0, 5000}, []int64{100, 5100}},
	} {
		if got := entered(t, c.request, c.token, c.requests, c.at...); !slices.Equal(got, c.want) {
			t.Errorf("%s: entered at %v, want %v", c.name, got, c.want)
		}
	}
}

// One that its client gives up leaves the front end, and the other goes on faster.
func TestFrontEndAbort(t *testing.T) {
	p := small(64, 32, 8)
	p.Frontend = 100
	e := mustEngine(t, p)
	r := Request{Hashes: []uint64{}, PromptTokens: 10, MaxTokens: 1, ID: 1}
	mustSubmit(t, e, 0, r)
	r.ID = 2
	mustSubmit(t, e, 0, r)
	if st := e.Stats(); st.Waiting != 0 {
		t.Errorf("%d wait for the scheduler, want 0", st.Waiting)
	}
	if !e.Abort(100, 1) || e.Abort(100, 1) {
		t.Error("the request was not there, or is there still")
	}
	if got := drain(t, e); len(got) != 1 || got[0].ID != 2 || got[0].Entered != 150 {
		t.Errorf("%+v; want request 2, entered at 150", got)
	}
}

// A step with prefill is launched while the GPU computes; other replicas on the GPU slow that down, and not the launch.
func TestLaunch(t *testing.T) {
	p := small(512, 1024, 8) // graphs for up to 16 tokens
	p.Launch = 30_000
	for _, c := range []struct {
		prompt int
		launch float64
		slow   float64
	}{{10, 15_000, 1}, {16, 15_000, 1}, {17, 30_000, 1}, {1000, 30_000, 1}, {17, 30_000, 3}, {1000, 30_000, 4}} {
		e := mustEngine(t, p)
		e.SetSlowdown(c.slow)
		mustSubmit(t, e, 0, Request{ID: 1, Hashes: []uint64{}, PromptTokens: c.prompt, MaxTokens: 2})
		r := drain(t, e)[0]
		var prefill, decode work
		prefill.admitted, prefill.sequences, decode.sequences = 1, 1, 1
		prefill.addPrefill(c.prompt, 0)
		decode.addDecode(c.prompt + 1)
		gpu := math.Floor(float64(p.stepTime(prefill)) * c.slow)
		if want := int64(math.Round(math.Hypot(gpu, c.launch))); r.First != want {
			t.Errorf("%d tokens, %v times as slow: first token after %d ns, want %d", c.prompt, c.slow, r.First, want)
		}
		if got, want := r.Final-r.First, int64(float64(p.stepTime(decode))*c.slow); got != want {
			t.Errorf("%d tokens: decoding takes %d ns, want %d as without a launch", c.prompt, got, want)
		}
	}
}

// A step that begins alone and is half done when another replica comes has the rest of its work to do at half the speed.
func TestLaunchShared(t *testing.T) {
	p := small(512, 1024, 8)
	p.Launch = 3000
	e := mustEngine(t, p)
	mustSubmit(t, e, 0, Request{ID: 1, Hashes: []uint64{}, PromptTokens: 1000, MaxTokens: 1})
	e.Advance(0)
	gpu := e.gpuEnd
	e.Share(gpu/2, 2)
	alone := gpu/2 + 2*(gpu-gpu/2)
	if want := int64(math.Round(math.Hypot(float64(alone), p.Launch))); e.stepEnd != want || e.stats.Busy != want {
		t.Errorf("ends at %d after %d busy, want %d", e.stepEnd, e.stats.Busy, want)
	}
	e.Share(e.gpuEnd+1, 1) // only the launch is left
	if want := int64(math.Round(math.Hypot(float64(alone), p.Launch))); e.stepEnd != want {
		t.Errorf("ends at %d, want %d", e.stepEnd, want)
	}
}
