package route

// Where memory is short, what is computed takes it from what others come back for. The term e says at which endpoint that is least, but on
// average over all it is 0, as if what is evicted cost nothing. That holds while most of the memory is idle: what an LRU evicts then was used
// long ago. Where most of it is live, a conversation is evicted that has just been left, and its next turn computes it again, which costs there
// what a token costs here; and it is one more in steps that are long already, so that all that runs holds its memory longer.
//
// So each token that is computed anew counts up to 1 + scarce times, by how much of the pool's memory is live: once up to half of it, which
// leaves as much for what is idle, and in full from where memory counts as full.

// scarce is how many times more a token counts that is computed where memory is full. It is judged (docs/rule.md).
const scarce = 2

// scarcity is how many times a token counts that is computed: 1, or more where memory is short, up to 1 + scarce.
func (v *view) scarcity() float64 {
	s := &v.shares
	if s.room == 0 || s.live <= half*s.room {
		return 1
	}
	return 1 + float64(scarce*min((s.live/s.room-half)/(full-half), 1))
}
