package route

// Late binding. Where memory is short, a prompt that is new everywhere only waits in a queue wherever it is sent, and what it is
// computed into evicts conversations that others come back for: then those are computed anew, answers wait for that and hold memory
// longer still. So new prompts wait at the gateway instead, and each goes once an endpoint has memory to spare for it. Prompts that an
// endpoint holds go at once.

// New prompts are held from when memory is full, if conversations come back.
const (
	// roomy is the share of its memory up to which an endpoint then takes new prompts. The rest is for what conversations leave
	// behind between two turns.
	roomy = 0.35

	// mostNew is the share of a prompt's tokens that must be computed anew where it counts as new.
	mostNew = 0.8
)

// hold is whether new prompts are held.
type hold struct{ on bool }

// update says whether new prompts are to be held: from when memory is short until no prompt is held and there is room again.
func (h *hold) update(v *view, waiting int) bool {
	switch s := &v.shares; {
	case s.room > 0 && s.live >= full*s.room && v.pool.ReturningShare() >= comeback && s.size > 1:
		h.on = true
	case s.room == 0 || waiting == 0 && s.live < roomy*s.room:
		h.on = false
	}
	return h.on
}

// Crowded says whether memory is short, as of the last decision. waiting is how many requests wait already.
func (r *Router) Crowded(waiting int) bool {
	_, is := r.chosen.(*cacheAware)
	return is && r.view.hold.update(&r.view, waiting)
}

// Holds says whether req is to wait until an endpoint has room for tokens more, where memory is short. d's memory is used.
func (r *Router) Holds(req *Request, d *Decision, waiting int) (tokens float64, wait bool) {
	v := &r.view
	if req.Prompt == nil {
		return 0, false
	}
	d.reset(r.name)
	v.pool.Prepare(&d.Flight, req.Prompt, req.Tenant, req.Length)
	v.look(req.Now, req.Model, d)
	most, second := v.holders()
	tokens = d.Uncached(int(most))
	if most > second && tokens < mostNew*d.Tokens || !v.hold.update(v, waiting) {
		return 0, false
	}
	return tokens, waiting > 0 || !v.hasRoom(tokens)
}

// HasRoom says whether a request that waits for so many tokens may go. d's memory is used.
func (r *Router) HasRoom(req *Request, d *Decision, tokens float64, waiting int) bool {
	v := &r.view
	d.reset(r.name)
	v.look(req.Now, req.Model, d)
	return !v.hold.update(v, waiting) || v.hasRoom(tokens)
}

// hasRoom says whether an endpoint has memory to spare for so many tokens more.
func (v *view) hasRoom(tokens float64) bool {
	for i := range v.all {
		if t := &v.all[i]; v.class[i] == v.best && fits(t, tokens, roomy) {
			return true
		}
	}
	return false
}
