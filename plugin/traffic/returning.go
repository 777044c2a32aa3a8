package traffic

// Returning is how much of prompts one endpoint alone holds: conversations that come back. What several endpoints hold is not
// counted, because it stays cached when memory is short. It is of the last seenPrompts prompts or so that a worker decided, and of
// those of the proxy's other workers, and of the gateways that share news: as each alone would see few, some would act as if conversations came back, and others not.
type Returning struct{ Found, All float64 } // tokens

// seenPrompts is of how many prompts it is, each weighing e^(−prompts since ÷ seenPrompts).
const seenPrompts = 1000

// Plus is both.
func (r Returning) Plus(other Returning) Returning {
	return Returning{r.Found + other.Found, r.All + other.All}
}

// Returns is what this worker has counted, and others.
type Returns struct {
	own, others Returning
	seen        float64 // of own.All: tokens that were computed before, whether or not they are held
}

// Note counts a prompt: its tokens that no two endpoints hold, those of them that one does, and those that were computed before.
func (r *Returns) Note(prompt Returning, seen float64) {
	r.own.All += prompt.All - r.own.All/seenPrompts
	r.own.Found += prompt.Found - r.own.Found/seenPrompts
	r.seen += seen - r.seen/seenPrompts
}

// NoteSeen counts more tokens of a prompt that was counted, which were computed before.
func (r *Returns) NoteSeen(more float64) { r.seen += more }

// Undo takes back what Note and NoteSeen have counted of a prompt.
func (r *Returns) Undo(prompt Returning, seen float64) {
	r.own.All = max(r.own.All-prompt.All, 0)
	r.own.Found = min(max(r.own.Found-prompt.Found, 0), r.own.All)
	r.seen = max(r.seen-seen, r.own.Found)
}

// Share is the share found, 0 to 1.
func (r *Returns) Share() float64 {
	all := r.own.Plus(r.others)
	return all.Found / max(all.All, 1)
}

// Kept is how much of what this worker saw come back an endpoint still held, 0 to 1; 1 while nothing has come back. The index
// forgets what came longest ago, so it may be too high.
func (r *Returns) Kept() float64 {
	if r.seen == 0 {
		return 1
	}
	return r.own.Found / r.seen
}
