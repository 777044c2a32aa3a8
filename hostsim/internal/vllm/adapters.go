package vllm

import "slices"

// adapters are the LoRA adapters of a replica: those in the GPU's slots, and those in host memory (vLLM's
// lora/worker_manager.py, LRUCacheWorkerLoRAManager). Lists are ordered by use, the most recent last.
type adapters struct {
	slots, host    int
	active, loaded []string
	stepNeeds      []string // those of the step that is being scheduled
}

func newAdapters(slots, host int) *adapters { return &adapters{slots: slots, host: host} }

// begin starts a step with the running requests that it has.
func (a *adapters) begin(shares []share) {
	a.stepNeeds = a.stepNeeds[:0]
	for _, sh := range shares {
		a.need(sh.seq.adapter)
	}
}

// need notes that the step uses an adapter.
func (a *adapters) need(name string) {
	if name != "" && !slices.Contains(a.stepNeeds, name) {
		a.stepNeeds = append(a.stepNeeds, name)
	}
}

// admit reports whether a waiting request with that adapter can join the step.
func (a *adapters) admit(name string) bool {
	return name == "" || len(a.stepNeeds) < a.slots || slices.Contains(a.stepNeeds, name)
}

// use makes the step's adapters ready, and counts what has to be loaded for it.
func (a *adapters) use(st *step, stats *Stats) {
	for _, name := range a.stepNeeds {
		if touch(&a.loaded, name, a.host) {
			st.work.loads++
		}
		if touch(&a.active, name, a.slots) {
			st.work.activations++
		}
	}
	stats.LoRALoads += st.work.loads
	stats.LoRAActivations += st.work.activations
}

// touch makes name the most recently used of a list that holds limit, and reports whether it was not there.
func touch(list *[]string, name string, limit int) (added bool) {
	at := slices.Index(*list, name)
	switch {
	case at >= 0:
		*list = slices.Delete(*list, at, at+1)
	case len(*list) == limit:
		*list = slices.Delete(*list, 0, 1)
	}
	*list = append(*list, name)
	return at < 0
}

// adaptersOf are the names of these requests' adapters, sorted and without repeats.
func adaptersOf(lists ...[]*seq) []string {
	var names []string
	for _, list := range lists {
		for _, s := range list {
			if s.adapter != "" {
				names = append(names, s.adapter)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// HoldsAdapters says whether the profile has slots for any.
func (e *Engine) HoldsAdapters() bool { return e.adapters != nil }

// ActiveAdapters are those in the GPU's slots, the least recently used first.
func (e *Engine) ActiveAdapters() []string {
	if e.adapters == nil {
		return nil
	}
	return slices.Clone(e.adapters.active)
}
