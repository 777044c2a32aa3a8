package pool

import "testing"

// Prompts that their server refuses at once, for a parameter say, change nothing of what is known of conversations that come back.
func TestRefusedPromptsDoNotReturn(t *testing.T) {
	p := newPool(2)
	now := int64(0)
	ask := func(tokens int, refused bool) {
		now += second / 20
		of, f := textOf(4*tokens), new(Flight)
		p.Prepare(f, of, nil, 0)
		p.Match(f)
		p.Return(f, f.Total/2, 0)
		p.Expect(f, 0)
		p.Begin(f, 0, now)
		p.End(f, now, Outcome{Lost: refused})
	}
	for range 500 {
		ask(2000, false)
	}
	share := p.ReturningShare()
	if share < .2 {
		t.Fatalf("the share that comes back is %v: the test has lost its point", share)
	}
	for range 500 {
		ask(2000, false)
		ask(100_000, true)
	}
	if got := p.ReturningShare(); got < .95*share || got > 1.05*share {
		t.Errorf("with prompts that are refused the share is %v, before them %v", got, share)
	}
}
