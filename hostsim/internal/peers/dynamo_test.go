package peers

import "testing"

// What is to be computed and what is under way add up; shared blocks count once, and those in host memory a quarter.
func TestDynamo(t *testing.T) {
	e := engine(t, "dynamo", 2)
	prompt := text("hot", 1600) // 400 blocks of 16 tokens
	n := len(blocksOf(prompt))
	all := func(replica string) {
		e.Hear(16, func(address string, blocks []uint64) (held, inHost int) {
			if address == replica {
				return len(blocks), 0
			}
			return 0, 0
		})
	}
	all(e.members[1].address)
	d := e.policy.(*dynamo)
	replica, reason, first := send(t, e, "", prompt)
	if replica != 1 || reason != "match" {
		t.Errorf("1 holds it: went to %d (%s)", replica, reason)
	}
	if d.prefill[1] > 16 || d.active[1].blocks != n || d.partial[1] != 1 {
		t.Errorf("%d tokens to compute, %d blocks and %d requests under way; want hardly any, %d and 1", d.prefill[1], d.active[1].blocks, d.partial[1], n)
	}
	_, _, second := send(t, e, "", prompt)
	if d.active[1].blocks != n {
		t.Errorf("a second request: %d blocks under way, want %d", d.active[1].blocks, n)
	}
	d.prefill[1] += 16 * (n - 8) // less waits than computing it elsewhere takes
	if replica, reason, _ := send(t, e, "", prompt); replica != 1 {
		t.Errorf("less is to be computed there, and 1 has the blocks under way: went to %d (%s)", replica, reason)
	}
	d.prefill[1] += 16 * 16
	if replica, reason, _ := send(t, e, "", prompt); replica != 0 || reason != "relieved" {
		t.Errorf("more is to be computed there: went to %d (%s)", replica, reason)
	}
	first.Chunk(nil, false)
	if first.Chunk(nil, true); d.active[1].blocks != n {
		t.Errorf("one of three has ended: %d blocks under way, want %d", d.active[1].blocks, n)
	}
	second.Chunk(nil, true)
	e.Hear(16, func(address string, blocks []uint64) (held, inHost int) { return 0, len(blocks) })
	_, _, host := send(t, e, "", text("other", 1600))
	if want := host.request.tokens - 3*16*len(host.request.blocks)/4; host.request.charged != want {
		t.Errorf("all in host memory: %d tokens count, want %d", host.request.charged, want)
	}
}

func TestFollowersCountToZero(t *testing.T) {
	e := engine(t, "dynamo_lmetric", 3)
	var tickets []*ticket
	for _, prompt := range []string{text("a", 900), text("b", 900), text("a", 500), text("a", 900)} {
		_, _, under := send(t, e, "", prompt)
		tickets = append(tickets, under)
	}
	e.Watch(nil, []string{e.members[0].address})
	for _, under := range tickets {
		under.Chunk(nil, false)
		under.Chunk(nil, true)
	}
	d := e.policy.(*dynamo)
	for i := range d.prefill {
		if d.prefill[i] != 0 || d.partial[i] != 0 || d.active[i].blocks != 0 {
			t.Errorf("at the end %d tokens, %d requests and %d blocks count at %d", d.prefill[i], d.partial[i], d.active[i].blocks, i)
		}
	}
}

// A client that hangs up before its first token leaves nothing that counts as queued.
func TestFollowersForgetWhoHangsUp(t *testing.T) {
	for _, name := range []string{"dynamo", "dynamo_lmetric", "llmd_sticky", "smetric"} {
		e := engine(t, name, 2)
		e.Hear(16, func(string, []uint64) (held, inHost int) { return 0, 0 })
		queued := func() (all float64) {
			switch p := e.policy.(type) {
			case *dynamo:
				return float64(p.prefill[0] + p.prefill[1])
			case *llmdSticky:
				return float64(p.tokens[0] + p.tokens[1])
			case *smetric:
				return p.queued[0] + p.queued[1]
			}
			return 0
		}
		_, _, early := send(t, e, "", text("early", 900))
		_, _, late := send(t, e, "", text("late", 900))
		if queued() < 1800 {
			t.Errorf("%s: %g queued of two prompts", name, queued())
		}
		early.Cancel()
		late.Chunk([]byte("first"), false)
		late.Cancel()
		if queued() != 0 {
			t.Errorf("%s: %g queued once all have hung up", name, queued())
		}
	}
}
