package vllm

import "testing"

// What arrives while a step executes joins the one after next: the next is scheduled already.
func TestAsyncSchedulingIsAStepAhead(t *testing.T) {
	var first [2]int64
	for async := range 2 {
		p := small(64, 64, 4)
		p.AsyncScheduling = async
		e := mustEngine(t, p)
		mustSubmit(t, e, 0, Request{ID: 1, Tokens: tokens(1, 1, 0, 20), PromptTokens: 4, MaxTokens: 16})
		e.Advance(0)
		mustSubmit(t, e, 1, Request{ID: 2, Tokens: tokens(2, 1, 0, 5), PromptTokens: 4, MaxTokens: 1})
		for _, r := range drain(t, e) {
			if r.Generated != r.ComputedTokens-r.PromptTokens+1 {
				t.Errorf("async %d: %d tokens generated, %d computed", async, r.Generated, r.ComputedTokens)
			}
			if r.ID == 2 {
				first[async] = r.First
			}
		}
	}
	prefill, decode := int64(1000+100+4*10+4*4/2), int64(1000+5)
	both := prefill + 5 // and one token of the other, whose context is 5 or 6
	if want := [2]int64{prefill + both + 5, prefill + decode + 5 + both + 6}; first != want {
		t.Errorf("first tokens at %v, want %v", first, want)
	}
}

// A request that is preempted while its last token is under way ends without being computed again.
func TestPreemptedWhileItsLastTokenIsUnderWay(t *testing.T) {
	p := small(4, 64, 4)
	p.AsyncScheduling = 1
	e := mustEngine(t, p)
	// Both fill two blocks with their fourth token, the second's last. The first then needs a third block.
	mustSubmit(t, e, 0, Request{ID: 1, Tokens: tokens(1, 1, 0, 12), PromptTokens: 5, MaxTokens: 7})
	mustSubmit(t, e, 0, Request{ID: 2, Tokens: tokens(2, 1, 0, 9), PromptTokens: 5, MaxTokens: 4})
	for _, r := range drain(t, e) {
		want := Record{Generated: 10 - 3*int(r.ID), ComputedTokens: 14 - 3*int(r.ID), Preemptions: int(r.ID) - 1}
		if r.Generated != want.Generated || r.ComputedTokens != want.ComputedTokens || r.Preemptions != want.Preemptions {
			t.Errorf("%+v; want %+v: all generated, nothing computed again", r, want)
		}
	}
	if st := e.Stats(); st.Finished != 2 || st.UsedBlocks != 0 || st.Preemptions != 1 {
		t.Errorf("%+v; want both finished, one after its preemption", st)
	}
}
